"""An MTA, a pbmserv and two players, and the checks that all ways share."""

import random
import socket
import sqlite3

from checks import await_true

# An account that every system has, in the place of the pages' own.
ACCOUNT = "nobody"


def free_ports(count):
    """Ports that nobody listens on now.

    None of those that the kernel gives to outgoing connections (from 32768 on): one of these can be taken before it is used.
    """
    ports = []
    for port in random.sample(range(20000, 32000), 1000):
        with socket.socket() as one:
            try:
                one.bind(("", port))
            except OSError:
                continue
        ports.append(port)
        if len(ports) == count:
            break
    return ports


class Scene:
    """One way of handing mail over, from start to end."""

    def __init__(self, title, checks, postfix, server, players):
        self.title = title
        self.checks = checks
        self.postfix = postfix
        self.server = server
        self.alice, self.bob = players
        self.players = players

    def settle(self):
        """Waits until no mail is under way, in neither direction."""
        def problem():
            return f"all mail is delivered\n{self.postfix.waiting()}{self.postfix.tail()}"

        def is_settled():
            return self.postfix.is_idle() and not self.server.unsent() and self.postfix.is_idle()

        await_true(problem, is_settled, 30)

    def no_more_mail(self, what):
        """Checks that, once all is delivered, nobody has a mail that was not read."""
        self.settle()
        unread = [path.read_text() for player in self.players for path in player.new_files()]
        self.checks.check(what, not unread, "\n".join(unread))

    def both_read(self):
        """The next mail of each."""
        return self.alice.read(), self.bob.read()

    def rows(self, query):
        """The contents of the database, read without pbmserv."""
        database = sqlite3.connect(f"file:{self.server.data}/pbmserv.sqlite?mode=ro", uri=True, timeout=10)
        try:
            return database.execute(query).fetchall()
        finally:
            database.close()

    def turns(self):
        """The turns of board 101, as they are stored."""
        return [turn for (turn,) in self.rows("SELECT turn FROM turns ORDER BY ordinal")]
