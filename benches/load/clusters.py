"""Servers of PostgreSQL for `make engines`: one, or one with a synchronous standby."""

import os
import shutil
import subprocess
from pathlib import Path

from checks import await_true

NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]

CONFIGURATION = """
port = {port}
listen_addresses = '127.0.0.1'
unix_socket_directories = '{folder}'
max_connections = 50
"""


def programs():
    """The folder of PostgreSQL's programs: PGBIN, or Debian's newest."""
    named = os.environ.get("PGBIN")
    found = [Path(named)] if named else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not found:
        raise SystemExit("PostgreSQL is missing (Debian: postgresql)")
    return found[-1]


class Cluster:
    """A server with the account pbmserv, as an account that is not root."""

    def __init__(self, folder, port):
        self.folder, self.port, self.bin = folder, port, programs()
        self.processes = []

    def run(self, program, *arguments):
        subprocess.run([*NOBODY, self.bin / program, *arguments], check=True, cwd=self.folder, capture_output=True)

    def start(self):
        self.folder.mkdir(mode=0o755)
        shutil.chown(self.folder, 65534, 65534)
        data = self.folder / "data"
        self.run("initdb", "-U", "pbmserv", "-A", "trust", "-E", "UTF8", "--locale=C", "-D", data)
        with (data / "postgresql.conf").open("a") as lines:
            lines.write(CONFIGURATION.format(port=self.port, folder=self.folder))
        self.begin(data, self.port)
        self.sql("CREATE DATABASE pbmserv")

    def begin(self, data, port):
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen([*NOBODY, self.bin / "postgres", "-D", data], cwd=self.folder, stdout=log, stderr=log)
        self.processes.append(process)
        await_true("PostgreSQL is up", lambda: subprocess.run(
            [self.bin / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)], check=False).returncode == 0)

    def with_standby(self, port):
        """Every commit waits from now on until a second server has it on its disk."""
        data = self.folder / "standby"
        self.run("pg_basebackup", "-h", "127.0.0.1", "-p", str(self.port), "-U", "pbmserv", "-D", data, "-R", "-X", "stream",
                 "-C", "-S", "standby")
        with (data / "postgresql.conf").open("a") as lines:
            lines.write(f"port = {port}\n")
        self.begin(data, port)
        self.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.sql("SELECT pg_reload_conf()")
        await_true("the standby is synchronous", lambda: self.sql(
            "SELECT COUNT(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1")

    def sql(self, statement):
        done = subprocess.run(["psql", "-X", "-A", "-t", "-d", f"postgres://pbmserv@127.0.0.1:{self.port}/postgres", "-c", statement],
                              check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def url(self):
        return f"postgres://pbmserv@127.0.0.1:{self.port}/pbmserv"

    def stop(self):
        for process in reversed(self.processes):
            process.send_signal(3)
            process.wait(timeout=60)
