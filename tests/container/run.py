#!/usr/bin/env python3
"""Builds the image of deploy/Dockerfile with podman, and plays through it as deploy/README.md says: "I use containers".

    tests/container/run.py [--keep] PACKAGE

Needs root, podman with crun or runc, iproute2, debootstrap if no registry answers, and the network. All is in target/container;
--keep leaves the container and its volume there. Exits with 77 if podman cannot run a container on this machine.
"""

import argparse
import os
import shutil
import signal
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
# Shared with the tests of the mail programs.
sys.path.insert(0, str(HERE.parent / "peers"))

import stages  # noqa: E402
from checks import Checks, Failed  # noqa: E402
from outside import MailServer, Page, dockerfile  # noqa: E402
from player import Player  # noqa: E402
from podman import Container, working  # noqa: E402
from scene import Scene  # noqa: E402

SKIPPED = 77
# All processes and mounts end with this program, also when it is killed.
ALONE = ["unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child=KILL", "--mount-proc"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", action="store_true", help="leave the container in target/container")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("package", type=Path, metavar="PACKAGE")
    given = parser.parse_args()
    missing = [name for name in ("podman", "unshare", "ip", "debootstrap") if shutil.which(name) is None]
    if os.geteuid() != 0 or missing or not given.package.is_file():
        sys.exit(f"container: needs root, {given.package} (make deb), podman, unshare, ip, debootstrap; missing: {missing}")
    if not given.alone:
        os.execvp(ALONE[0], [*ALONE, sys.executable, __file__, "--alone", *sys.argv[1:]])
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    folder = REPOSITORY / "target" / "container"
    shutil.rmtree(folder / "players", ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)

    started = time.monotonic()
    podman, origin = working(folder, dockerfile("FROM"))
    if podman is None:
        print(f"skipped: podman cannot run a container on this machine: {origin}")
        return SKIPPED
    print(f"{podman.name}; the base image {dockerfile('FROM')}: {origin}; {time.monotonic() - started:.0f} seconds", flush=True)
    checks = Checks()
    try:
        play(podman, folder, given.package.resolve(), checks)
    finally:
        if given.keep:
            print(f"kept: {' '.join(map(str, podman.options))}")
        else:
            podman.remove()
    print(f"\ncontainer: {checks.passed} passed, {checks.failed} failed, in {time.monotonic() - started:.0f} seconds")
    return 1 if checks.failed else 0


def play(podman, folder, package, checks):
    """All stages, up to the first that fails to finish."""
    container = Container(podman)
    outside = MailServer(folder / "players", container)
    players = [
        Player("alice", "Rose-4711-water", outside, with_swaks=False), Player("bob", "Open-1001-sesame", outside, with_swaks=False),
    ]
    scene = Scene("container", checks, outside, container, players)
    scene.podman, scene.package, scene.page = podman, package, Page()
    for title, stage in stages.ALL:
        began = time.monotonic()
        print(f"\n{title}", flush=True)
        try:
            stage(scene)
        except (Failed, RuntimeError, ValueError, OSError) as error:
            checks.check(f"{title}: gone to its end", False, f"{type(error).__name__}: {error}{outside.tail()}")
            return
        print(f"  {time.monotonic() - began:.1f} seconds", flush=True)


if __name__ == "__main__":
    sys.exit(main())
