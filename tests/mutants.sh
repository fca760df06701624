#!/bin/sh
# Mutation tests of what is pure: the games with all that is in their package, and the table, which needs nothing else of the
# server. They are put into target/mutants/ with their tests: a mutant is built and tested in seconds, not in minutes. Needs
# cargo-mutants.
#
#   tests/mutants.sh                      everything (hours)
#   tests/mutants.sh -f 'crates/games/src/pow2/*.rs'
#   tests/mutants.sh -f 'src/table/**' --shard 0/8
#
# What is left over, with reasons, stands in tests/mutants.md.
set -eu
cd "$(dirname "$0")/.."
# Set it to a folder outside the repository for a second run at the same time.
crate=${PBMSERV_MUTANTS:-$PWD/target/mutants}
rm -rf "$crate/src" "$crate/crates"
mkdir -p "$crate/src" "$crate/crates"
# With their times, so that cargo rebuilds only what has changed.
cp -pR crates/games "$crate/crates/"
cp -pR src/table "$crate/src/"
cp Cargo.lock "$crate/"
printf 'pub mod table;\n' >"$crate/src/lib.rs"
# A file where proptest would keep the failures of one mutant and try them on the next.
rm -rf "$crate/proptest-regressions" "$crate/crates/games/proptest-regressions"
: >"$crate/proptest-regressions"
: >"$crate/crates/games/proptest-regressions"

# The lines of the server's own dependencies, so that the versions are the same.
lines() {
	section=$1
	shift
	awk -v section="[$section]" -v wanted=" $* " '
		/^\[/ { inside = $0 == section }
		inside && / = / { name = $1; sub(/\.workspace$/, "", name); if (index(wanted, " " name " ")) print }' Cargo.toml
}
{
	printf '[package]\nname = "pbmserv"\nversion = "0.0.0"\nedition = "2024"\npublish = false\n\n'
	printf '[workspace]\nmembers = ["crates/games"]\n\n'
	# What the packages share.
	awk '/^\[/ { inside = /^\[workspace\.(package|dependencies|lints)/ } inside' Cargo.toml
	printf '\n[dependencies]\n'
	lines dependencies chrono chrono-tz pbmserv-games rand serde serde_json skillratings thiserror
	printf '\n[dev-dependencies]\n'
	lines dev-dependencies proptest
	# Some optimisation, for tests that play thousands of games; as little else as possible.
	printf '\n[profile.dev]\nopt-level = 1\ndebug = false\n'
	printf '\n[profile.dev.package."*"]\nopt-level = 2\n'
} >"$crate/Cargo.toml"

cd "$crate"
# A mutant that loops for ever is stopped after a minute.
exec cargo mutants --workspace --in-place --timeout 60 --no-shuffle --colors never "$@" -- --tests
