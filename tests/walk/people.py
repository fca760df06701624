"""The players have accounts on the same machine, and read and write their mail there."""

import json
from email.message import EmailMessage
from email.utils import formatdate

from player import Player

HOST = "vps.example.org"
CONFIG = "/etc/pbmserv.toml"
DATA = "/var/lib/pbmserv"


class Person(Player):
    """A player who writes with `sendmail` and reads the Maildir at home."""

    def __init__(self, userid, password, postfix):
        super().__init__(userid, password, postfix, with_swaks=False)
        self.address = f"{userid}@{HOST}"
        self.mailbox = postfix.debian.file(f"/home/{userid}/Maildir/new")
        self.send = self.by_sendmail

    def by_sendmail(self, sender, to, subject, body, fields):
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"], mail["Date"] = self.address, ", ".join(to), subject, formatdate()
        for name, value in fields.items():
            mail[name] = value
        mail.set_content(body)
        self.postfix.debian.run(
            "/usr/sbin/sendmail", "-i", "-f", sender, "--", *to, account=self.userid, text=mail.as_string(),
        )


class OwnPostfix:
    """The Postfix of that machine."""

    port = 25

    def __init__(self, debian):
        self.debian = debian
        self.mailboxes = debian.file("/home")

    def waiting(self):
        return [json.loads(line) for line in self.debian.run("postqueue", "-j").splitlines()]

    def is_idle(self):
        queue = self.debian.file("/var/spool/postfix")
        folders = (queue / name for name in ("maildrop", "incoming", "active", "deferred"))
        return not any(path.is_file() for folder in folders for path in folder.rglob("*"))

    def flush(self):
        self.debian.run("postqueue", "-f")

    def tail(self):
        return "\n" + self.debian.run("journalctl", "--no-pager", "--lines=40", "--output=cat", may_fail=True)


class OwnServer:
    """The pbmserv of that machine, as its operator sees it."""

    def __init__(self, debian):
        self.debian = debian
        self.data = debian.file(DATA)

    def verb(self, *words):
        """As deploy/README.md has the operator type it; `runuser` is what `sudo -u` is."""
        return self.debian.run("pbmserv", "--config", CONFIG, *words, account="pbmserv")

    def unsent(self):
        return json.loads(self.verb("queue", "list", "--state", "waiting", "--json"))

    def state(self):
        """What systemd says of the service."""
        output = self.debian.run("systemctl", "show", "pbmserv", "--property=ActiveState,SubState,MainPID,NRestarts,UnitFileState")
        return dict(line.split("=", 1) for line in output.splitlines())
