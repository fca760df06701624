#!/usr/bin/env python3
"""Plays on the pages of the built program, in Chromium and in w3m, and looks at every page.

    tests/browser/run.py [--short] [--keep] [--pictures FOLDER] [PBMSERV]

Needs playwright, pyte, lxml and icalendar (pip), axe-core (npm) in target/browse, chromium and w3m: tests/browser/prepare.sh brings them. Uses
only 127.0.0.1 and one temporary folder, which --keep leaves there. --pictures writes a picture of every page, for people to look at.
"""

import argparse
import re
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Shared with the tests of the mail programs.
sys.path.append(str(HERE.parent / "peers"))

import access  # noqa: E402
import api  # noqa: E402
import feeds  # noqa: E402
import operator_pages  # noqa: E402
import playing  # noqa: E402
import shots  # noqa: E402
import textbrowser  # noqa: E402
import traps  # noqa: E402
import visiting  # noqa: E402
from checks import Checks, Failed  # noqa: E402
from house import House, Person  # noqa: E402
from playing import Game  # noqa: E402
from playwright.sync_api import Error, sync_playwright  # noqa: E402

AXE = ROOT / "target/browse/axe-core/axe.min.js"
# Of a board that waits for its first player: the beginning of a turn, and the whole turn.
WAITING = ("Pow2", [], "m13-", "m13-m5:l4")
# Boards of somebody who plays very many.
MANY = 40
# A board of its own form, the most points, the most turns; hexagons slanting.
FEW_GAMES = ["pow2", "gomoku", "ringworm", "hex"]


class Stage:
    """All that the steps need."""

    def __init__(self, folder, given, browser):
        self.folder = folder
        self.given = given
        self.browser = browser
        self.checks = Checks()
        self.house = House(folder, Path(given.binary).resolve())
        self.people = [Person(self.house, "alice", "Rose-4711-water"), Person(self.house, "bob", "Open-1001-sesame")]
        self.busy = Person(self.house, "carol", "Many-40-boards")
        self.axe = AXE.read_text()
        self.over = {}

    def context(self):
        """A browser of one more visitor, without JavaScript."""
        return self.browser.new_context(
            java_script_enabled=False, viewport={"width": 1280, "height": 900},
            extra_http_headers={"X-Forwarded-For": self.house.visitor()},
        )


def games(stage):
    """Whole games, each point of a turn a click."""
    for name in playing.SHORT if stage.given.short else playing.WHOLE:
        started = time.monotonic()
        game, context = Game(name), stage.context()
        stage.over[game.name] = playing.whole_game(stage.house, stage.people, game, stage.checks, context.new_page())
        context.close()
        print(f"  {time.monotonic() - started:.1f} seconds", flush=True)


def dice(stage):
    """A game with dice against a computer; a build without optimisations has hard think for minutes."""
    context = stage.context()
    pairs = [("Hypergammon", "bot-easy")] if stage.given.short else [("Hypergammon", "bot-hard"), ("Backgammon", "bot-medium"), ("Nackgammon", "bot-easy")]
    for game, computer in pairs:
        playing.against_computer(stage.house, stage.people[0], game, computer, stage.checks, context.new_page())
    context.close()


def by_mail(stage, game, turns):
    """A board with these turns, all by mail."""
    number = playing.begin(stage.house, *stage.people, game)
    for is_first, turn in game.turns[:turns]:
        stage.people[not is_first].command(f"{game.name} move {number} {{me}} {turn}")
    return number


def keyboard(stage):
    """A game by keys alone."""
    context = stage.context()
    access.by_keyboard(stage.house, stage.people, Game("forms"), stage.checks, context.new_page())
    context.close()


def typed(stage):
    """A game in w3m."""
    textbrowser.typed_game(stage.house, stage.people, Game("forms"), stage.checks, stage.folder)


def visit(stage):
    """A game of somebody without an account."""
    context = stage.context()
    visiting.whole_game(stage.house, stage.checks, context.new_page())
    number = playing.begin(stage.house, *stage.people, Game("hex"))
    visiting.line(stage.house, stage.checks, context.new_page(), f"Hex/{number}", stage.people[0])
    visiting.plan(stage.house, stage.checks, context.new_page(), f"Hex/{number}", stage.people)
    context.close()
    textbrowser.typed_visit(stage.house, stage.checks, stage.folder)


def mistakes(stage):
    """What must not play twice."""
    context = stage.context()
    traps.mistakes(stage.house, stage.people, stage.checks, context)
    context.close()


