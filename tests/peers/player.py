"""A player: writes through an MTA, reads a Maildir."""

import email
import email.policy
import smtplib
import subprocess
from email.message import EmailMessage
from email.utils import formatdate

from checks import await_true

SERVER = "pbmserv@games.example.org"


class Letter:
    """A mail as a player reads it."""

    def __init__(self, raw):
        self.raw = raw
        self.mail = email.message_from_bytes(raw, policy=email.policy.default)
        self.subject = str(self.mail["Subject"] or "")
        body = self.mail.get_body(("plain",))
        self.text = body.get_content() if body is not None else ""
        # The first paragraph is one sentence, wrapped.
        self.sentence = " ".join(self.text.strip().split("\n\n")[0].split())

    def field(self, name):
        """A header field on one line, empty if it is not there."""
        return " ".join(str(self.mail[name] or "").split())

    def quoted(self):
        """Its text as a mail program quotes it below an answer."""
        lines = "\n".join("> " + line for line in self.text.splitlines())
        return f"On {self.field('Date')}, {self.field('From')} wrote:\n{lines}\n"


class Player:
    """A player with one address at players.test. All of `letters` are those read so far."""

    def __init__(self, userid, password, postfix, with_swaks):
        self.userid = userid
        self.password = password
        self.address = f"{userid}@players.test"
        self.postfix = postfix
        self.mailbox = postfix.mailboxes / userid / "new"
        self.send = self.by_swaks if with_swaks else self.by_smtplib
        self.letters = []
        self.read_files = set()
        self.sent_ids = []

    def write(self, subject, body="", to=SERVER, sender=None, **fields):
        """Sends a mail, to one address or a list of them; `sender` is the envelope's if it is not the player's own address, `fields` are more
        of its header, with `_` for `-`. Returns its Message-ID."""
        fields = {name.replace("_", "-"): value for name, value in fields.items()}
        number = len(self.sent_ids) + 1
        fields.setdefault("Message-ID", f"<{number}.{id(self)}@{self.userid}.players.test>")
        self.sent_ids.append(fields["Message-ID"])
        recipients = [to] if isinstance(to, str) else to
        self.send(self.address if sender is None else sender, recipients, subject, body, fields)
        return fields["Message-ID"]

    def answer(self, letter, body, to=None, **fields):
        """Answers a mail as mail programs do: to its Reply-To, in its thread, with it quoted below."""
        return self.write(
            letter.subject if letter.subject.startswith("Re: ") else f"Re: {letter.subject}",
            f"{body}\n\n{letter.quoted()}",
            to=to or letter.field("Reply-To") or letter.field("From"),
            In_Reply_To=letter.field("Message-ID"),
            References=f"{letter.field('References')} {letter.field('Message-ID')}".strip(),
            **fields,
        )

    def by_swaks(self, sender, to, subject, body, fields):
        command = [
            "swaks", "--silent", "2", "--server", f"127.0.0.1:{self.postfix.port}", "--timeout", "20s",
            "--helo", "players.test", "--from", sender or "<>", "--to", ",".join(to), "--body", body or "\n",
            "--h-From", self.address, "--h-Subject", subject,
        ]
        for name, value in fields.items():
            # swaks has its own, which it recognises only in this spelling.
            spelt = "Message-Id" if name == "Message-ID" else name
            command += ["--header", f"{spelt}: {value}"]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, check=False
        )
        if done.returncode != 0:
            raise RuntimeError(f"swaks: {done.stdout}{done.stderr}")

    def by_smtplib(self, sender, to, subject, body, fields):
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = self.address, ", ".join(to), subject
        mail["Date"] = formatdate()
        for name, value in fields.items():
            mail[name] = value
        mail.set_content(body)
        with smtplib.SMTP("127.0.0.1", self.postfix.port, "players.test", timeout=20) as session:
            # Its send_message() would write ">From" where a line begins with "From".
            session.sendmail(sender, to, mail.as_bytes(policy=mail.policy.clone(linesep="\r\n")))

    def new_files(self):
        """The mails not read yet, oldest first."""
        files = self.mailbox.iterdir() if self.mailbox.is_dir() else []
        unread = (path for path in files if path.name not in self.read_files)
        return sorted(unread, key=lambda path: path.stat().st_mtime_ns)

    def read(self):
        """The next mail; waits for it."""
        def problem():
            waits = "\n".join(str(mail) for mail in self.postfix.waiting())
            return f"a mail to {self.userid}\n{waits}{self.postfix.tail()}"

        path = await_true(problem, self.new_files)[0]
        self.read_files.add(path.name)
        letter = Letter(path.read_bytes())
        self.letters.append(letter)
        return letter
