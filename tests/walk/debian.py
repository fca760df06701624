"""A clean Debian: made once, unpacked for each walk, and booted, with its own systemd.

It has its own processes, mounts, host name, control groups and network (lo only). All of it ends with its first process,
which ends with this program, also when that is killed. Nothing is left outside of one folder.
"""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from checks import Failed, await_true

HERE = Path(__file__).resolve().parent
ALONE = ["--kill-child=KILL", "--propagation", "private"]
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def own_suite():
    """The release of this machine: what is built here runs there."""
    found = re.search(r"^VERSION_CODENAME=\"?(\w+)\"?$", Path("/etc/os-release").read_text(), re.MULTILINE)
    if not found:
        sys.exit("walk: /etc/os-release names no release (VERSION_CODENAME): this needs Debian or Ubuntu")
    return found.group(1)


def bound(command):
    """The command, killed when this program ends for any reason."""
    return ["setpriv", "--pdeathsig", "KILL", *command]


def image(folder, suite):
    """The archive of the clean system; rebuilt if it is missing or `make.sh` has changed."""
    recipe = HERE / "make.sh"
    digest = hashlib.sha256(recipe.read_bytes()).hexdigest()[:8]
    archive = folder / f"{suite}-{digest}.tar"
    if archive.is_file():
        return archive
    making, log = folder / "making", folder / "make.log"
    fresh = archive.with_suffix(".new")
    making.mkdir(exist_ok=True)
    command = ["unshare", "--mount", "--pid", "--fork", *ALONE, "sh", recipe, making, suite, fresh]
    with log.open("wb") as output:
        made = subprocess.run(bound(command), stdin=subprocess.DEVNULL, stdout=output, stderr=output, check=False)
    if made.returncode != 0:
        lines = "\n".join(log.read_text(errors="replace").splitlines()[-15:])
        sys.exit(f"walk: a clean {suite} cannot be made, which needs debootstrap, the network, and the right to mount:\n{lines}")
    fresh.rename(archive)
    making.rmdir()
    return archive


def empty(folder):
    """Removes a folder of ours, in which nothing is mounted."""
    if folder.exists():
        shutil.rmtree(folder)


def control_groups():
    """The folder of this process in the control groups (version 2), below which ours is made."""
    mounts = Path("/proc/self/mounts").read_text().splitlines()
    places = [line.split()[1] for line in mounts if line.split()[2] == "cgroup2"]
    own = re.search(r"^0::(.*)$", Path("/proc/self/cgroup").read_text(), re.MULTILINE)
    if not places or not own:
        sys.exit("walk: no control groups (version 2) are mounted, which a systemd needs")
    return Path(places[0] + own.group(1))


class Debian:
    """One system, unpacked into a folder."""

    def __init__(self, folder, suite):
        self.folder = folder
        self.suite = suite
        self.root = folder / "root"
        self.group = None
        self.unshared = None
        self.first = None
        self.lock = (folder / "lock").open("w")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit(f"walk: another walk is under way in {folder}")

    def unpack(self):
        """A system as it was before anything was done there."""
        archive = image(self.folder, self.suite)
        empty(self.root)
        self.root.mkdir(mode=0o755)
        subprocess.run(["tar", "--numeric-owner", "-C", self.root, "-xpf", archive], check=True)

    def boot(self):
        """Starts it; returns when all its services are up."""
        above = control_groups()
        for left in above.glob("pbmserv-walk-*"):
            # Left by a walk that was killed.
            remove_group(left)
        self.group = above / f"pbmserv-walk-{os.getpid()}"
        self.group.mkdir()
        join = ["sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', self.group]
        spaces = ["unshare", "--mount", "--pid", "--net", "--uts", "--ipc", "--cgroup", "--fork", *ALONE]
        command = bound([*join, *spaces, "sh", HERE / "boot.sh", self.root])
        log = (self.folder / "boot.log").open("ab")
        self.unshared = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        await_true(self.problem, self.is_up, 60)

    def problem(self):
        return f"the system is up\n{(self.folder / 'boot.log').read_text(errors='replace')[-2000:]}"

    def is_up(self):
        if self.unshared.poll() is not None:
            raise Failed(f"the system could not be booted, which needs root and the right to mount\n{self.problem()}")
        number = self.unshared.pid
        children = Path(f"/proc/{number}/task/{number}/children").read_text().split()
        if not children or Path(f"/proc/{children[0]}/comm").read_text().strip() != "systemd":
            return False
        self.first = children[0]
        state = self.run("systemctl", "is-system-running", may_fail=True).strip()
        if state == "degraded":
            raise Failed(self.run("systemctl", "--failed", "--no-pager"))
        return state == "running"

    def run(self, *command, account=None, text=None, may_fail=False, seconds=180):
        """The output of a command in there, as root or another account. Raises Failed if it fails, unless `may_fail`."""
        output = self.ask(*command, account=account, text=text, seconds=seconds)
        if output.returncode != 0 and not may_fail:
            raise Failed(f"{' '.join(map(str, command))}: exit {output.returncode}\n{output.stdout}")
        return output.stdout

    def ask(self, *command, account=None, text=None, seconds=180):
        """The same, with its exit status."""
        if self.first:
            enter = ["nsenter", "--target", self.first, "--all", "--root", "--wd"]
        else:
            # Not booted: as in a container, where no systemd runs.
            enter = ["unshare", "--mount", "--pid", "--net", "--fork", *ALONE, "--root", self.root, "--mount-proc"]
        become = ["runuser", "-u", account, "--"] if account else []
        clean = ["env", "-i", f"PATH={PATH}", "LANG=C.UTF-8", "HOME=/", "DEBIAN_FRONTEND=noninteractive"]
        return subprocess.run(
            bound([*enter, *clean, *become, *command]), input=text or "", text=True, errors="replace",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, check=False,
        )

    def file(self, path):
        """A file of the system, by its path in there; not for what lies in /run or /tmp."""
        return self.root / path.lstrip("/")

    def power_off(self):
        """As its operator would: services stop in order. What does not end is killed."""
        self.run("systemctl", "poweroff", may_fail=True)
        try:
            self.unshared.wait(timeout=60)
            return True
        except subprocess.TimeoutExpired:
            return False
        finally:
            self.kill()

    def kill(self):
        """Ends all processes of the system, and with them its mounts and its network."""
        if self.unshared is not None:
            self.unshared.kill()
            self.unshared.wait()
        self.unshared = self.first = None
        if self.group is not None:
            remove_group(self.group)
            self.group = None

    def remove(self):
        """Leaves nothing but the archive."""
        self.kill()
        empty(self.root)


def remove_group(group):
    """Removes a control group whose processes have ended, or end now; one that is in use stays."""
    until = time.monotonic() + 5
    while "populated 1" in (group / "cgroup.events").read_text():
        if time.monotonic() > until:
            return
        time.sleep(0.05)
    for folder, _, _ in os.walk(group, topdown=False):
        os.rmdir(folder)
