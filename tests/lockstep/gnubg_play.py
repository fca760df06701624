#!/usr/bin/env python3
"""How well the players of backgammon play, judged by GNU Backgammon: what the plays of each level give away in positions of
games, by its estimate two plies deep, and matches of hard against it without a look ahead.

    apt-get install gnubg
    cargo build --release -p pbmserv-games --example gnubg
    python3 tests/lockstep/gnubg_play.py target/release/examples/gnubg [--positions N] [--matches N] [--points N] [--seed N]

Exits with 77 if it is not installed.
"""

import argparse
import shutil
import socket
import subprocess
import sys
import time

COMMANDS = """set evaluation chequerplay evaluation plies 0
set evaluation cubedecision evaluation plies 0
external localhost:{port}
"""


def free_port():
    with socket.socket() as end:
        end.bind(("localhost", 0))
        return end.getsockname()[1]


def judged(gnubg, program, *words):
    """Runs our program with GNU Backgammon on a port, which answers one connection."""
    port = str(free_port())
    theirs = subprocess.Popen([gnubg, "-t", "-q", "-r"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, text=True)
    try:
        theirs.stdin.write(COMMANDS.format(port=port))
        theirs.stdin.flush()
        for _ in range(60):
            time.sleep(0.5)
            ours = subprocess.run([program, words[0], port, *words[1:]], stderr=subprocess.PIPE, text=True)
            if "refused" not in ours.stderr:
                sys.stderr.write(ours.stderr)
                return ours.returncode
        sys.exit("GNU Backgammon does not listen")
    finally:
        theirs.kill()
        theirs.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--positions", default="200")
    parser.add_argument("--matches", default="20")
    parser.add_argument("--points", default="5")
    parser.add_argument("--seed", default="1")
    given = parser.parse_args()
    gnubg = shutil.which("gnubg") or shutil.which("/usr/games/gnubg")
    if not gnubg:
        print("GNU Backgammon is not installed: apt-get install gnubg")
        sys.exit(77)
    failed = judged(gnubg, given.program, "errors", given.seed, given.positions)
    sys.exit(failed or judged(gnubg, given.program, "matches", "hard", given.seed, given.matches, given.points))


main()
