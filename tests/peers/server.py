"""pbmserv as its operator sees it: a configuration, a daemon, verbs."""

import fcntl
import json
import os
import pwd
import signal
import socket
import subprocess
from contextlib import contextmanager

from checks import await_true


class Server:
    """One data folder, and the daemon if it was started."""

    def __init__(self, folder, binary, account):
        self.binary = binary
        self.config = folder / "pbmserv.toml"
        self.data = folder / "data"
        self.log = folder / "pbmserv.log"
        self.account = pwd.getpwnam(account)
        self.group = self.account.pw_gid
        self.environment = {}
        self.daemon = None

    def write(self, text):
        """Writes the configuration and makes the data folder."""
        self.config.write_text(text)
        self.data.mkdir(mode=0o700)
        self.give_to(self.account.pw_uid, self.account.pw_gid)

    def give_to(self, uid, gid):
        """Makes an account the owner of the data folder and all in it."""
        for path in [self.data, *self.data.rglob("*")]:
            os.chown(path, uid, gid)

    def spawn(self, arguments, **options):
        return subprocess.Popen(
            [str(self.binary), "--config", str(self.config), *arguments],
            stdin=options.pop("stdin", subprocess.DEVNULL), user=self.account.pw_uid, group=self.group,
            extra_groups=[], cwd="/", env={**os.environ, **self.environment}, **options,
        )

    def start(self):
        """Starts the daemon and waits until it answers."""
        with self.log.open("ab") as log:
            self.daemon = self.spawn(["serve"], stdout=log, stderr=log)
        await_true("pbmserv answers", self.answers)

    def answers(self):
        if self.daemon.poll() is not None:
            raise RuntimeError(f"pbmserv serve has ended:\n{self.log.read_text()}")
        with socket.socket(socket.AF_UNIX) as end:
            try:
                end.connect(str(self.data / "control.sock"))
            except OSError:
                return False
            return True

    def stop(self, how=signal.SIGTERM):
        """Stops the daemon, if it runs; its exit status."""
        daemon, self.daemon = self.daemon, None
        if daemon is None:
            return None
        daemon.send_signal(how)
        try:
            return daemon.wait(timeout=15)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()
            return None

    @contextmanager
    def hanging(self):
        """The daemon is stopped (SIGSTOP) for that long."""
        self.daemon.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.daemon.send_signal(signal.SIGCONT)

    @contextmanager
    def locked(self):
        """Another process holds the lock of the data folder and does not respond."""
        folder = os.open(self.data, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    def verb(self, *arguments):
        """What a verb prints."""
        process = self.spawn(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        out, err = process.communicate(timeout=60)
        if process.returncode != 0:
            raise RuntimeError(f"pbmserv {' '.join(arguments)}: {err}")
        return out

    def taken(self):
        """The mails that it has taken, newest first."""
        return json.loads(self.verb("queue", "list", "--inbox", "--json", "--limit", "1000"))

    def unsent(self):
        """The mails that it has still to send."""
        return json.loads(self.verb("queue", "list", "--state", "waiting", "--json"))
