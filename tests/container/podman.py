"""podman, with images, containers and volumes of its own, which has nothing to do with the machine's."""

import hashlib
import json
import resource
import shutil
import subprocess
import sys
from pathlib import Path

from checks import Failed

HERE = Path(__file__).resolve().parent
# What a server needs. podman's default is more than some machines permit.
FILES = 8192


class Podman:
    """One way to run it that works on this machine."""

    def __init__(self, folder, driver, runtime):
        running = folder / "run" / driver
        self.name = f"podman with {driver} and {runtime}"
        self.options = [
            "podman", "--root", folder / driver, "--runroot", running / "root", "--tmpdir", running / "tmp",
            "--storage-driver", driver, "--runtime", runtime, "--cgroup-manager", "cgroupfs", "--events-backend", "none",
        ]
        files = min(FILES, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
        self.limits = ["--ulimit", f"nofile={files}:{files}", "--ulimit", f"nproc={files}:{files}"]

    def ask(self, *words, seconds=300):
        """What it prints on standard output and standard error, with its exit status."""
        return subprocess.run(
            [*self.options, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            timeout=seconds, check=False,
        )

    def run(self, *words):
        """What it prints on standard output. Raises Failed if it fails."""
        done = self.ask(*words)
        if done.returncode != 0:
            raise Failed(f"podman {' '.join(map(str, words))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def remove(self):
        """Leaves nothing but the base image."""
        for words in ("rm --all --force", "volume prune --force", "rmi --force localhost/pbmserv", "image prune --force"):
            self.ask(*words.split())


def working(folder, base):
    """The first podman that can run a container of the base image, and whether that came from a registry; or why there is none."""
    reasons = []
    # Empty at each start, by which podman knows that nothing of an earlier run is running.
    (folder / "run").mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=700", "tmpfs", folder / "run"], check=True)
    for driver in ("overlay", "vfs"):
        origin = None
        for runtime in filter(shutil.which, ("crun", "runc")):
            podman = Podman(folder, driver, runtime)
            podman.remove()
            origin = origin or fetch(podman, folder, base)
            tried = podman.ask("run", "--rm", *podman.limits, "--network", "none", base, "true")
            if tried.returncode == 0:
                return podman, origin
            reasons.append(f"{podman.name}: {(tried.stderr.strip().splitlines() or ['no reason'])[-1]}")
    return None, "; ".join(reasons) or "neither crun nor runc is installed"


def fetch(podman, folder, base):
    """Gets the base image from its registry, else makes one; says which."""
    full = f"docker.io/library/{base}"
    if podman.ask("image", "exists", full).returncode == 0:
        return "kept from an earlier run"
    try:
        if podman.ask("pull", "--quiet", full, seconds=120).returncode == 0:
            return "from its registry"
    except subprocess.TimeoutExpired:
        pass
    podman.ask("import", "--quiet", archive(folder, base), full)
    return "made by debootstrap, as no registry answers"


def archive(folder, base):
    """A small Debian of the same release."""
    suite = base.split(":")[1].removesuffix("-slim")
    recipe, making, log = HERE / "make.sh", folder / "making", folder / "make.log"
    place = folder / f"{suite}-{hashlib.sha256(recipe.read_bytes()).hexdigest()[:8]}.tar"
    if not place.is_file():
        fresh = place.with_suffix(".new")
        making.mkdir(exist_ok=True)
        with log.open("wb") as output:
            made = subprocess.run(
                ["sh", recipe, making, suite, fresh], stdin=subprocess.DEVNULL, stdout=output, stderr=output, check=False,
            )
        if made.returncode != 0:
            lines = "\n".join(log.read_text(errors="replace").splitlines()[-15:])
            sys.exit(f"container: no registry answers, and {suite} cannot be made, which needs debootstrap and the network:\n{lines}")
        making.rmdir()
        fresh.rename(place)
    return place


class Container:
    """The container `pbmserv`, as its operator sees it. Asked as the other tests' server is."""

    def __init__(self, podman):
        self.podman = podman

    @property
    def data(self):
        """The data folder in the volume, from outside."""
        return Path(self.podman.run("volume", "inspect", "pbmserv", "--format", "{{.Mountpoint}}").strip()) / "store"

    def verb(self, *words):
        return self.podman.run("exec", "pbmserv", "pbmserv", *words)

    def unsent(self):
        return json.loads(self.verb("queue", "list", "--state", "waiting", "--json"))

    def state(self):
        return json.loads(self.podman.run("inspect", "pbmserv"))[0]["State"]

    def log(self):
        done = self.podman.ask("logs", "pbmserv")
        return done.stdout + done.stderr
