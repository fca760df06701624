#!/usr/bin/env python3
"""Checks the dice of a finished game by its record, as docs/dice.md describes: verify.py FILE"""
import hashlib, hmac, re, sys

text = open(sys.argv[1], encoding="utf-8").read()
tags = dict(re.findall(r'^\[(\w+) "(.*)"\]\s*$', text, re.M))
turns = re.sub(r"^\[.*\]\s*$|;.*$|\{[^}]*\}|\d+\.(?=\s)", "", text, flags=re.M).split()
for name in ("Game", "Board", "Words", "Commitment", "Seed"):
    if name not in tags:
        sys.exit(f"The tag {name} is missing: only the record of a finished game has it.")
seed = bytes.fromhex(tags["Seed"])
if hashlib.sha256(seed).hexdigest() != tags["Commitment"]:
    sys.exit("The secret is not the one that was announced.")
first, second = tags["Words"].split(" ")
checkers = 3 if tags["Game"] == "Hypergammon" else 15


def stream(number):
    block = 0
    while True:
        lines = f"{tags['Game']} {tags['Board']}\n{first}\n{second}\n{number}\n{block}"
        yield from (byte % 6 + 1 for byte in hmac.digest(seed, lines.encode(), "sha256") if byte < 252)
        block += 1


def roll(number, opening):
    dice = stream(number)
    pair = [next(dice), next(dice)]
    while opening and pair[0] == pair[1]:
        pair = [next(dice), next(dice)]
    return pair


number, opening, mover, off, again = 0, True, 0, [0, 0], False
for place, turn in enumerate(turns[2:], 3):  # The first two turns are both players' "roll".
    if turn in ("roll", "double", "take", "refuse") or turn.startswith("concede"):
        continue
    if turn in ("drop", "accept"):
        opening, off, again = True, [0, 0], False
        continue
    dice, play = turn.split(":", 1)
    written = [int(die) for die in dice]
    number += not again
    right = roll(number, opening)
    if written != right and (opening or written != right[::-1]):
        sys.exit(f"Turn {place} has the dice {dice}, but roll {number} was {right[0]}{right[1]}.")
    if opening:
        mover, opening = (0 if written[0] > written[1] else 1), False
    again = play.startswith("concede")
    if again:
        continue
    for way in play.split(","):
        times = re.search(r"\((\d)\)", way)
        off[mover] += (int(times[1]) if times else 1) * ("/off" in way)
    if off[mover] == checkers:
        opening, off = True, [0, 0]
    mover = 1 - mover
print(f"The dice are fair: {number} rolls, all as the announced secret, the words and the board give them.")
