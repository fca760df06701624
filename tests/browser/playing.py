"""Whole games: one player clicks, without JavaScript, the other writes mails."""

import random
import re
import time
from pathlib import Path
from urllib.parse import parse_qs, quote_plus

PLAYTHROUGHS = Path(__file__).resolve().parents[2] / "crates/games/tests/playthroughs"
# The dice of a board are its own, so that a game with dice is not played again turn by turn.
WITH_DICE = ["backgammon", "nackgammon", "hypergammon"]
WHOLE = sorted(file.stem for file in PLAYTHROUGHS.glob("*.txt") if "-" not in file.stem and file.stem not in WITH_DICE)
# Their turns do not begin with the point that is clicked first, so they are typed into the page.
ALGEBRAIC = ["Chess", "KingOfTheHill", "LosAlamos", "RacingKings", "ThreeCheck"]
# The first player clicks in every second game, the second one in the others.
FIRST_CLICKS = set(WHOLE[::2])
# The shortest whole games.
SHORT = ["forms", "ringworm"]
TURN = re.compile(r"^Turn \d+: of .* turns? (\S+) plays (\S+)$", re.MULTILINE)


class Game:
    """A game that was played, turn by turn, from its playthrough."""

    def __init__(self, name):
        text = (PLAYTHROUGHS / f"{name}.txt").read_text()
        self.name, _, self.options = text.split("\n", 1)[0].partition(" ")
        turns = TURN.findall(text)
        if self.name == "Ringworm":
            # This one was given up: here both pass instead.
            sides = [side for side, _ in turns]
            after = next(side for side in sides if side != sides[-1])
            turns += [(after, "pass"), (sides[-1], "pass")]
        first = turns[0][0]
        # Whether the first player plays it, and what.
        self.turns = [(side == first, text) for side, text in turns]


class Clicker:
    """A player with a browser and no JavaScript."""

    def __init__(self, house, page, home):
        self.house = house
        self.page = page
        self.home = home

    def open(self, place=""):
        """Opens one of the player's own pages."""
        answer = self.page.goto(self.home + place)
        if answer.status != 200:
            raise RuntimeError(f"{place}: {answer.status}")

    def text(self):
        """What stands on the page."""
        return self.page.locator("body").inner_text()

    def far(self):
        """The turn so far, empty at its beginning."""
        shown = self.page.locator("section > p.far")
        return shown.inner_text().removesuffix("?").strip() if shown.count() else ""

    def is_whole(self):
        """Whether the page has a button that plays the turn."""
        return self.page.locator("button[value=play]").count() == 1

    def steps(self):
        """What the page offers next: the value of `turn` in each link."""
        links = re.findall(r'href="\?turn=([^"]*)"', self.page.content())
        return [parse_qs(f"turn={link}".replace("&amp;", "&"))["turn"][0] for link in links if link]

    def choose(self, game, number, turn, press=None):
        """Chooses a turn, a point at a time; `press` follows a link in another way than by a click."""
        self.open(f"board/{game}/{number}/turn")
        if game in ALGEBRAIC:
            self.page.locator("#t").fill(turn)
            with self.page.expect_navigation():
                self.page.get_by_role("button", name="Preview").click()
        for _ in range(100):
            far = self.far()
            if self.is_whole() and far == turn:
                return
            try:
                step = next_step(self.steps(), far, turn)
            except RuntimeError as error:
                raise RuntimeError(f"{error}\n{self.text()}") from error
            (press or self.click)(step)
        raise RuntimeError(f"{turn} is not complete after 100 steps")

    def choose_any(self, rng):
        """Chooses a turn by clicks at random; the turn."""
        for _ in range(100):
            if self.is_whole():
                return self.far()
            # One link leads back.
            self.click(rng.choice([step for step in self.steps() if len(step) > len(self.far())]))
        raise RuntimeError(f"no turn is complete after 100 steps: {self.text()}")

    def click(self, step):
        """Clicks the point of the board, or the word beside it."""
        href = f'[href="?turn={quote_plus(step, safe="*-._")}"]'
        on_board = self.page.locator(f"svg a.go{href}")
        link = on_board if on_board.count() else self.page.locator(f".next a{href}")
        if not link.first.is_visible():
            self.page.locator("details", has=link).locator("summary").click()
        # A click alone does not wait for the next page on a busy machine.
        with self.page.expect_navigation():
            link.first.click()

    def play(self, words=""):
        """Presses the button."""
        if words:
            self.page.locator("#w").fill(words)
        with self.page.expect_navigation():
            self.page.locator("button[value=play]").click()


