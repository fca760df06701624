#!/usr/bin/env python3
"""Random games of pbmserv, played again in OpenSpiel, those of chess in python-chess: in each position the legal turns must be the same, and each game must
end at the same turn with the same result.

    pip install open_spiel chess
    cargo build --release -p pbmserv-games --example games
    python3 tests/lockstep/run.py target/release/examples/games [--games N] [NAME ...]

Exits with 77 if these are not installed. Differences that are meant:

- Breakthrough: OpenSpiel's first side begins at the top, so rows are counted from there.
- LOA: OpenSpiel's game is drawn when a board occurs for the second time, ours for the third; if a capture connects both
  sides, it lets the player win who moved; and who cannot move loses there. From such a turn on nothing is compared.
- Go: OpenSpiel forbids only the board before the last; another one that was there may come back, and ends the game as a draw.
  Ours forbids each, so such turns are left out.
- Hex, Y, Havannah, Bridges and Gomoku are played with -noswap. Gomoku's -exact has no counterpart.
- Bridges: OpenSpiel's game goes on until somebody wins or the board is full; ours is drawn when neither can win.
- Amazons: a turn is three actions there. In each position the amazons, the cells for the one that moves and the cells for
  its arrow are compared, and in some positions all turns.
"""

import argparse
import collections
import random
import subprocess
import sys
import time

try:
    import chess
    import chess.variant
    import pyspiel
except ImportError:
    print("OpenSpiel or python-chess is not installed: pip install open_spiel chess")
    sys.exit(77)


class Names:
    """The names of actions in our notation. Several actions may have one name, but only one of them is legal at a time."""

    def __init__(self, translate):
        self.translate = translate
        self.known = {}

    def legal(self, state, _):
        return state.legal_actions()

    def compare(self, state, words, turn, swap=None):
        """Fails unless these words name exactly the legal actions, but for the swap. Returns the action of a turn."""
        legal = [action for action in self.legal(state, words) if action != swap]
        # In one step, since most positions have no new actions.
        names = list(map(self.known.get, legal))
        if None in names:
            for action in legal:
                if action not in self.known:
                    self.known[action] = self.translate(state.action_to_string(action))
            names = list(map(self.known.get, legal))
        assert len(names) == len(words) and set(names) == set(words), (
            f"{sorted(words)}\n{sorted(names)}\n{state}"
        )
        return legal[names.index(turn)]


class NamesOfGo(Names):
    """Leaves out the turns that bring a board back, which OpenSpiel allows and takes for the end of the game, a draw."""

    def legal(self, state, words):
        ours = set(words)

        def is_known(action):
            if self.translate(state.action_to_string(action)) in ours:
                return True
            child = state.child(action)
            return not (child.is_terminal() and child.returns() == [0.0, 0.0])

        return list(filter(is_known, state.legal_actions()))


def breakthrough(size):
    def translate(text):
        text = text.rstrip("*")
        (a, b, c, d) = (text[0], int(text[1]), text[2], int(text[3]))
        return f"{a}{size + 1 - b}-{c}{size + 1 - d}"

    return translate


def line_of_action(text):
    return text.replace("x", "-").lower()


def as_it_is(text):
    return text.lower()


def crossing(text):
    (row, column) = text.split(",")
    return chr(ord("a") + int(column)) + str(int(row) + 1)


def point(text):
    return text.split()[1].lower()


def peg(text):
    return text[1:].lower()


def amazon(text, size=10):
    (row, column) = text[text.index("(") + 1 : text.index(")")].split(",")
    return chr(ord("a") + int(column) - 1) + str(size + 1 - int(row))


def result(state):
    return {1: "first", -1: "second", 0: "drawn"}[int(state.returns()[0])]


def board(state):
    return str(state).split("Current")[0]


def meant(state, words, boards):
    """The difference of LOA that explains why OpenSpiel's game is over, or goes on, and ours not so."""
    if state.is_terminal():
        if words == ["pass"]:
            return "no move"
        if state.returns()[0] == 0 and boards[-1] in boards[:-1]:
            return "second time"
        if words == ["end", "drawn"]:
            return "both connected"
    return None


