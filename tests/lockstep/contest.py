#!/usr/bin/env python3
"""Computer players of pbmserv against OpenSpiel's MCTSBot (its C++, by pyspiel; UCT with random games, constant 2) at equal
processor time, each on one core and one after the other.

    pip install open_spiel
    cargo build --release -p pbmserv-games --example player
    python3 tests/lockstep/contest.py target/release/examples/player [--games N] [--level LEVEL] [NAME ...]

The bot may run as many simulations as take it the time that our player took for the turn before, by its own speed so far. Games
come in pairs with the same four random turns at the beginning and other colours. The end is where our rules have it; in LOA
also where OpenSpiel draws a game whose board occurs for the second time. Exits with 77 if OpenSpiel is not installed.
"""

import argparse
import subprocess
import sys
import time

try:
    import pyspiel
except ImportError:
    print("OpenSpiel is not installed: pip install open_spiel")
    sys.exit(77)

from run import amazon, as_it_is, breakthrough, line_of_action

RANDOM_TURNS = 4

GAMES = [
    ("Breakthrough", "", "breakthrough", breakthrough(8)),
    ("Reversi", "", "othello", as_it_is),
    ("LOA", "", "lines_of_action", line_of_action),
    ("Amazons", "", "amazons", None),
    ("Hex", "-noswap -size=7", "hex(board_size=7)", as_it_is),
]


class Ours:
    """Our player, in its own process."""

    def __init__(self, program, name, level, options):
        words = [program, name, level, *options.split()]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        assert answer, line
        return answer

    def close(self):
        self.process.stdin.close()
        assert self.process.wait() == 0


class Theirs:
    """OpenSpiel's position and bot."""

    def __init__(self, game, translate):
        self.game, self.translate = game, translate
        # Simulations a second, until one is measured.
        self.speed, self.used = 1000.0, 0.0

    def new(self):
        self.state = self.game.new_initial_state()

    def parts(self, turn):
        return [turn] if self.translate else turn.replace("/", "-").split("-")

    def named(self, action):
        text = self.state.action_to_string(action)
        return self.translate(text) if self.translate else amazon(text)

    def play(self, turn):
        for part in self.parts(turn):
            self.state.apply_action(next(at for at in self.state.legal_actions() if self.named(at) == part))

    def choose(self, seconds, seed):
        """A turn that takes this time; it is played."""
        steps = 1 if self.translate else 3
        names = []
        for step in range(steps):
            simulations = max(2, round(self.speed * seconds / steps))
            evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
            bot = pyspiel.MCTSBot(self.game, evaluator, 2.0, simulations, 500, True, seed + step, False)
            begun = time.process_time()
            action = bot.step(self.state)
            took = time.process_time() - begun
            self.used += took
            if took > 0.001:
                self.speed += (simulations / took - self.speed) / 4
            names.append(self.named(action))
            self.state.apply_action(action)
        if self.translate:
            return names[0]
        return f"{names[0]}-{names[1]}/{names[2]}"


def play(ours, theirs, is_first, opening, seed):
    """A game. Returns the result for us: 1, 0.5 or 0; and our seconds."""
    ours.ask("new")
    theirs.new()
    used, last, turns = 0.0, 0.1, 0
    while True:
        is_ours = (turns % 2 == 0) == is_first
        if turns < RANDOM_TURNS:
            turn = ours.ask(f"any {opening * RANDOM_TURNS + turns}")
            theirs.play(turn)
        elif is_ours:
            (turn, micros) = ours.ask(f"choose {seed + turns}").split()
            last = int(micros) / 1e6
            used += last
            theirs.play(turn)
        else:
            turn = theirs.choose(last, seed + turns)
        turns += 1
        result = ours.ask(turn)
        if result == "on" and theirs.state.is_terminal():
            returns = theirs.state.returns()[0]
            result = {1: "first", -1: "second", 0: "drawn"}[int(returns)]
        if result != "on":
            won = "first" if is_first else "second"
            return {won: 1.0, "drawn": 0.5}.get(result, 0.0), used


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--level", default="hard")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no pair of games after so long, for each game")
    parser.add_argument("names", nargs="*")
    given = parser.parse_intermixed_args()
    for name, options, spiel, translate in GAMES:
        if given.names and name not in given.names:
            continue
        ours = Ours(given.program, name, given.level, options)
        theirs = Theirs(pyspiel.load_game(spiel), translate)
        begun, points, used, played = time.time(), [], 0.0, 0
        while played < given.games and time.time() - begun < given.seconds:
            for is_first in (True, False):
                (point, seconds) = play(ours, theirs, is_first, played // 2, 1000 * played)
                points.append(point)
                used += seconds
                played += 1
        ours.close()
        wins, draws = points.count(1.0), points.count(0.5)
        print(
            f"{name} {options}".ljust(22),
            f"{given.level}: {wins} won, {draws} drawn, {played - wins - draws} lost of {played}",
            f"({100 * sum(points) / played:.0f} %); {used:.0f} s and {theirs.used:.0f} s,",
            f"{theirs.speed:.0f} simulations a second",
            flush=True,
        )


if __name__ == "__main__":
    main()
