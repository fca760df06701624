"""The built program with its pages, and people who have a mailbox there."""

import email
import email.policy
import hashlib
import itertools
import re
import smtplib
import socket
import sqlite3
import subprocess
from email.message import EmailMessage

from checks import await_true

ADDRESS = "pbmserv@games.example.org"
# The pages are below a path, as behind a web server that has other pages too.
CONFIG = """
[server]
address = "{address}"
data = "{data}"
directors = ["dora"]
[smtp]
listen = "127.0.0.1:{mail}"
greeting_seconds = 0
[web]
listen = "127.0.0.1:{pages}"
url = "http://127.0.0.1:{pages}/games/"
# The visitors come from many networks, as they say; the limit of requests of one network stays.
trusted_proxies = ["127.0.0.1"]
[operator]
listen = "127.0.0.1:{operator}"
[limits]
answers_a_day = 100000
challenges_a_day = 1000
"""
LINK = re.compile(r"https?://[^\s<>\"]+")


def free_ports(count):
    """Ports on which nothing listens."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Letter:
    """A mail as a player reads it."""

    def __init__(self, raw):
        mail = email.message_from_bytes(raw, policy=email.policy.default)
        self.mail = mail
        self.subject = str(mail["Subject"] or "")
        bodies = [mail.get_body((kind,)) for kind in ("plain", "html")]
        self.text, self.html = [body.get_content() if body is not None else "" for body in bodies]

    def field(self, name):
        """A header field on one line, empty if it is not there."""
        return " ".join(str(self.mail[name] or "").split())

    def links(self):
        """Every address of a page in it, in its fields, its text and its HTML."""
        fields = " ".join(str(value) for value in self.mail.values())
        return {link.replace("&amp;", "&").rstrip(".,;:)>") for link in LINK.findall(f"{fields} {self.text} {self.html}")}


class House:
    """A server with pages and a door for mail; all of it is in one folder."""

    def __init__(self, folder, binary):
        self.binary = binary
        self.data = folder / "data"
        self.log = folder / "pbmserv.log"
        self.config = folder / "pbmserv.toml"
        self.mail_port, pages, operator = free_ports(3)
        self.config.write_text(CONFIG.format(address=ADDRESS, data=self.data, mail=self.mail_port, pages=pages, operator=operator))
        self.url = f"http://127.0.0.1:{pages}/games/"
        self.operator = f"http://127.0.0.1:{operator}/"
        self.daemon = None
        self.networks = itertools.count(1)

    def start(self):
        """Starts the server and waits until both doors are open."""
        with self.log.open("ab") as log:
            command = [str(self.binary), "--config", str(self.config), "serve"]
            self.daemon = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

        def is_open():
            if self.daemon.poll() is not None:
                raise RuntimeError(f"pbmserv serve has ended:\n{self.log.read_text()}")
            return all(answers(port) for port in (self.mail_port, int(self.url.split(":")[2].split("/")[0])))

        await_true("pbmserv listens", is_open)

    def stop(self):
        """Stops the server; its exit status."""
        if self.daemon is None:
            return None
        daemon, self.daemon = self.daemon, None
        daemon.terminate()
        try:
            return daemon.wait(timeout=30)
        except subprocess.TimeoutExpired:
            daemon.kill()
            return daemon.wait()

    def visitor(self):
        """The address of one more visitor."""
        number = next(self.networks)
        return f"198.18.{number // 250}.{number % 250 + 1}"

    def look(self, sql, *values):
        """Rows of the database."""
        database = sqlite3.connect(f"file:{self.data}/pbmserv.sqlite?mode=ro", uri=True)
        try:
            return database.execute(sql, values).fetchall()
        finally:
            database.close()

    def state(self):
        """All tables, each as a digest of its rows: everything that a request could change."""
        tables = [name for name, in self.look("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        return {name: hashlib.sha256(repr(self.look(f"SELECT * FROM {name}")).encode()).hexdigest() for name in tables}

    def settle(self):
        """Waits until every mail is delivered."""
        await_true("all mail is delivered", lambda: self.look("SELECT count(*) FROM outbox WHERE state = 'waiting'") == [(0,)], 120)

    def turns(self, game, number):
        """The turns of a board, in order."""
        sql = "SELECT turn FROM turns WHERE board = (SELECT id FROM boards WHERE game = ? COLLATE NOCASE AND number = ?) ORDER BY ordinal"
        return [turn for turn, in self.look(sql, game, number)]


def answers(port):
    """Whether something listens there."""
    with socket.socket() as end:
        return end.connect_ex(("127.0.0.1", port)) == 0


class Person:
    """A player with a mailbox."""

    def __init__(self, house, userid, password):
        self.house = house
        self.userid = userid
        self.password = password
        self.address = f"{userid}@players.example"
        # By file: after many games it takes longer to read all of them again than a letter may take to come.
        self.known = {}

    def write(self, subject, body="", to=ADDRESS, **fields):
        """Sends a mail to the server, which has it for good when this returns."""
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = self.address, to, subject
        for name, value in fields.items():
            mail[name.replace("_", "-")] = value
        mail.set_content(body)
        with smtplib.SMTP("127.0.0.1", self.house.mail_port, "players.example", timeout=30) as session:
            session.sendmail(self.address, [to], mail.as_bytes(policy=mail.policy.clone(linesep="\r\n")))

    def command(self, subject, body=""):
        """Sends a command in which `{me}` stands for the userid and the password."""
        self.write(subject.format(me=f"{self.userid} {self.password}"), body)

    def letters(self):
        """All mails in the mailbox, oldest first."""
        files = sorted((self.house.data / "mail" / self.address / "new").glob("*"), key=lambda file: file.stat().st_mtime_ns)
        return [self.known.get(file.name) or self.known.setdefault(file.name, Letter(file.read_bytes())) for file in files]

    def letter(self, subject):
        """The newest letter with these words in its subject; waits for it."""
        def found():
            return [letter for letter in self.letters() if subject in letter.subject]

        return await_true(f"{self.userid} has a letter {subject!r}", found)[-1]

    def sign_up(self):
        """As a newcomer does it: a mail, and an answer to the question."""
        self.command("signup {me}")
        question = self.letter("your address")
        self.write(f"Re: {question.subject}", "confirm", to=question.field("Reply-To"), In_Reply_To=question.field("Message-ID"))
        self.letter("Welcome")

    def home(self):
        """The address of the player's own page, which is mailed when it is asked for."""
        self.command("page {me}")
        links = [link for link in self.letter(f"page {self.userid}").links() if "/k/" in link]
        return re.match(r".*/k/[^/]+/", links[-1]).group()