def is_without_winner(state):
    """Whether the game is drawn in the end however it goes on: some random turns are tried."""
    while not state.is_terminal():
        state.apply_action(random.choice(state.legal_actions()))
    return state.returns()[0] == 0


def in_spiel(game, names, lines):
    """Plays one game; returns its number of turns and the difference that was met, if it is one that is meant."""
    state = game.new_initial_state()
    is_loa = game.get_type().short_name == "lines_of_action"
    is_twixt = game.get_type().short_name == "twixt"
    swap = None
    # Of the boards only LOA's are needed, to see whether one has occurred before.
    turns, boards = 0, [board(state)] if is_loa else []
    for line in lines:
        words = line.split()
        is_end = words[0] == "end"
        is_same = state.is_terminal() == is_end and (not is_end or words[1] == result(state))
        if not is_same:
            difference = meant(state, words, boards) if is_loa else None
            if is_twixt and words == ["end", "drawn"] and is_without_winner(state.clone()):
                difference = "neither can win"
            assert difference, (words, state)
            while not line.startswith("end"):
                line = next(lines)
            return turns, difference
        if is_end:
            return turns, None
        action = names.compare(state, words, next(lines).strip(), swap)
        state.apply_action(action)
        turns += 1
        # To play on the first peg is to swap.
        first = names.known[action] if turns == 1 and is_twixt else None
        swap = next((at for at in state.legal_actions() if names.translate(state.action_to_string(at)) == first), None)
        if is_loa:
            boards.append(board(state))
    raise EOFError


def in_three(game, lines):
    """The same for Amazons."""
    state = game.new_initial_state()
    turns = 0

    def legal(at):
        return {amazon(at.action_to_string(action)): action for action in at.legal_actions()}

    for line in lines:
        words = line.split()
        if words[0] == "end":
            assert state.is_terminal() and words[1] == result(state), (words, state)
            return turns, None
        (start, to, arrow) = next(lines).strip().replace("/", "-").split("-")
        here = collections.defaultdict(lambda: collections.defaultdict(set))
        for word in words:
            here[word.split("-")[0]][word.split("-")[1].split("/")[0]].add(word.split("/")[1])
        froms = legal(state)
        # OpenSpiel offers also amazons that cannot move, if it is another's.
        assert set(here) <= set(froms), (sorted(here), sorted(froms), state)
        for whole in [random.choice(sorted(here))] if turns % 10 == 0 else []:
            moving = state.child(froms[whole])
            targets = legal(moving)
            assert set(targets) == set(here[whole])
            for target, action in targets.items():
                assert set(legal(moving.child(action))) == here[whole][target]
        state.apply_action(froms[start])
        tos = legal(state)
        assert set(tos) == set(here[start]), (sorted(tos), sorted(here[start]), state)
        state.apply_action(tos[to])
        arrows = legal(state)
        assert set(arrows) == here[start][to], (sorted(arrows), sorted(here[start][to]), state)
        state.apply_action(arrows[arrow])
        turns += 1
    raise EOFError


class Spiel:
    """A game of OpenSpiel, with the translation of its actions."""

    def __init__(self, name, translate):
        self.game = pyspiel.load_game(name)
        is_go = self.game.get_type().short_name == "go"
        self.names = (NamesOfGo if is_go else Names)(translate)

    def play(self, lines):
        return in_spiel(self.game, self.names, lines)


class Three:
    """A game of OpenSpiel with three actions a turn."""

    def __init__(self, name):
        self.game = pyspiel.load_game(name)

    def play(self, lines):
        return in_three(self.game, lines)


def end_of_chess(board):
    """The result by FIDE's rules, with the claims that our server makes; None while the game runs."""
    winner = {True: "first", False: "second"}
    if board.is_checkmate() or board.is_variant_loss():
        return winner[not board.turn]
    if board.is_variant_win():
        return winner[board.turn]
    is_drawn = board.is_variant_draw() or board.is_stalemate() or board.is_insufficient_material()
    if is_drawn or board.halfmove_clock >= 100 or board.is_repetition(3):
        return "drawn"
    return None


