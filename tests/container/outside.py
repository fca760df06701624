"""What is outside of the container: a mail server that delivers to the players' Maildirs, and the page's commands."""

import re
import shlex
import socketserver
import threading

from recipe import DEPLOY


class Session(socketserver.StreamRequestHandler):
    """One connection. All mail is accepted, and is in the Maildirs of its recipients when that is said."""

    timeout = 60

    def handle(self):
        self.say("220 relay.example.org ESMTP")
        while line := self.rfile.readline(2000):
            if self.server.mail_server.is_away:
                self.say("421 4.3.2 Closed for now")
                return
            verb = line.split(b":")[0].split()[0].upper() if line.strip() else b""
            if verb == b"EHLO":
                self.say("250 relay.example.org")
            elif verb == b"MAIL":
                self.recipients = []
                self.say("250 2.1.0 OK")
            elif verb == b"RCPT":
                self.recipients.append(re.search(rb"<([^@>]*)@", line)[1].decode())
                self.say("250 2.1.5 OK")
            elif verb == b"DATA":
                self.say("354 Go on")
                self.deliver()
                self.say("250 2.0.0 OK")
            elif verb == b"QUIT":
                self.say("221 2.0.0 Bye")
                return
            else:
                self.say("250 2.0.0 OK")

    def say(self, reply):
        self.wfile.write(f"{reply}\r\n".encode())

    def deliver(self):
        lines = []
        while (line := self.rfile.readline()) != b".\r\n":
            if not line:
                raise ConnectionError("the connection ended within a mail")
            lines.append(line[1:] if line.startswith(b".") else line)
        mail = b"".join(lines).replace(b"\r\n", b"\n")
        for name in self.recipients:
            self.server.mail_server.keep(name, mail)


class MailServer:
    """Asked as the other tests' Postfix is. `port` is where the players' mail goes: the container's."""

    port = 2525
    relay = 2500

    def __init__(self, folder, container):
        self.mailboxes = folder
        self.container = container
        self.lock = threading.Lock()
        self.kept = 0
        self.is_away = False

    def listen(self):
        """To the container and everybody else, for as long as this program runs."""
        listener = socketserver.ThreadingTCPServer(("0.0.0.0", self.relay), Session)
        listener.daemon_threads = True
        listener.mail_server = self
        threading.Thread(target=listener.serve_forever, daemon=True).start()

    def keep(self, name, mail):
        """Writes a mail into a Maildir."""
        with self.lock:
            self.kept += 1
            number = self.kept
        box = self.mailboxes / name
        for part in ("tmp", "new"):
            (box / part).mkdir(parents=True, exist_ok=True)
        fresh = box / "tmp" / str(number)
        fresh.write_bytes(mail)
        fresh.rename(box / "new" / str(number))

    def waiting(self):
        return []

    def is_idle(self):
        return True

    def tail(self):
        return "\n" + self.container.log()[-3000:]


class Page:
    """The commands of the chapter "I use containers" of deploy/README.md, which is what is tried."""

    def __init__(self):
        text = (DEPLOY / "README.md").read_text().split("## I use containers\n")[1].split("\n## ")[0].replace("\\\n", " ")
        lines = re.findall(r"^ {4,}docker (.*)$|`docker ([^`]*)`", text, re.MULTILINE)
        # A command may stand there twice.
        self.commands = list(dict.fromkeys(tuple(shlex.split(block or inline)) for block, inline in lines))

    def command(self, *words):
        """The words behind `docker` of the command that has all of these."""
        found = [command for command in self.commands if set(words) <= set(command)]
        if len(found) != 1:
            raise ValueError(f"deploy/README.md has {len(found)} commands for {words}")
        return list(found[0])


def dockerfile(instruction):
    """What stands behind an instruction of the Dockerfile."""
    text = (DEPLOY / "Dockerfile").read_text()
    return re.search(rf"^{instruction} (.*)$", text, re.MULTILINE)[1]
