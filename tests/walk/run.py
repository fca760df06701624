#!/usr/bin/env python3
"""From a clean Debian to a game that was lost and restored, as deploy/README.md says: "I have a VPS with Postfix"; then to another one,
as deploy/moving.md says.

    tests/walk/run.py [--keep] [--suite trixie] PACKAGE

Needs root, debootstrap, the right to mount, and the network for the first run. All is in target/walk; --keep leaves it there.
"""

import argparse
import os
import shutil
import signal
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Shared with the tests of the mail programs.
sys.path.insert(0, str(HERE.parent / "peers"))

import backup  # noqa: E402
import install  # noqa: E402
import moving  # noqa: E402
import package  # noqa: E402
import running  # noqa: E402
import shared_domain  # noqa: E402
import watched  # noqa: E402
from checks import Checks, Failed  # noqa: E402
from debian import Debian, image, own_suite  # noqa: E402
from people import OwnPostfix, OwnServer, Person  # noqa: E402
from scene import Scene  # noqa: E402

# In this order: each stage continues from the one before.
STAGES = [
    ("a clean system, booted", install.clean_system),
    ("a mail server, as it comes", install.mail_server),
    ("the package", install.package),
    ("pbmserv init, and what it says", install.init),
    ("started", running.start),
    ("two players and a board, by mail", running.play),
    ("killed, reloaded, and the machine rebooted", running.kills),
    ("watched by systemd", watched.by_systemd),
    ("a backup, and a turn that comes too late for it", backup.make),
    ("restored over what is there", backup.restore_over),
    ("everything gone, and restored", backup.restore_into_nothing),
    ("the game goes on", backup.play_on),
    ("the package again, away, and back", package.life),
    ("stopped and backed up, to move away", moving.leave),
    ("purged", package.purge),
    ("a machine without systemd", package.without_systemd),
    ("another machine, clean", install.clean_system),
    ("its mail server", install.mail_server),
    ("the package there", install.package),
    ("moved there, to another name", moving.arrive),
    ("mail to the former address and to the present one", moving.play_on),
    ("mail of the people with mailboxes in the same domain", shared_domain.local_mail),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", action="store_true", help="leave the system in target/walk/root, not running")
    parser.add_argument("--suite", default=own_suite(), help="the release of Debian; without it that of this machine")
    parser.add_argument("package", type=Path, metavar="PACKAGE")
    given = parser.parse_args()
    missing = [name for name in ("debootstrap", "unshare", "nsenter", "setpriv") if shutil.which(name) is None]
    if os.geteuid() != 0 or missing or not given.package.is_file():
        sys.exit(f"walk: needs root, {given.package} (make deb), debootstrap, unshare, nsenter, setpriv; missing: {missing}")
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        # A signal also stops everything that was started.
        signal.signal(number, lambda *_: sys.exit(1))
    folder = HERE.parents[1] / "target" / "walk"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "boot.log").unlink(missing_ok=True)

    started = time.monotonic()
    checks = Checks()
    debian = Debian(folder, given.suite)
    try:
        image(folder, given.suite)
        print(f"the archive of a clean {given.suite}: {time.monotonic() - started:.0f} seconds", flush=True)
        walk(debian, given.package.resolve(), checks)
    finally:
        debian.kill()
        if given.keep:
            print(f"kept: {debian.root}")
        else:
            debian.remove()
    print(f"\nwalk: {checks.passed} passed, {checks.failed} failed, in {time.monotonic() - started:.0f} seconds")
    return 1 if checks.failed else 0


def walk(debian, package_file, checks):
    """All stages, up to the first that fails to finish."""
    postfix = OwnPostfix(debian)
    players = [Person("alice", "Rose-4711-water", postfix), Person("bob", "Open-1001-sesame", postfix)]
    scene = Scene("walk", checks, postfix, OwnServer(debian), players)
    scene.debian, scene.package = debian, package_file
    for title, stage in STAGES:
        began = time.monotonic()
        print(f"\n{title}", flush=True)
        try:
            stage(scene)
        except (Failed, RuntimeError, OSError) as error:
            log = postfix.tail() if debian.first else ""
            checks.check(f"{title}: gone to its end", False, f"{type(error).__name__}: {error}{log}")
            return
        print(f"  {time.monotonic() - began:.1f} seconds", flush=True)


if __name__ == "__main__":
    sys.exit(main())
