# What is run before a change lands, and the heavier proofs.

.PHONY: check test needy peers walk browser full crash soak slow stories bench load fuzz mutants deb

# The same as .ci/run, without the installation of packages.
check:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo test
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps
	cargo run --release -- demo --quiet

test:
	cargo test

# Tests that are ignored elsewhere, as their reasons say: as root, with strace and promtool (Debian: prometheus).
needy:
	cargo test --test running -- --ignored

# Real mail programs: needs root, and what the step `packages` of .ci/run installs.
peers:
	cargo build --release
	python3 tests/peers/run.py

# From a clean Debian to a game that has been lost and restored: needs root, debootstrap, and cargo-deb.
walk: deb
	python3 tests/walk/run.py target/debian/pbmserv_*.deb

# Every letter of the stories in a real browser: needs Debian's chromium and python3. The sheets are for people to look at.
browser:
	rm -rf target/letters target/browser && mkdir -p target/letters
	PBMSERV_LETTERS=$(CURDIR)/target/letters cargo test --test play conversations
	python3 tests/browser.py target/letters target/browser

# 210 kills in the middle of traffic and more of servers that start, a relay that dies and a disk that fills up among
# them, and 3000 power cuts. TEST_SEED repeats the choices of a run.
crash:
	PBMSERV_CRASH_ROUNDS=210 cargo test --release --test proof crash:: -- --nocapture
	PBMSERV_POWER_CUTS=3000 cargo test --release --test proof power:: -- --nocapture

# Simulated years of 2,000 players in half an hour, with a model beside the server that says what each answer must be.
# SOAK_SEED, SOAK_PLAYERS and SOAK_MINUTES change it; the table at the end is for people to read.
SOAK_MINUTES ?= 30
soak:
	SOAK_MINUTES=$(SOAK_MINUTES) cargo test --release --test soak the_server_does_for_years -- --nocapture

# The Debian package, into target/debian (needs cargo-deb). The names of functions, for a debugger, are left out too.
deb:
	cargo build --release
	rm -rf target/deb target/debian && mkdir -p target/deb/man
	target/release/pbmserv man target/deb/man
	target/release/pbmserv completions bash > target/deb/pbmserv.bash
	target/release/pbmserv completions zsh > target/deb/_pbmserv
	target/release/pbmserv completions fish > target/deb/pbmserv.fish
	cargo deb --no-build --strip $(if $(DEBEMAIL),--maintainer "$(DEBFULLNAME) <$(DEBEMAIL)>")

# Writes the golden files anew: read the difference before you commit it.
stories:
	UPDATE_CONVERSATIONS=1 cargo test --test play conversations
	UPDATE_PLAYTHROUGHS=1 cargo test --test games playthroughs
	UPDATE_MAILS=1 cargo test --test incoming mails::

bench:
	cargo bench

# How many mails a second over SMTP, beside a Postfix and a sink: as root, with Postfix installed. BENCHMARKS.md tells more.
load:
	cargo build --release --bin pbmserv --example load
	python3 benches/load/run.py $(LOAD)

# A minute for each of what is fuzzed, from the seeds that are kept; messages also from tests/mails/. Needs
# cargo-fuzz and a nightly toolchain; no sanitizer, which would look for what only unsafe code does.
# What it finds goes into fuzz/seeds/TARGET/, for tests/incoming/fuzzed.rs.
FUZZ_SECONDS = 60
fuzz:
	for target in $$(cd fuzz/seeds && ls); do \
		mkdir -p fuzz/corpus/$$target && \
		cargo +nightly fuzz run --sanitizer none $$target fuzz/corpus/$$target fuzz/seeds/$$target \
			$$([ $$target = mail ] && echo tests/mails) -- -max_total_time=$(FUZZ_SECONDS) -timeout=10 || exit 1; \
	done

# Mutation tests of the games, the kit and the table: hours (needs cargo-mutants). What is left over stands in
# tests/mutants.md; `make mutants MUTANTS="-f 'src/games/forms/*.rs'"` takes a part.
MUTANTS =
mutants:
	tests/mutants.sh $(MUTANTS)

# What a hostile message costs, in a release build: most of a minute.
slow:
	cargo test --release --test incoming -- --ignored

full: check needy peers walk browser crash soak slow bench
