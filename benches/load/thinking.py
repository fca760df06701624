"""`make thinking`: how long a turn by mail takes while computers think about eight boards, compared with none.

Needs the programs that `make thinking` builds, and nothing else at work on the machine. Three daemons with the same boards take
turns. In the data of one, eight players have boards against bot-hard besides, on which it is to move. The answers of the computers
are turns themselves: another daemon has as many turns of players more a second, over a connection of their own, and no thinking.
As many boards are thought about at a time as --threads says: one, as the daemon does unless it is configured otherwise. With as
many threads as processors no processor is free for the rest at once, and the p99 is several times as long.
"""

import argparse
import os
import shutil
import smtplib
import statistics
import subprocess
import tempfile
import threading
from pathlib import Path

from pages import CONFIGURATION, PLAYERS, ROOT, House, mails, percentile

THINKERS = 8
GAMES = ["Pow2", "Forms", "ShapeChess", "Amazons", "Hex", "LOA"]
WAITING = "SELECT COUNT(*) FROM boards WHERE to_move = 0 AND first_player < 0"
ANSWERS = "SELECT COUNT(*) FROM turns JOIN boards ON boards.id = board WHERE seat = 0 AND first_player < 0"


class ThinkingHouse(House):
    """Thinks about eight boards."""

    def challenge(self, boards):
        with smtplib.SMTP("127.0.0.1", self.smtp) as session:
            for board in range(boards):
                player = board % THINKERS
                self.send(session, player, f"{GAMES[board // THINKERS % len(GAMES)]} challenge bot-hard player{player}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--boards", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--mails", type=int, default=50, help="a second")
    parser.add_argument("--folder", default="/var/tmp", help="on the disk that is to be measured")
    parser.add_argument("--program", type=Path, default=ROOT / "target/release/pbmserv")
    parser.add_argument("--client", type=Path, default=ROOT / "target/release/examples/load")
    options = parser.parse_args()
    if os.nice(0) > 0:
        print("This runs at a low priority, which the daemon has too: its thinking then takes as much as its other work.")
    folder = Path(tempfile.mkdtemp(prefix="pbmserv-thinking-", dir=options.folder))
    ThinkingHouse.configuration = CONFIGURATION + f"\n[bots]\nthreads = {options.threads}\n"
    houses = {name: of(folder / name, options.program) for name, of in (("none", House), ("eight", ThinkingHouse), ("turns", House))}
    # Some four thoughts a second on each core; more boards than that wait to the end.
    challenges = THINKERS * max(2, round(options.rounds * options.seconds * os.cpu_count()))
    try:
        waiting = {}
        for name, house in houses.items():
            house.data.mkdir(mode=0o700, parents=True)
            subprocess.run([options.client, "fill", house.data, str(PLAYERS), str(options.boards)], check=True)
            waiting[name] = iter(house.ask(
                "SELECT number, substr(userid, 7) FROM boards JOIN players ON players.id = first_player "
                "WHERE game = 'Pow2' AND turns = 2 ORDER BY boards.id"))
        print(f"{os.cpu_count()} processors, load average {os.getloadavg()[0]:.1f}; {options.boards} boards; rounds of "
              f"{options.seconds:g} s with {options.mails} turns a second", flush=True)
        more = iter([next(waiting["turns"]) for _ in range(options.boards // 4)])
        found = {name: [] for name in houses}
        for round_number in range(options.rounds):
            for name, house in houses.items():
                house.start()
                if name == "eight" and round_number == 0:
                    house.challenge(challenges)
                thought = house.ask(ANSWERS)[0][0]
                times = []
                others = threading.Thread(target=mails, args=(house, more, rate, options.seconds, [])) if name == "turns" else None
                if others:
                    others.start()
                mails(house, waiting[name], options.mails, options.seconds, times)
                if others:
                    others.join()
                thought = house.ask(ANSWERS)[0][0] - thought
                if name == "eight":
                    rate = thought / options.seconds
                left = house.ask(WAITING)[0][0]
                house.stop()
                if name == "eight" and left < THINKERS:
                    raise SystemExit("the computers ran out of boards: these figures say nothing")
                found[name].append((statistics.median(times), percentile(times, 99)))
                median, p99 = found[name][-1]
                print(f"round {round_number + 1}, {name} being thought about: median {median:.2f} ms, p99 {p99:.2f} ms of "
                      f"{len(times)} turns; {thought} thoughts meanwhile; load average {os.getloadavg()[0]:.1f}", flush=True)
        for at, what in enumerate(("median", "p99")):
            none, eight, turns = (statistics.median(each[at] for each in found[name]) for name in houses)
            bound = " (at most 1.10)" if what == "p99" else ""
            print(f"{what}: {none:.2f} ms with none, {turns:.2f} ms with as many turns more, {eight:.2f} ms with eight: {eight / none:.2f} "
                  f"times none, {eight / turns:.2f} times turns{bound}")
    finally:
        for house in houses.values():
            if house.process is not None and house.process.poll() is None:
                house.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
