# What is run before a change lands, and the heavier proofs.

.PHONY: check test peers browser full crash slow stories bench fuzz

# The same as .ci/run, without the installation of packages.
check:
	cargo fmt --check
	cargo clippy --all-targets -- -D warnings
	cargo test
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps
	cargo run --release -- demo --quiet

test:
	cargo test

# Real mail servers: needs Debian's postfix and swaks, and root.
peers:
	cargo build --release
	python3 tests/peers/run.py

# Every letter of the stories in a real browser: needs Debian's chromium and python3. The sheets are for people to look at.
browser:
	rm -rf target/letters target/browser && mkdir -p target/letters
	PBMSERV_LETTERS=$(CURDIR)/target/letters cargo test --test conversations
	python3 tests/browser.py target/letters target/browser

# Many kills in the middle of traffic.
crash:
	PBMSERV_CRASH_ROUNDS=30 cargo test --release --test crash -- --nocapture

# Writes the golden files anew: read the difference before you commit it.
stories:
	UPDATE_CONVERSATIONS=1 cargo test --test conversations
	UPDATE_PLAYTHROUGHS=1 cargo test playthrough
	UPDATE_MAILS=1 cargo test --test mails

bench:
	cargo bench

# Needs cargo-fuzz and a nightly toolchain.
fuzz:
	cargo +nightly fuzz run mail -- -max_total_time=300

# Tests that take most of a minute each.
slow:
	cargo test --release -- --ignored

full: check peers browser crash slow bench
