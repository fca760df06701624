"""`make pages`: how soon the pages of a large house are there, how many a second, and what mails beside them wait.

Needs the programs that `make pages` builds, and nothing else at work on the machine. The house has boards by the thousand and
each of the games of crates/games/tests/playthroughs, played to its end.
"""

import argparse
import itertools
import json
import os
import re
import shutil
import smtplib
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "peers"))

from checks import await_true  # noqa: E402
from scene import free_ports  # noqa: E402

SERVER = "pbmserv@games.example"
PASSWORD = "secret-of-all"
PLAYERS = 1000
# All boards begin with the same two turns, after which this one is legal.
NEXT_TURN = "m1-i1"

CONFIGURATION = """\
[server]
address = "pbmserv@games.example"
data = "{data}"

[smtp]
listen = "127.0.0.1:{smtp}"

[delivery]
transport = "maildir"

[web]
listen = "127.0.0.1:{web}"
url = "https://games.example/games/"
trusted_proxies = ["127.0.0.1"]

[accounts]
confirm = false

[limits]
mails_an_hour = 4294967295
answers_a_day = 4294967295
strangers_mails_an_hour = 4294967295
challenges_a_day = 4294967295
challenges_for_others_a_day = 4294967295
"""


class House:
    """The daemon on its data."""

    configuration = CONFIGURATION

    def __init__(self, folder, program):
        self.folder, self.program = folder, program
        self.data = folder / "data"
        self.smtp, self.web = free_ports(2)
        self.numbers = itertools.count()
        self.process = None

    def start(self):
        path = self.folder / "pbmserv.toml"
        path.write_text(self.configuration.format(data=self.data, smtp=self.smtp, web=self.web))
        with (self.folder / "log").open("wb") as log:
            self.process = subprocess.Popen([self.program, "--config", path, "serve"], stderr=log, stdout=log)
        await_true("the daemon is ready", lambda: b" ready " in (self.folder / "log").read_bytes(), 120)

    def stop(self):
        if self.process is not None:
            self.process.terminate()
            self.process.wait(timeout=60)

    def ask(self, query):
        database = sqlite3.connect(f"file:{self.data}/pbmserv.sqlite?mode=ro", uri=True, timeout=10)
        try:
            return database.execute(query).fetchall()
        finally:
            database.close()

    def send(self, session, player, subject):
        mail = next(self.numbers)
        sender = f"player{player}@players.example"
        session.sendmail(sender, [SERVER], (
            f"From: {sender}\r\nTo: {SERVER}\r\nSubject: {subject}\r\n"
            f"Message-ID: <{mail}.{os.getpid()}@players.example>\r\n\r\n"))

    def play(self):
        """A whole game of each kind, between the first two players."""
        with smtplib.SMTP("127.0.0.1", self.smtp) as session:
            for path in sorted((ROOT / "crates/games/tests/playthroughs").glob("*.txt")):
                text = path.read_text()
                title = text.splitlines()[0].split()
                self.send(session, 0, " ".join([title[0], "challenge", *title[1:], "player0", "player1"]))
                [[number]] = self.ask("SELECT number FROM boards ORDER BY id DESC LIMIT 1")
                turns = re.findall(r"^Turn .* (\S+) plays (\S+)$", text, re.M)
                for side, turn in turns:
                    # The first player begins, whatever the side is called.
                    player = int(side != turns[0][0])
                    self.send(session, player, f"{title[0]} move {number} player{player} {PASSWORD} {turn}")


def percentile(times, share):
    return sorted(times)[(len(times) - 1) * share // 100]


def mails(house, boards, rate, seconds, took):
    """A turn on each of these boards, so many a second; notes the milliseconds of each."""
    with smtplib.SMTP("127.0.0.1", house.smtp) as session:
        begun = time.monotonic()
        for count, (number, player) in enumerate(boards):
            due = begun + count / rate
            time.sleep(max(0, due - time.monotonic()))
            if time.monotonic() - begun > seconds:
                return
            before = time.monotonic()
            house.send(session, player, f"Pow2 move {number} player{player} {PASSWORD} {NEXT_TURN}")
            took.append((time.monotonic() - before) * 1000)


def pages(client, house, paths, connections, seconds, rate):
    # At the usual priority it would take the processor from the client that measures the mails.
    words = ["nice", "-n", "10", client, "pages", f"127.0.0.1:{house.web}", str(connections), str(seconds), str(rate)]
    done = subprocess.run(words, input="\n".join(paths), check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--boards", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rate", type=int, default=2000, help="pages a second beside mails")
    parser.add_argument("--mails", type=int, default=100, help="a second")
    parser.add_argument("--folder", default="/var/tmp", help="on the disk that is to be measured")
    parser.add_argument("--program", type=Path, default=ROOT / "target/release/pbmserv")
    parser.add_argument("--client", type=Path, default=ROOT / "target/release/examples/load")
    parser.add_argument("--filler", type=Path, help="another build of the client, to make the boards")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="pbmserv-pages-", dir=options.folder))
    house = House(folder, options.program)
    try:
        house.data.mkdir(mode=0o700)
        filler = options.filler or options.client
        subprocess.run([filler, "fill", house.data, str(PLAYERS), str(options.boards)], check=True)
        house.start()
        house.play()
        waiting = iter(house.ask("SELECT number, substr(userid, 7) FROM boards JOIN players ON players.id = first_player "
                                 "WHERE game = 'Pow2' AND turns = 2 ORDER BY boards.id"))
        shown = house.ask("SELECT game, number, turns FROM boards ORDER BY random() LIMIT 5000")
        whole = house.ask("SELECT game, number, turns FROM boards WHERE turns > 2")
        boards = [f"/games/board/{game}/{number}" for game, number, _ in shown]
        long = [f"/games/board/{game}/{number}/{turn}" for game, number, turns in whole for turn in range(0, turns + 1, 7)]
        turns = sum(turns for _, _, turns in whole)
        print(f"{os.cpu_count()} processors, load average {os.getloadavg()[0]:.1f}; {options.boards} boards of two turns, "
              f"{len(whole)} whole games with {turns} turns", flush=True)
        rounds = []
        for _ in range(options.rounds):
            found = {}
            for name, paths in (("a board", boards), ("a position of a whole game", long)):
                took = pages(options.client, house, paths, 1, options.seconds, 0)
                found[name, "median"], found[name, "p99"] = took["median_ms"], took["p99_ms"]
            took = pages(options.client, house, boards + long, 8, options.seconds, 0)
            found["8 at a time", "a second"] = took["pages"] / took["seconds"]
            found["8 at a time", "p99"] = took["p99_ms"]
            for beside in (0, options.rate):
                times = []
                sending = threading.Thread(
                    target=mails, args=(house, waiting, options.mails, options.seconds, times))
                sending.start()
                if beside:
                    took = pages(options.client, house, boards + long, 8, options.seconds, beside)
                    found[f"{beside} a second", "a second"] = took["pages"] / took["seconds"]
                    found[f"{beside} a second", "p99"] = took["p99_ms"]
                sending.join()
                name = f"mails beside {beside} pages a second"
                found[name, "median"], found[name, "p99"] = statistics.median(times), percentile(times, 99)
            rounds.append(found)
            print(f"load average {os.getloadavg()[0]:.1f}", flush=True)
        for what in rounds[0]:
            unit = "" if what[1] == "a second" else " ms"
            print(f"{', '.join(what)}: {statistics.median(found[what] for found in rounds):.2f}{unit}")
    finally:
        house.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