def every_page(stage):
    """All pages, when there is much to see on them."""
    alice, bob = stage.people
    names = FEW_GAMES if stage.given.short else playing.WHOLE
    playable = [f"{game.name}/{by_mail(stage, game, 0 if game.name == 'Hex' else 8)}" for game in map(Game, names)]
    game, turns, begun, whole = WAITING
    waiting = by_mail(stage, Game(game.lower()), len(turns))
    bob.command("Ringworm seek {me}")
    stage.busy.sign_up()
    for number in range(MANY):
        one = Game(names[number % len(names)]).name
        stage.busy.command(f"{one} challenge carol {'bob' if number % 2 else 'alice'}")
    bob.command(f"Pow2 chat {waiting} {{me}}", "What a board!")
    bob.command(f"Pow2 plan {waiting} {{me}} if {whole} then a1-e1 then a13-a9")
    alice.command("cup {me} new summer Hex --format=knockout")
    for person in (alice, bob):
        person.command("Hex league {me} join")
        person.command("Hex ladder {me} join")
        person.command("cup {me} join summer")
    stage.house.settle()
    over = f"Forms/{stage.over['Forms']}"
    pages = {"home-many": stage.busy.home()} | shots.everywhere(stage.house, stage.people, {
        "running": playable[0], "over": over, "waiting": (f"{game}/{waiting}", begun, whole),
        "games": [Game(name).name for name in names], "shown": playable, "playable": playable,
    })
    folder = Path(stage.given.pictures) if stage.given.pictures else None
    if folder:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    views = shots.FEW_VIEWS if stage.given.short else shots.VIEWS
    shots.looked_at(stage.browser, stage.house, pages, stage.axe, stage.checks, folder, views)
    if folder:
        shots.printed(stage.browser, stage.house, pages, folder)


def operators(stage):
    """The pages for the operator."""
    board = by_mail(stage, Game("pow2"), 3)
    stage.house.settle()
    folder = Path(stage.given.pictures) if stage.given.pictures else None
    views = shots.FEW_VIEWS if stage.given.short else shots.VIEWS
    operator_pages.looked_at(stage, f"Pow2/{board}", folder, views)


def subscriptions(stage):
    """Feeds and calendars."""
    links = [person.home() for person in stage.people]
    feeds.check(stage.house.url, links, stage.house.visitor, stage.checks)


def programs(stage):
    """The boards for programs."""
    api.check(stage)


def scanner(stage):
    """What opens links changes nothing."""
    traps.scanned(stage.house, stage.people, stage.checks, 200 if stage.given.short else 1000)


# In this order: the last pages show what was played before.
STEPS = [
    ("whole games by clicks and by mail", games),
    ("a whole game with dice, by clicks", dice),
    ("a whole game by the keyboard", keyboard),
    ("a whole game by typing, in w3m", typed),
    ("a game without an account", visit),
    ("double clicks, the back button, stale tabs", mistakes),
    ("every page", every_page),
    ("the operator's pages", operators),
    ("feeds and calendars", subscriptions),
    ("programs", programs),
    ("a scanner", scanner),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--short", action="store_true", help="two games by clicks, fewer pages, fewer links")
    parser.add_argument("--keep", action="store_true", help="leave the temporary folder")
    parser.add_argument("--only", metavar="WORD", help="only the steps with this word in their titles, and the games")
    parser.add_argument("--pictures", metavar="FOLDER", help="write a picture of every page into this folder")
    parser.add_argument("binary", nargs="?", default="target/release/pbmserv", metavar="PBMSERV")
    given = parser.parse_args()
    missing = [name for name in ("chromium", "w3m") if shutil.which(name) is None]
    missing += [str(path) for path in (AXE, Path(given.binary)) if not path.is_file()]
    if missing:
        sys.exit(f"run.py: needs what tests/browser/prepare.sh installs, and {given.binary} (cargo build); missing: {missing}")
    # A signal also stops everything that was started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    started = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="pbmserv-browser-"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"])
        print(f"Chromium {browser.version}, without JavaScript where it plays", flush=True)
        stage = Stage(folder, given, browser)
        try:
            run(stage)
        finally:
            stage.house.stop()
            browser.close()
            if given.keep:
                print(f"kept: {folder}")
            else:
                shutil.rmtree(folder, ignore_errors=True)
    seconds = time.monotonic() - started
    print(f"\nbrowser: {stage.checks.passed} passed, {stage.checks.failed} failed, in {seconds:.0f} seconds")
    return 1 if stage.checks.failed else 0


def run(stage):
    """All steps; one that fails does not keep the others from being tried."""
    stage.house.start()
    for person in stage.people:
        person.sign_up()
    for title, step in STEPS:
        if stage.given.only and stage.given.only not in title and step is not games:
            continue
        started = time.monotonic()
        print(f"\n{title}", flush=True)
        try:
            step(stage)
        except (Failed, RuntimeError, Error, OSError, KeyError) as error:
            stage.checks.check(f"{title}: the step is complete", False, f"{type(error).__name__}: {error}")
        print(f"  {time.monotonic() - started:.1f} seconds", flush=True)
    stage.checks.equal("\n  the server stops cleanly", stage.house.stop(), 0)
    log = stage.house.log.read_text()
    stage.checks.check("  its log has no error and no link of a player", " ERROR " not in log and not re.search("/k/[kbl]", log), log[-3000:])


if __name__ == "__main__":
    sys.exit(main())
