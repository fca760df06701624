#!/usr/bin/env python3
"""Plays by mail through real mail programs, in every way that deploy/ describes.

    tests/peers/run.py [--keep] [--only mailbox|opensmtpd|utf8] [PBMSERV]

Needs root and the programs that .ci/run installs. Uses only 127.0.0.1 and one temporary folder, which --keep leaves there.
"""

import argparse
import os
import shutil
import signal
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import delivery
import exim
import faults
import game
import lmtp
import onlymailbox
import opensmtpd
import starttls
import utf8
from checks import Checks, Failed
from player import Player
from postfix import Postfix
from recipe import Recipe
from scene import ACCOUNT, Scene, free_ports
from server import Server

# The ways: title, the variants of the page's blocks (the way itself first), and whether a daemon runs.
WAYS = [
    ("pipe, without a daemon", ["pipe", "own-domain"], False),
    ("pipe, to the daemon", ["pipe", "shared-domain"], True),
    ("SMTP, to the daemon", ["smtp", "own-domain", "rates"], True),
]


def scene(folder, binary, title, variants, checks):
    """Writes all configuration of a way."""
    relay, listen = free_ports(2)
    postfix = Postfix(folder, relay, ACCOUNT)
    server = Server(folder, binary, ACCOUNT)
    recipe = Recipe()
    places = {
        "/etc/postfix/pbmserv": postfix.config / "pbmserv",
        "/etc/pbmserv.toml": server.config,
        "/usr/local/bin/pbmserv": binary,
        "/var/lib/pbmserv": server.data,
        "user=pbmserv": f"user={ACCOUNT}",
        "127.0.0.1:2525": f"127.0.0.1:{listen}",
        "[127.0.0.1]:2525": f"[127.0.0.1]:{listen}",
        "127.0.0.1:25\"": f"127.0.0.1:{relay}\"",
    }
    players = [
        Player("alice", "Rose-4711-water", postfix, with_swaks=True),
        Player("bob", "Open-1001-sesame", postfix, with_swaks=False),
    ]
    postfix.write(recipe, variants, places, [player.userid for player in players])
    server.write(recipe.file("pbmserv.toml", variants, places))
    return Scene(title, checks, postfix, server, players)


def play(scene, has_daemon):
    """All that is tried in one way."""
    way_is_pipe = scene.title.startswith("pipe")
    scene.postfix.start()
    if has_daemon:
        scene.server.start()
    else:
        # The first start makes the database, and no verb does.
        scene.server.start()
        scene.server.stop()
    game.sign_up(scene)
    game.begin(scene)
    game.err(scene)
    game.play(scene)
    game.play_by_answers(scene)
    faults.silence(scene)
    faults.copies(scene)
    game.resign(scene)
    faults.strangers(scene)
    faults.alias(scene)
    faults.real_bounce(scene)
    faults.too_long(scene, "longer than 1048576 bytes" if way_is_pipe else "size limit")
    if not has_daemon:
        faults.pipe_faults(scene)
    elif way_is_pipe:
        faults.hanging_daemon(scene)
        faults.killed_daemon_pipe(scene)
    else:
        faults.hanging_daemon(scene)
        faults.killed_daemon_smtp(scene)
    game.threads(scene)
    if has_daemon:
        scene.checks.equal("the daemon stops cleanly", scene.server.stop(), 0)
    faults.no_password(scene)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", action="store_true", help="leave the temporary folder")
    parser.add_argument("--only", choices=["mailbox", "opensmtpd", "utf8"], help="only the ways of that page of deploy/, or those with SMTPUTF8")
    parser.add_argument("binary", nargs="?", default="target/release/pbmserv", metavar="PBMSERV")
    given = parser.parse_args()
    missing = [name for name in ("postfix", "swaks", "dovecot", "mutt", "openssl") if shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin") is None]
    unpacked = {None: [exim.PROGRAM, opensmtpd.PROGRAM], "opensmtpd": [opensmtpd.PROGRAM], "mailbox": [], "utf8": []}[given.only]
    missing += [str(path) for path in [*unpacked, Path(given.binary)] if not path.is_file()]
    if os.geteuid() != 0 or missing:
        sys.exit(f"run.py: needs root, what the step packages of .ci/run installs, and {given.binary} (cargo build); missing: {missing}")
    # A signal also stops everything that was started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    os.environ["PATH"] += ":/usr/sbin"
    for name in [name for name in os.environ if name.startswith("PBMSERV_")]:
        del os.environ[name]

    checks = Checks()
    started = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="pbmserv-peers-"))
    folder.chmod(0o755)
    try:
        # The pipe's account may have no access to this repository.
        binary = folder / "pbmserv"
        shutil.copy(given.binary, binary)
        binary.chmod(0o755)
        for number, (title, variants, has_daemon) in enumerate(WAYS):
            if not given.only:
                run_way(folder / str(number), binary, title, variants, has_daemon, checks)
        for number, (title, way) in enumerate([*lmtp.WAYS, *starttls.WAYS, *delivery.WAYS, *utf8.WAYS]):
            wanted = {"opensmtpd": "OpenSMTPD", "utf8": "SMTPUTF8"}.get(given.only, "")
            if wanted not in title:
                continue
            if "OpenSMTPD" in title and not opensmtpd.may_mount():
                print(f"\n{title}\n  skipped: mounting is not permitted on this machine")
            elif given.only != "mailbox":
                run_short(folder / f"short-{number}", binary, title, way, checks)
        if given.only in (None, "mailbox"):
            onlymailbox.run(folder, binary, checks)
    finally:
        if given.keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    seconds = time.monotonic() - started
    print(f"\npeers: {checks.passed} passed, {checks.failed} failed, in {seconds:.0f} seconds")
    return 1 if checks.failed else 0


def run_way(folder, binary, title, variants, has_daemon, checks):
    """One way from its first file to its last process."""
    started = time.monotonic()
    print(f"\n{title} ({', '.join(variants)})", flush=True)
    folder.mkdir(mode=0o755)
    stage = scene(folder, binary, title, variants, checks)
    try:
        play(stage, has_daemon)
    except (Failed, RuntimeError, OSError) as error:
        checks.check(f"{title}: the way is complete", False, f"{type(error).__name__}: {error}")
        if stage.server.log.exists():
            print(stage.server.log.read_text()[-3000:])
    finally:
        stage.server.stop()
        stage.postfix.stop()
    print(f"  {time.monotonic() - started:.1f} seconds", flush=True)


def run_short(folder, binary, title, way, checks):
    """A way that plays no whole game: `way` starts what it needs on the stack that it is given."""
    started = time.monotonic()
    print(f"\n{title}", flush=True)
    folder.mkdir(mode=0o755)
    try:
        with ExitStack() as stack:
            way(folder, binary, checks, stack)
    except (Failed, RuntimeError, OSError) as error:
        checks.check(f"{title}: the way is complete", False, f"{type(error).__name__}: {error}")
    print(f"  {time.monotonic() - started:.1f} seconds", flush=True)


if __name__ == "__main__":
    sys.exit(main())
