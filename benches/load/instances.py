"""What mails are sent to: a sink, a Postfix that discards, a pbmserv. Each knows `start`, `stop`, `port` and `rest`."""

import os
import signal
import socket
import sqlite3
import subprocess
from pathlib import Path

from checks import await_true
from postfix import Postfix

# Lifts the limits on senders.
UNLIMITED = 4_294_967_295

CONFIGURATION = """\
[server]
address = "pbmserv@games.example"
data = "{data}"

[smtp]
listen = "127.0.0.1:{port}"

[delivery]
transport = "smtp"
url = "smtp://127.0.0.1:{relay}"

[limits]
mails_an_hour = {unlimited}
refusals_a_day = {unlimited}
answers_a_day = {unlimited}
strangers_answers_a_day = {unlimited}
strangers_mails_an_hour = {unlimited}
"""


def greets(port):
    with socket.socket() as session:
        session.settimeout(5)
        try:
            session.connect(("127.0.0.1", port))
            return session.recv(3) == b"220"
        except OSError:
            return False


class Program:
    """A program that runs until it is stopped."""

    def __init__(self, port):
        self.port = port
        self.process = None

    def begin(self, arguments, **options):
        self.process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, **options)
        await_true(f"{arguments[0]} greets", lambda: greets(self.port))

    def stop(self):
        if self.process is not None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(timeout=60)

    def rest(self):
        """Waits until nothing is left to be done."""

    def worked(self):
        """The seconds that all processors have worked for it, which other work on the machine changes little."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Sink(Program):
    """Takes every mail and does nothing: what the machine can carry."""

    def start(self):
        self.begin(["smtp-sink", "-u", "nobody", f"127.0.0.1:{self.port}", "1000"])


class Pbmserv(Program):
    """The daemon on a data folder that is filled."""

    def __init__(self, folder, port, build, relay):
        super().__init__(port)
        self.folder = folder
        self.data = folder / "data"
        self.build = build
        self.relay = relay

    def start(self):
        configuration = self.folder / "pbmserv.toml"
        configuration.write_text(CONFIGURATION.format(
            data=self.data, port=self.port, relay=self.relay, unlimited=UNLIMITED))
        with (self.folder / "log").open("ab") as log:
            self.begin([str(self.build / "pbmserv"), "--config", str(configuration), "serve"], stdout=log, stderr=log)

    def count(self, query):
        database = sqlite3.connect(f"file:{self.data}/pbmserv.sqlite?mode=ro", uri=True, timeout=10)
        try:
            return database.execute(query).fetchone()[0]
        finally:
            database.close()

    def answers(self):
        """The questions that were answered, as the outbox has it."""
        return self.count("SELECT COUNT(*) FROM outbox WHERE is_reply = 1 AND kind = 'board'")

    def turns(self):
        return self.count("SELECT COUNT(*) FROM turns")

    def tail(self):
        return "\n".join((self.folder / "log").read_text().splitlines()[-5:])


class Discarding(Postfix):
    """A Postfix that takes every mail into its queue, as durably as Postfix does, and throws it away from there."""

    def __init__(self, folder, port):
        super().__init__(folder, port, "nobody")

    def start(self):
        self.configure(
            self.private()
            | {
                "mydestination": "",
                "local_recipient_maps": "",
                "default_process_limit": 150,
                "default_transport": "discard:",
            }
        )
        super().start()

    def worked(self):
        """Its processes come and go, and their work is not added up."""
        return 0

    def rest(self):
        """Its queue is empty before the next one runs."""
        await_true("Postfix has discarded all", self.is_idle, 300)
