"""A private Exim: Debian's program, unpacked next to Postfix, with all its files below one folder, on loopback.

It runs as its own account from the start: Exim drops root privileges if its configuration is not the package's.
"""

import os
import pwd
import shutil
import signal
import smtplib
import subprocess
from pathlib import Path

from checks import await_true

ACCOUNT = "Debian-exim"
# .ci/run unpacks the package there, since Debian allows only one installed MTA.
PROGRAM = Path(__file__).resolve().parents[2] / "target/peers/exim/usr/sbin/exim4"

CONFIGURATION = """\
primary_hostname = mx.example.org
qualify_domain = mx.example.org
domainlist local_domains = players.test : games.example.org
spool_directory = {folder}/spool
log_file_path = {folder}/%slog
pid_file_path = {folder}/exim.pid
local_interfaces = 127.0.0.1
daemon_smtp_ports = {port}
disable_ipv6
deliver_drop_privilege
keep_environment =
tls_advertise_hosts =
host_lookup =
rfc1413_hosts =
acl_smtp_rcpt = rcpt
message_size_limit = 50M
{main}
begin acl
rcpt:
  accept domains = +local_domains
         verify = recipient
  accept hosts = 127.0.0.1
  deny

begin routers
{router}
players:
  driver = accept
  domains = players.test
  local_parts = alice : bob
  transport = maildir

begin transports
{transport}
maildir:
  driver = appendfile
  directory = {folder}/mailboxes/$local_part_data
  maildir_format
  create_directory
  user = {account}

begin retry
* * F,1h,1s
"""


class Exim:
    """One instance, made of the recipe's lines for a way of handing mail over. Asked as a Postfix is."""

    def __init__(self, folder, port):
        self.folder = folder / "exim"
        self.port = port
        self.mailboxes = self.folder / "mailboxes"
        self.log = self.folder / "mainlog"
        self.program = self.folder / "exim4"
        self.daemon = None

    def write(self, recipe, variants, places):
        """Writes the configuration and makes the folders."""
        owner = pwd.getpwnam(ACCOUNT)
        for path in (self.folder, self.folder / "spool", self.mailboxes):
            path.mkdir(mode=0o755)
            os.chown(path, owner.pw_uid, owner.pw_gid)
        # In case its account has no access to this repository; no right of root is needed.
        shutil.copyfile(PROGRAM, self.program)
        self.program.chmod(0o755)
        (self.folder / "configure").write_text(CONFIGURATION.format(
            folder=self.folder, port=self.port, account=ACCOUNT,
            main=recipe.file("exim.main", variants, places),
            router=recipe.file("exim.router", variants, places),
            transport=recipe.file("exim.transport", variants, places),
        ))

    def spawn(self, *arguments, **options):
        owner = pwd.getpwnam(ACCOUNT)
        return subprocess.Popen(
            [str(self.program), "-C", str(self.folder / "configure"), *arguments], stdin=subprocess.DEVNULL,
            user=owner.pw_uid, group=owner.pw_gid, extra_groups=[], cwd="/", **options,
        )

    def start(self):
        """Starts it and waits until it greets."""
        with (self.folder / "stderr").open("ab") as said:
            self.daemon = self.spawn("-bdf", stdout=said, stderr=said)
        await_true(lambda: f"Exim greets {self.tail()}", self.greets)

    def greets(self):
        if self.daemon.poll() is not None:
            raise RuntimeError(f"Exim has ended:\n{(self.folder / 'stderr').read_text()}{self.tail()}")
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

    def waiting(self):
        """The mails in its queue that were tried once, and what it noted of each."""
        notes = (self.folder / "spool" / "msglog").glob("*")
        found = []
        for note in notes:
            try:
                text = note.read_text()
            except FileNotFoundError:
                continue
            queue = "deferred" if " == " in text or "defer" in text else "active"
            found.append({"queue_name": queue, "notes": text})
        return found

    def is_idle(self):
        """Whether its queue is empty."""
        return not any((self.folder / "spool" / "input").glob("*"))

    def flush(self):
        """Tries all again that waits."""
        self.spawn("-qff", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).wait(timeout=60)

    def tail(self):
        """The end of its log."""
        try:
            return "\n" + "\n".join(self.log.read_text().splitlines()[-25:])
        except OSError:
            return ""