class Moves:
    """A game of python-chess."""

    def __init__(self, start):
        self.start = start

    def play(self, lines):
        board = self.start()
        turns = 0
        for line in lines:
            words = line.split()
            end = end_of_chess(board)
            if words[0] == "end" or end:
                assert words == ["end", end], (words, end, board.fen())
                return turns, None
            legal = {board.san(move).rstrip("+#"): move for move in board.legal_moves}
            assert len(words) == len(legal) and set(words) == set(legal), (sorted(words), sorted(legal), board.fen())
            board.push(legal[next(lines).strip()])
            turns += 1
        raise EOFError


# The game and its options here, and how a game is played there. Small boards are quick, and their edges are met more often.
GAMES = [
    ("Breakthrough", "", Spiel("breakthrough", breakthrough(8))),
    ("Breakthrough", "-size=6", Spiel("breakthrough(rows=6,columns=6)", breakthrough(6))),
    ("Reversi", "", Spiel("othello", as_it_is)),
    ("Amazons", "", Three("amazons")),
    ("LOA", "", Spiel("lines_of_action", line_of_action)),
    ("Hex", "-noswap", Spiel("hex", as_it_is)),
    ("Hex", "-noswap -size=5", Spiel("hex(board_size=5)", as_it_is)),
    ("Gomoku", "-noswap", Spiel("gomoku", crossing)),
    ("Gomoku", "-noswap -size=9", Spiel("gomoku(size=9)", crossing)),
    ("Y", "-noswap", Spiel("y(board_size=15)", as_it_is)),
    ("Y", "-noswap -size=5", Spiel("y(board_size=5)", as_it_is)),
    ("Havannah", "-noswap", Spiel("havannah(board_size=8)", as_it_is)),
    ("Havannah", "-noswap -size=4", Spiel("havannah(board_size=4)", as_it_is)),
    ("Bridges", "-noswap -size=12", Spiel("twixt(board_size=12)", peg)),
    ("Bridges", "-noswap -size=8", Spiel("twixt(board_size=8)", peg)),
    ("Go", "-size=9", Spiel("go(board_size=9,komi=7.5,max_game_length=5000)", point)),
    ("Go", "-komi=0.5", Spiel("go(board_size=13,komi=0.5,max_game_length=5000)", point)),
    ("Chess", "", Moves(chess.Board)),
    ("Chess", "-960=0", Moves(lambda: chess.Board.from_chess960_pos(0))),
    ("Chess", "-960=959", Moves(lambda: chess.Board.from_chess960_pos(959))),
    ("KingOfTheHill", "", Moves(chess.variant.KingOfTheHillBoard)),
    ("ThreeCheck", "", Moves(chess.variant.ThreeCheckBoard)),
    ("RacingKings", "", Moves(chess.variant.RacingKingsBoard)),
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("names", nargs="*")
    given = parser.parse_intermixed_args()
    for name, options, other in GAMES:
        if given.names and name not in given.names:
            continue
        # python-chess is slow, and its games are long.
        games = max(given.games // 10, 1) if isinstance(other, Moves) else given.games
        words = [given.program, name, str(given.seed), str(games), *options.split()]
        started = time.time()
        turns, met = 0, collections.Counter()
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            lines = iter(process.stdout)
            for _ in range(games):
                (more, difference) = other.play(lines)
                turns += more
                met[difference] += 1
            assert next(lines, None) is None
        assert process.returncode == 0
        meant = ", ".join(f"{what}: {count}" for what, count in met.items() if what)
        print(
            f"{name} {options}".ljust(26),
            f"{games} games, {turns} positions, all the same in {time.time() - started:.0f} s",
            f"({meant})" if meant else "",
            flush=True,
        )


if __name__ == "__main__":
    main()
