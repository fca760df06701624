"""A private OpenSMTPD: Debian's program, unpacked next to Postfix, on loopback.

Its paths are compiled in, so it runs in a mount namespace of its own, where they lead into one folder.
"""

import pwd
import signal
import smtplib
import subprocess
from pathlib import Path

from checks import await_true
from scene import ACCOUNT

# .ci/run unpacks the package there, since Debian allows only one installed MTA.
PACKAGE = Path(__file__).resolve().parents[2] / "target/peers/opensmtpd"
PROGRAM = PACKAGE / "usr/sbin/smtpd"

# The players have no accounts on this machine. Nothing is sent to another one.
CONFIGURATION = """\
table users {{ "alice" = "{uid}:{gid}:/", "bob" = "{uid}:{gid}:/", "gone" = "{uid}:{gid}:/" }}
table names {{ "alice@players.test" = "alice", "bob@players.test" = "bob" }}
table closed {{ "gone@players.test" = "gone" }}
listen on 127.0.0.1 port {port} hostname mx.example.org
{page}
action "mailbox" maildir "{mailboxes}/%{{rcpt.user}}" userbase <users> virtual <names>
action "closed" mda "echo 'The mailbox is closed.'; exit 67" userbase <users> virtual <closed>
match from local for rcpt-to "gone@players.test" action "closed"
match from local for domain "players.test" action "mailbox"
"""

# $0 is the folder for what it writes, $1 the package's folder; the command follows.
ITS_PLACES = """\
set -e
mount --bind "$1/usr/libexec" /usr/libexec
for place in spool lib run; do mount --bind "$0/$place" "/var/$place"; done
shift
exec "$@"
"""


def may_mount():
    """Whether a mount namespace is permitted here."""
    tried = ["unshare", "--mount", "mount", "--bind", "/var/lib", "/var/lib"]
    return subprocess.run(tried, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0


class OpenSmtpd:
    """One instance, made of the page's lines for a way of handing mail over. Asked as a Postfix is."""

    def __init__(self, folder, port):
        self.folder = folder / "opensmtpd"
        self.port = port
        self.mailboxes = self.folder / "mailboxes"
        self.log = self.folder / "log"
        self.daemon = None

    def write(self, recipe, variants, places):
        """Writes the configuration and makes the folders."""
        owner = pwd.getpwnam(ACCOUNT)
        for name in (".", "spool", "lib", "lib/opensmtpd", "lib/opensmtpd/empty", "run", "mailboxes"):
            (self.folder / name).mkdir(mode=0o755)
        subprocess.run(["chown", "-R", ACCOUNT, self.mailboxes], check=True)
        (self.folder / "smtpd.conf").write_text(CONFIGURATION.format(
            port=self.port, uid=owner.pw_uid, gid=owner.pw_gid, mailboxes=self.mailboxes,
            page=recipe.file("smtpd.conf", variants, places),
        ))

    def start(self):
        """Starts it and waits until it greets."""
        command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", ITS_PLACES, self.folder, PACKAGE]
        with self.log.open("ab") as log:
            self.daemon = subprocess.Popen(
                [*command, PROGRAM, "-d", "-f", self.folder / "smtpd.conf"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
            )
        await_true(lambda: f"OpenSMTPD greets {self.tail()}", self.greets)

    def greets(self):
        if self.daemon.poll() is not None:
            raise RuntimeError(f"OpenSMTPD has ended:{self.tail()}")
        try:
            with smtplib.SMTP("127.0.0.1", self.port, timeout=5) as session:
                return session.noop()[0] == 250
        except (OSError, smtplib.SMTPException):
            return False

    def stop(self):
        daemon, self.daemon = self.daemon, None
        if daemon is not None:
            daemon.send_signal(signal.SIGTERM)
            daemon.wait(timeout=10)

    def control(self, *words):
        """What `smtpctl` prints."""
        enter = ["nsenter", f"--target={self.daemon.pid}", "--mount"]
        # The package makes the program setgid.
        done = subprocess.run(
            [*enter, PACKAGE / "usr/sbin/smtpctl", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
            group="opensmtpq", timeout=60, check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(f"smtpctl {' '.join(words)}: {done.stderr}{self.tail()}")
        return done.stdout

    def waiting(self):
        """The mails in its queue, and why each still waits."""
        lines = self.control("show", "queue").splitlines()
        # The last field is the reason, which only a mail has that was tried and put off.
        return [{"queue_name": "deferred" if line.split("|")[-1] else "active", "notes": line} for line in lines]

    def is_idle(self):
        """Whether its queue is empty."""
        queue = self.folder / "spool" / "smtpd"
        return not any(path.is_file() for name in ("queue", "incoming") for path in (queue / name).rglob("*"))

    def flush(self):
        """Tries all again that waits."""
        self.control("schedule", "all")

    def tail(self):
        """The end of its log."""
        try:
            return "\n" + "\n".join(self.log.read_text().splitlines()[-25:])
        except OSError:
            return ""
