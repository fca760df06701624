#!/usr/bin/env python3
"""How many random games a second OpenSpiel plays, to compare with `cargo bench --bench games`: by its Python door (pyspiel), which
asks for the legal actions and applies one of them, and inside its C++, by the simulations of an MCTSBot, each of which is a random
game and a step in its tree. Seconds are of the processor.

    python3 tests/lockstep/speed.py [--seconds N]
"""

import argparse
import random
import sys
import time

try:
    import pyspiel
except ImportError:
    print("OpenSpiel is not installed: pip install open_spiel")
    sys.exit(77)

SIMULATIONS = 100

GAMES = ["breakthrough", "othello", "amazons", "lines_of_action", "hex", "gomoku"]


def by_python(game, seconds):
    choose = random.Random(1).choice
    games, begun = 0, time.process_time()
    while time.process_time() - begun < seconds:
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(choose(state.legal_actions()))
        games += 1
    return games / (time.process_time() - begun)


def inside(game, seconds):
    state = game.new_initial_state()
    games, begun = 0, time.process_time()
    while time.process_time() - begun < seconds:
        bot = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, games), 2.0, SIMULATIONS, 500, False, games, False)
        bot.step(state)
        games += SIMULATIONS
    return games / (time.process_time() - begun)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=5)
    given = parser.parse_args()
    for name in GAMES:
        game = pyspiel.load_game(name)
        rates = [by_python(game, given.seconds), inside(game, given.seconds)]
        print(f"{name.ljust(16)} {rates[0]:8.0f} games a second by Python, {rates[1]:8.0f} inside C++", flush=True)


if __name__ == "__main__":
    main()