def next_step(steps, far, turn):
    """The step on the way to a turn: as text `e1` begins `e11-c9`, so the longest one is right."""
    def word(text):
        return re.sub(r"[^0-9A-Za-z]+$", "", text)

    fit = [step for step in steps if turn.startswith(word(step)) and len(word(step)) > len(word(far))]
    if not fit:
        raise RuntimeError(f"no link leads from {far!r} to {turn}: {steps}")
    return max(fit, key=len)


def begin(house, first, second, game):
    """Has a game begun by mail; the number of its board."""
    before = numbers(house, game.name)
    first.command(f"{game.name} challenge {first.userid} {second.userid} {game.options}".strip())
    new = numbers(house, game.name) - before
    if len(new) != 1:
        raise RuntimeError(f"{game.name}: no board has begun: {first.letters()[-1].text}")
    return new.pop()


def numbers(house, game):
    """The numbers of the boards of a game."""
    return {number for number, in house.look("SELECT number FROM boards WHERE game = ? COLLATE NOCASE", game)}


def whole_game(house, people, game, checks, page):
    """A game from its challenge to its end."""
    clicks_first = game.name in FIRST_CLICKS
    number = begin(house, *people, game)
    clicking, writing = people if clicks_first else reversed(people)
    clicker = Clicker(house, page, clicking.home())
    refused = 0
    for is_first, turn in game.turns:
        if is_first == clicks_first:
            clicker.choose(game.name, number, turn)
            clicker.play()
            refused += "Not played" in clicker.text()
        else:
            writing.command(f"{game.name} move {number} {{me}} {turn}")
    played = house.turns(game.name, number)
    own = sum(1 for is_first, _ in game.turns if is_first == clicks_first)
    checks.equal(f"{game.name}: {own} turns by clicks, {len(game.turns) - own} by mail", refused, 0)
    wanted = ",".join(turn for _, turn in game.turns)
    checks.equal("  they are what was played", ",".join(played), wanted)
    clicker.open(f"board/{game.name}/{number}/turn")
    checks.holds("  and the page says that it is over", clicker.text(), "The game is over")
    house.settle()
    last = writing.letter(f"{game.name} Board {number}")
    checks.check("  as the last letter does", re.search("won|draw", last.text), last.text[:500])
    return number


def against_computer(house, person, game, computer, checks, page):
    """A game with dice by clicks against a computer, from its challenge to the check of its dice."""
    before = numbers(house, game)
    person.command(f"{game} challenge {person.userid} {computer}")
    number, = numbers(house, game) - before
    clicker, rng, clicked = Clicker(house, page, person.home()), random.Random(7), 0
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline:
        clicker.open(f"board/{game}/{number}/turn")
        text = clicker.text()
        if "The game is over" in text:
            break
        if "Your turn" not in text:
            time.sleep(0.2)
            continue
        turn = clicker.choose_any(rng)
        clicker.play()
        clicked += 1
        if "Nothing was" in clicker.text():
            raise RuntimeError(f"{turn}: {clicker.text()}")
    turns = house.turns(game, number)
    checks.check(f"{game} against {computer}: {clicked} of {len(turns)} turns by clicks", clicked > 5 and "The game is over" in text, text[:500])
    clicker.page.goto(f"{house.url}board/{game}/{number}")
    checks.holds("  its page says that the dice are fair", clicker.text(), "The dice are fair: all ")
    record = clicker.page.request.get(f"{house.url}board/{game}/{number}/record.txt").text()
    for sent, heading in [(record, "The dice are fair."), (record.replace('[Words "', '[Words "x'), "These dice could not be checked.")]:
        clicker.page.goto(f"{house.url}dice")
        clicker.page.locator("#record").fill(sent)
        clicker.page.locator("button.main").click()
        checks.equal("  and so does the page for records" if sent is record else "  which finds another word", clicker.page.locator("h1").inner_text(), heading)
