"""Players who use a mailbox at the provider: by Python's imaplib, and by mutt."""

import imaplib
import mailbox
import os
import pty
import re
import select
import subprocess
import time

from checks import Failed
from player import Player

MUTTRC = """\
set folder = "imap://127.0.0.1:{imap}/"
set spoolfile = "imap://127.0.0.1:{imap}/INBOX"
set imap_user = "{address}"
set imap_pass = "{password}"
set imap_authenticators = "login"
set ssl_starttls = no
set ssl_force_tls = no
set smtp_url = "smtp://127.0.0.1:{smtp}/"
set smtp_authenticators = ""
set from = "{address}"
set realname = "{userid}"
set use_from = yes
set editor = "{editor}"
set edit_headers = no
set copy = yes
set record = "{sent}"
set postponed = ""
set fast_reply = yes
set include = yes
set quit = yes
set reply_to = yes
set confirmappend = no
set header_cache = ""
set sort = mailbox-order
set move = no
set mark_old = no
set beep = no
set wait_key = no
set abort_unmodified = no
set abort_nosubject = no
"""

# What a person does in the editor: the turn goes above the quotation.
EDITOR = """\
#!/bin/sh
{{ cat {words}; echo; cat "$1"; }} > "$1.new" && mv "$1.new" "$1"
"""


class Stored:
    """A mail in a mailbox at the provider."""

    def __init__(self, name, raw):
        self.name = name
        # As a program shows it, whatever the line ends on the way.
        self.raw = raw.replace(b"\r\n", b"\n")

    def read_bytes(self):
        return self.raw

    def read_text(self):
        return self.raw.decode("utf-8", "replace")


class MailProgram(Player):
    """A player who reads by IMAP."""

    def __init__(self, userid, password, provider):
        super().__init__(userid, password, provider, with_swaks=False)
        self.session = None

    def new_files(self):
        """The mails not read yet, oldest first; none while the provider is away."""
        try:
            if self.session is None:
                self.session = self.postfix.dovecot.session(self.address, self.password)
            self.session.noop()
            found = self.session.uid("SEARCH", "ALL")[1][0] or b""
            fresh = [uid for uid in found.decode().split() if uid not in self.read_files]
            return [Stored(uid, self.fetch(uid)) for uid in fresh]
        except (OSError, imaplib.IMAP4.error, StopIteration):
            self.session = None
            return []

    def fetch(self, uid):
        """A mail; unsolicited responses about others are skipped."""
        response = self.session.uid("FETCH", uid, "(BODY.PEEK[])")[1]
        return next(part[1] for part in response if isinstance(part, tuple))

    def answer_by_mutt(self, folder, words):
        """Has mutt open the mailbox, reply to the last mail, and send; the words come from its editor."""
        folder.mkdir(exist_ok=True)
        files = {name: folder / f"{self.userid}-{name}" for name in ("muttrc", "editor", "words", "screen", "sent")}
        files["words"].write_text(words)
        files["editor"].write_text(EDITOR.format(words=files["words"]))
        files["editor"].chmod(0o755)
        files["muttrc"].write_text(MUTTRC.format(
            imap=self.postfix.dovecot.imap, smtp=self.postfix.port, address=self.address, password=self.password,
            userid=self.userid, editor=files["editor"], sent=files["sent"],
        ))
        keys = "<last-entry><reply><send-message><quit>"
        command = ["mutt", "-n", "-F", str(files["muttrc"]), "-e", f"push '{keys}'"]
        status, screen = at_a_terminal(command, folder)
        files["screen"].write_bytes(screen)
        if status != 0:
            shown = re.sub(rb"\x1b[\[\(][0-9;?]*[A-Za-z]", b" ", screen[-3000:]).decode("utf-8", "replace")
            raise Failed(f"mutt ended with {status}: {shown}")
        # The copy that mutt keeps of what it sent.
        sent = list(mailbox.mbox(files["sent"]))[-1]
        self.sent_ids.append(sent["Message-ID"])
        return sent


def at_a_terminal(command, home, seconds=20):
    """Runs a program for the screen to its end; its status, and what it wrote."""
    master, slave = pty.openpty()
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "TERM": "xterm", "LC_ALL": "C.UTF-8"}
    process = subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, env=environment, cwd=home, start_new_session=True
    )
    os.close(slave)
    screen = b""
    until = time.monotonic() + seconds
    try:
        while process.poll() is None:
            if time.monotonic() > until:
                process.kill()
                process.wait()
                return "no end", screen
            if select.select([master], [], [], 0.1)[0]:
                try:
                    screen += os.read(master, 65536)
                except OSError:
                    process.wait(timeout=5)
    finally:
        os.close(master)
    return process.returncode, screen
