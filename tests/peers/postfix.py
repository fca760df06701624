"""A private Postfix: all its files below one folder, on loopback, without DNS."""

import json
import os
import pwd
import signal
import smtplib
import subprocess
import time

from checks import await_true
from recipe import parameters

# The private instance has the services that the package's master.cf has, none of them chrooted.
MASTER = """\
127.0.0.1:{port} inet n - n - - smtpd
pickup    unix n - n 60 1 pickup
cleanup   unix n - n - 0 cleanup
qmgr      unix n - n 300 1 qmgr
rewrite   unix - - n - - trivial-rewrite
bounce    unix - - n - 0 bounce
defer     unix - - n - 0 bounce
trace     unix - - n - 0 bounce
verify    unix - - n - 1 verify
flush     unix n - n 1000? 0 flush
proxymap  unix - - n - - proxymap
proxywrite unix - - n - 1 proxymap
smtp      unix - - n - - smtp
relay     unix - - n - - smtp
showq     unix n - n - - showq
error     unix - - n - - error
retry     unix - - n - - error
discard   unix - - n - - discard
local     unix - n n - - local
virtual   unix - n n - - virtual
lmtp      unix - - n - - lmtp
anvil     unix - - n - 1 anvil
scache    unix - - n - 1 scache
tlsmgr    unix - - n 1000? 1 tlsmgr
postlog   unix-dgram n - n - 1 postlogd
gone      unix - n n - - pipe
  user={account} argv=/bin/sh -c {{ echo 'The mailbox is closed.'; exit 67 }}
"""


class Postfix:
    """One instance, made of the recipe's lines for a way of handing mail over."""

    def __init__(self, folder, port, account):
        self.folder = folder
        self.port = port
        self.account = account
        self.config = folder / "etc"
        self.queue = folder / "spool"
        self.log = folder / "mail.log"
        self.mailboxes = folder / "mailboxes"

    def private(self):
        """Makes its folders; gives the parameters of an instance that has nothing to do with the machine's own."""
        data = self.folder / "lib"
        for path in (self.config, self.queue, data):
            path.mkdir(mode=0o755)
        owner = pwd.getpwnam("postfix")
        os.chown(data, owner.pw_uid, owner.pw_gid)
        return {
            "compatibility_level": "3.6",
            "queue_directory": self.queue,
            "data_directory": data,
            "mail_owner": "postfix",
            "setgid_group": "postdrop",
            "maillog_file": self.log,
            "maillog_file_prefixes": self.folder,
            "myhostname": "mx.example.org",
            "inet_interfaces": "loopback-only",
            "inet_protocols": "ipv4",
            "mynetworks": "127.0.0.0/8",
            "disable_dns_lookups": "yes",
            "smtpd_peername_lookup": "no",
            "smtputf8_enable": "no",
            "alias_maps": "",
            "alias_database": "",
        }

    def configure(self, parameters, services=""):
        """Writes main.cf and master.cf."""
        text = "".join(f"{name} = {value}\n" for name, value in parameters.items())
        (self.config / "main.cf").write_text(text)
        master = MASTER.format(port=self.port, account=self.account)
        (self.config / "master.cf").write_text(master + services)

    def write(self, recipe, variants, places, players, more=None, services=""):
        """Writes main.cf, master.cf and the tables. `players` are the local parts at players.test; `more` are
        parameters and `services` lines of master.cf that are no part of the recipe."""
        here = self.private()
        self.mailboxes.mkdir(mode=0o755)
        boxes = pwd.getpwnam(self.account)
        os.chown(self.mailboxes, boxes.pw_uid, boxes.pw_gid)
        here |= {
            # Where people have mailboxes in it, the domain is local already.
            "mydestination": "$myhostname" + (", games.example.org" if "shared-domain" in variants else ""),
            "smtp_host_lookup": "native",
            "default_transport": "error:nothing leaves this machine",
            "virtual_alias_maps": f"texthash:{self.config}/aliases",
            "virtual_mailbox_domains": "players.test",
            "virtual_mailbox_base": self.mailboxes,
            "virtual_mailbox_maps": f"texthash:{self.config}/players",
            "virtual_uid_maps": f"static:{boxes.pw_uid}",
            "virtual_gid_maps": f"static:{boxes.pw_gid}",
        }
        here.update(more or {})
        # What the page says comes last and wins.
        here.update(parameters(recipe.file("main.cf", variants, places)))
        if ("master.cf", variants[0]) in recipe.blocks:
            services = recipe.file("master.cf", variants, places) + services
        self.configure(here, services)
        table = recipe.file("transport", variants, places) + "gone@players.test  gone:\n"
        (self.config / "pbmserv").write_text(table)
        if ("policy.map", variants[0]) in recipe.blocks:
            (self.config / "pbmserv-tls").write_text(recipe.file("policy.map", variants, places))
        (self.config / "aliases").write_text("play@mx.example.org  pbmserv@games.example.org\n")
        boxes = "".join(f"{name}@players.test {name}/\n" for name in [*players, "gone"])
        (self.config / "players").write_text(boxes)

    def run(self, program, *arguments):
        """What one of Postfix's own programs prints for this instance."""
        done = subprocess.run(
            [program, "-c", str(self.config), *arguments],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(f"{program} {' '.join(arguments)}: {done.stderr or done.stdout}{self.tail()}")
        return done.stdout

    def start(self):
        """Starts it and waits until it greets."""
        self.run("postfix", "start")
        await_true("Postfix greets", self.greets)

    def greets(self):
        try:
            with smtplib.SMTP("127.0.0.1", self.port, timeout=5) as session:
                return session.noop()[0] == 250
        except (OSError, smtplib.SMTPException):
            return False

    def stop(self):
        """Stops it; kills it by its pid file if it does not exit."""
        pid = self.pid()
        if pid is None:
            return
        try:
            self.run("postfix", "stop")
        except (RuntimeError, subprocess.TimeoutExpired):
            pass
        until = time.monotonic() + 5
        while self.pid() is not None and time.monotonic() < until:
            time.sleep(0.05)
        if self.pid() is not None:
            # The master leads the group of its services.
            os.killpg(pid, signal.SIGKILL)

    def pid(self):
        """The number of the running master process, None if there is none."""
        try:
            pid = int((self.queue / "pid" / "master.pid").read_text())
            os.kill(pid, 0)
        except (OSError, ValueError):
            return None
        return pid

    def waiting(self):
        """The mails in its queue: sender, recipients, and why each still waits."""
        lines = self.run("postqueue", "-j").splitlines()
        return [json.loads(line) for line in lines]

    def is_idle(self):
        """Whether its queue is empty."""
        folders = (self.queue / name for name in ("maildrop", "incoming", "active", "deferred"))
        return not any(path.is_file() for folder in folders for path in folder.rglob("*"))

    def flush(self):
        """Tries all again that waits."""
        self.run("postqueue", "-f")

    def tail(self):
        """The end of its log."""
        try:
            return "\n" + "\n".join(self.log.read_text().splitlines()[-25:])
        except OSError:
            return ""
