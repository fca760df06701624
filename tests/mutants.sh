#!/bin/sh
# Mutation tests of what is pure: the games, the kit and the table, which need nothing else of the server. They are put
# into a crate of their own in target/mutants/, with their unit tests and those of tests/games/, all
# in one test program: a mutant is built and tested in seconds, not in minutes. Needs cargo-mutants.
#
#   tests/mutants.sh                      everything (hours)
#   tests/mutants.sh -f 'src/games/pow2/*.rs'
#   tests/mutants.sh -f 'src/kit/**' --shard 0/8
#
# What is left over, with reasons, stands in tests/mutants.md.
set -eu
cd "$(dirname "$0")/.."
# Set it to a folder outside the repository for a second run at the same time.
crate=${PBMSERV_MUTANTS:-$PWD/target/mutants}
rm -rf "$crate/src" "$crate/tests"
mkdir -p "$crate/src" "$crate/tests"
# With their times, so that cargo rebuilds only what has changed.
cp -pR src/games src/kit src/table "$crate/src/"
cp -pR tests/oracles tests/playthroughs "$crate/tests/"
cp -pR tests/games "$crate/src/outside"
mv "$crate/src/outside/main.rs" "$crate/src/outside/mod.rs"
cp -pR tests/oracles "$crate/src/"
cp Cargo.lock "$crate/"
# A file where proptest would keep the failures of one mutant and try them on the next.
rm -rf "$crate/proptest-regressions"
: >"$crate/proptest-regressions"

# The lines of the server's own dependencies, so that the versions are the same.
lines() {
	section=$1
	shift
	awk -v section="[$section]" -v wanted=" $* " '
		/^\[/ { inside = $0 == section }
		inside && / = / && index(wanted, " " $1 " ")' Cargo.toml
}
{
	printf '[package]\nname = "pbmserv"\nversion = "0.0.0"\nedition = "2024"\npublish = false\n\n[workspace]\n\n'
	printf '[dependencies]\n'
	lines dependencies chrono png rand resvg serde serde_json skillratings strsim thiserror
	printf '\n[dev-dependencies]\n'
	lines dev-dependencies proptest tempfile
	# Some optimisation, for tests that play thousands of games; as little else as possible.
	printf '\n[profile.dev]\nopt-level = 1\ndebug = false\n'
	printf '\n[profile.dev.package."*"]\nopt-level = 2\n'
} >"$crate/Cargo.toml"
{
	printf 'extern crate self as pbmserv;\npub mod games;\npub mod kit;\npub mod table;\n'
	printf '#[cfg(test)]\nmod outside;\n'
} >"$crate/src/lib.rs"

cd "$crate"
# The verb `show` needs the program. A mutant that loops for ever is stopped after a minute.
exec cargo mutants --in-place --timeout 60 --no-shuffle --colors never "$@" -- --lib -- --skip show_
