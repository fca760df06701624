#!/usr/bin/env python3
"""Two builds of the computer players against one another, for weights that `make tune` has found.

    cargo build --release -p pbmserv-games --example player      # before the change, and keep the program; then after it
    python3 tests/lockstep/builds.py BEFORE AFTER GAME [--level LEVEL] [--games N] [-option ...]

Games come in pairs with the same four random turns at the beginning and other colours. The score is that of AFTER, a draw counts half.
"""

import argparse
import subprocess

RANDOM_TURNS = 4
MOST_TURNS = 400


class Player:
    """A build, in its own process."""

    def __init__(self, program, game, level, options):
        words = [program, game, level, *options]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        assert answer, line
        return answer


def play(players, opening, seed):
    """The result for the first player: 1, a half or 0."""
    for player in players:
        player.ask("new")
    for number in range(MOST_TURNS):
        mover = players[number % 2]
        word = f"any {opening * 1000 + number}" if number < RANDOM_TURNS else f"choose {seed + number}"
        turn = mover.ask(word).split()[0]
        answers = {player.ask(turn) for player in players}
        assert len(answers) == 1, answers
        answer = answers.pop()
        if answer != "on":
            return {"first": 1, "second": 0, "drawn": 0.5}[answer]
    return 0.5


def interval(score, games):
    """Wilson's, of 95 %."""
    z = 1.96
    middle = (score + z * z / (2 * games)) / (1 + z * z / games)
    half = z / (1 + z * z / games) * (score * (1 - score) / games + z * z / (4 * games * games)) ** 0.5
    return middle - half, middle + half


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("game")
    parser.add_argument("--level", default="medium")
    parser.add_argument("--games", type=int, default=200)
    options, more = parser.parse_known_args()
    before, after = (Player(program, options.game, options.level, more) for program in (options.before, options.after))
    points = 0
    for number in range(options.games):
        first = number % 2 == 0
        result = play((after, before) if first else (before, after), number // 2, number * 1000)
        points += result if first else 1 - result
    score = points / options.games
    low, high = interval(score, options.games)
    print(f"{options.game}, {options.level}: {100 * score:.1f} % of {options.games} games (95 %: {100 * low:.0f} to {100 * high:.0f})")


if __name__ == "__main__":
    main()
