#!/usr/bin/env python3
"""Matches of backgammon in files (.mat): GNU Backgammon reads those that we write, and writes them as the same matches; we read
those that it plays against itself, in which games are doubled, dropped and given up.

    apt-get install gnubg
    cargo build --release -p pbmserv-games --example mats
    python3 tests/lockstep/gnubg_mat.py target/release/examples/mats [--written N] [--played N] [--seed N]

Exits with 77 if it is not installed, with 1 if anything differs.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile

START = """set display off
set confirm new off
set confirm save off
set automatic game {automatic}
set automatic roll {automatic}
set automatic move off
set player 0 {player}
set player 1 {player}
"""

VARIATIONS = ["standard", "standard", "nackgammon", "3-hypergammon"]


def run(gnubg, commands):
    subprocess.run([gnubg, "-t", "-q", "-r"], input=commands, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True,
                   check=False)


def again(gnubg, ours, theirs):
    """Has each file of one folder read, and written to the other."""
    commands = START.format(automatic="off", player="human")
    for name in sorted(os.listdir(ours)):
        commands += f"import mat {ours}/{name}\nexport match mat {theirs}/{name}\n"
    run(gnubg, commands)


def play(gnubg, folder, count, rng):
    """Has matches played that it may give up, each to its end."""
    commands = START.format(automatic="on", player="gnubg")
    for player in [0, 1]:
        for kind in ["chequerplay", "cubedecision"]:
            commands += f"set player {player} {kind} evaluation plies 0\n"
    for number in range(count):
        commands += f"set seed {rng.randrange(1 << 30)}\nset variation {rng.choice(VARIATIONS)}\n"
        commands += f"new match {rng.choice([3, 5, 7])}\nexport match mat {folder}/{number:03}.mat\n"
    run(gnubg, commands)


def report(program, *words):
    """Prints what our program says, and whether it is content."""
    said = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    print(said.stdout, end="")
    return said.returncode == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--written", type=int, default=60)
    parser.add_argument("--played", type=int, default=15)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    gnubg = shutil.which("gnubg") or shutil.which("/usr/games/gnubg")
    if not gnubg:
        print("GNU Backgammon is not installed: apt-get install gnubg")
        sys.exit(77)
    rng = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as root:
        ours, theirs, played, replayed = folders = [os.path.join(root, name) for name in ["ours", "theirs", "played", "replayed"]]
        for folder in folders:
            os.mkdir(folder)
        print("Ours, as GNU Backgammon reads and writes them:", flush=True)
        is_same = report(given.program, "write", str(given.seed), str(given.written), ours)
        again(gnubg, ours, theirs)
        is_same &= report(given.program, "compare", ours, theirs)
        print("Those that it plays:", flush=True)
        play(gnubg, played, given.played, rng)
        is_same &= len(os.listdir(played)) == given.played
        is_same &= report(given.program, "rewrite", played, replayed)
        is_same &= report(given.program, "compare", played, replayed)
        for name in os.listdir(replayed):
            os.remove(os.path.join(replayed, name))
        again(gnubg, played, replayed)
        is_same &= report(given.program, "compare", played, replayed)
    sys.exit(0 if is_same else 1)


main()
