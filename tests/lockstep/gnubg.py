#!/usr/bin/env python3
"""Random positions and rolls of backgammon, with the plays that GNU Backgammon finds: they must be the same, and each of its texts
must be read as the play it means. The average rolls of some bear-offs must be those of its table.

    apt-get install gnubg
    cargo build --release -p pbmserv-games --example backgammon
    python3 tests/lockstep/gnubg.py target/release/examples/backgammon [--positions N] [--bearoffs N] [--seed N]

Half of the positions are reached in random games of the three variants, half are scattered. GNU Backgammon runs this file too, to
answer for its plays. Exits with 77 if it is not installed, with 1 if anything differs.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile

TABLE = "/usr/share/gnubg/gnubg_os0.bd"

# The positions in it.
BEAROFFS = 54264

# More than any roll has.
ALL = 10000


def scattered(rng):
    """A position as the program prints it, with checkers at random."""
    while True:
        sides = [[0] * 26, [0] * 26]
        number = rng.choice([3, 6, 15, 15, 15])
        for own, other in [sides, sides[::-1]]:
            top = rng.choice([6, 7, 12, 25, 25])
            if rng.random() < 0.3:
                points = list(range(0, top + 1))
            else:
                points = [rng.randint(0, top) for _ in range(6)]
            free = [point for point in points if point in (0, 25) or not other[25 - point]]
            for _ in range(number):
                own[rng.choice(free or [0])] += 1
        if all(side[0] < number for side in sides):
            dice = [rng.randint(1, 6), rng.randint(1, 6)]
            return " ".join(map(str, sides[0] + sides[1] + dice))


def inside(path):
    """Runs in GNU Backgammon: adds to each position a tab and the plays."""
    import gnubg

    for command in ["set player 0 human", "set player 1 human", "set automatic game off", "set automatic move off",
                    "set automatic bearoff off", "set automatic roll off", "set output mwc off", "set display off",
                    "set evaluation chequerplay evaluation plies 0", "new game", "set turn 1"]:
        gnubg.command(command)
    with open(path, encoding="ascii") as lines, open(path + ".answers", "w", encoding="ascii") as answers:
        for line in lines:
            numbers = list(map(int, line.split()))
            own, other, dice = numbers[:26], numbers[26:52], numbers[52:]
            board = [own[point] - other[25 - point] for point in range(1, 25)]
            gnubg.command("set turn 1")
            gnubg.command("set board simple " + " ".join(map(str, [own[25]] + board + [other[25]])))
            gnubg.command("set dice %d %d" % tuple(dice))
            try:
                hints = gnubg.hint(ALL)["hint"]
            except Exception:
                hints = []
            plays = ";".join(hint["move"] for hint in hints or [])
            answers.write(line.strip() + "\t" + plays + "\n")


def bearoff(dumper, place):
    """The checkers on 1 to 6 of a position of the table, and the rolls it needs on average."""
    dump = subprocess.run([dumper, "-n", str(place), TABLE], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    edge = next(number for number, line in enumerate(dump) if line.startswith(" +13-"))
    home = [0] * 6
    for line in dump[edge + 1:edge + 6]:
        right = line.split("|")[3]
        for column in range(6):
            sign = right[1 + 3 * column]
            if sign == "O":
                home[5 - column] += 1
            elif sign != " ":
                home[5 - column] = int(sign, 16)
    mean = next(line for line in dump if line.startswith("Mean"))
    return home, float(mean.split()[2])


def compare_bearoffs(program, rng, count):
    """How many of these differ by more than the rounding of the table."""
    dumper = shutil.which("bearoffdump") or shutil.which("/usr/games/bearoffdump")
    if not dumper or not os.path.exists(TABLE):
        print("GNU Backgammon has no table of bear-offs here")
        return 0
    known = [bearoff(dumper, rng.randrange(1, BEAROFFS)) for _ in range(count)]
    lines = "".join(" ".join(map(str, home)) + "\n" for home, _ in known)
    made = subprocess.run([program, "bearoff"], input=lines, check=True, stdout=subprocess.PIPE, text=True)
    gaps = [abs(float(mean) - theirs) for mean, (_, theirs) in zip(made.stdout.split(), known)]
    different = sum(gap > 0.001 for gap in gaps)
    print(f"{len(gaps)} bear-offs, the largest gap is {max(gaps):.4f} rolls, {different} different")
    return different


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--positions", type=int, default=10000)
    parser.add_argument("--bearoffs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    gnubg = shutil.which("gnubg") or shutil.which("/usr/games/gnubg")
    if not gnubg:
        print("GNU Backgammon is not installed: apt-get install gnubg")
        sys.exit(77)
    rng = random.Random(given.seed)
    half = given.positions // 2
    made = subprocess.run([given.program, "positions", str(given.seed), str(half)], check=True, stdout=subprocess.PIPE, text=True)
    lines = made.stdout.splitlines() + [scattered(rng) for _ in range(given.positions - half)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "positions")
        with open(path, "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
        command = [gnubg, "-t", "-q", "-r", "-p", os.path.abspath(__file__)]
        subprocess.run(command, env={**os.environ, "PBMSERV_POSITIONS": path}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
        with open(path + ".answers", encoding="ascii") as file:
            answers = file.read()
    compared = subprocess.run([given.program, "compare"], input=answers, check=True, stdout=subprocess.PIPE, text=True)
    print(compared.stdout, end="")
    report = compared.stdout.splitlines()[-1]
    different = compare_bearoffs(given.program, rng, given.bearoffs)
    if different or not report.startswith(f"{given.positions} positions") or not report.endswith(" 0 different"):
        sys.exit(1)


if "PBMSERV_POSITIONS" in os.environ:
    inside(os.environ["PBMSERV_POSITIONS"])
else:
    main()
