"""LMTP from Postfix, Exim and OpenSMTPD, by a port and by a socket: each recipient has an answer, and all have one message."""

import grp
import os
import re
import signal
import smtplib
import socket
import subprocess

import faults
import game
from checks import await_true
from exim import Exim
from opensmtpd import OpenSmtpd
from player import Player
from postfix import Postfix
from recipe import Recipe, make_folders
from scene import ACCOUNT, Scene, free_ports
from server import Server

PAGES = {Postfix: "postfix.md", Exim: "exim.md", OpenSmtpd: "opensmtpd.md"}
PLAYERS = [("alice", "Rose-4711-water", True), ("bob", "Open-1001-sesame", False)]


def scene(mta_kind, variants, folder, binary, checks, stack):
    """Everything configured and running for one way."""
    relay, listen = free_ports(2)
    recipe = Recipe(PAGES[mta_kind])
    server = Server(folder, binary, ACCOUNT)
    socket_folder = folder / "run"
    places = {
        "/etc/pbmserv.toml": server.config,
        "/var/lib/pbmserv": server.data,
        "/run/pbmserv 2750 pbmserv": f"{socket_folder} 2750 {ACCOUNT}",
        "/run/pbmserv 2750 pbmserv pbmserv": f"{socket_folder} 2750 {ACCOUNT} {grp.getgrgid(server.group).gr_name}",
        "/run/pbmserv": socket_folder,
        "127.0.0.1:2424": f"127.0.0.1:{listen}",
        "[127.0.0.1]:2424": f"[127.0.0.1]:{listen}",
        "port = 2424": f"port = {listen}",
        "= pbmserv }": f"= {ACCOUNT} }}",
        "127.0.0.1:25\"": f"127.0.0.1:{relay}\"",
    }
    if mta_kind is Postfix:
        mta = Postfix(folder, relay, ACCOUNT)
        places["/etc/postfix/pbmserv"] = mta.config / "pbmserv"
        mta.write(recipe, variants, places, [name for name, _, _ in PLAYERS])
    else:
        mta = mta_kind(folder, relay)
        mta.write(recipe, variants, places)
    server.write(recipe.file("pbmserv.toml", variants, places))
    if ("tmpfiles.d", variants[0]) in recipe.blocks:
        make_folders(recipe.file("tmpfiles.d", variants, places))
    stack.callback(mta.stop)
    stack.callback(server.stop)
    mta.start()
    server.start()
    players = [Player(name, password, mta, with_swaks) for name, password, with_swaks in PLAYERS]
    return Scene(variants[0], checks, mta, server, players)


def two_boards_at_once(scene):
    """A turn on two boards by one mail to two tokens, from each player."""
    check = scene.checks
    scene.alice.write("Pow2 challenge alice bob")
    scene.both_read()
    for player, turn in [(scene.alice, "m1-m7"), (scene.bob, "a13-a7")]:
        boards = {}
        for letter in player.letters:
            for board in ("101", "102"):
                if letter.subject.endswith(f"Pow2 Board {board} {player.userid}"):
                    boards[board] = letter
        tokens = [letter.field("Reply-To") for letter in boards.values()]
        check.check(f"{player.userid} has a token of each board", len(set(tokens)) == 2, tokens)
        sent = player.answer(boards["101"], turn, to=tokens)
        for reader in scene.players:
            who = "You" if reader is player else player.userid
            expected = {f"{who} played {turn} on Pow2 Board {board}." for board in boards}
            found = {reader.read().sentence, reader.read().sentence}
            check.equal(f"{reader.userid} gets {player.userid}'s turn on both boards", found, expected)
        one_transaction(scene, sent, tokens)
    scene.no_more_mail("nobody got anything else")
    played = scene.rows("SELECT turn, count(*) FROM turns GROUP BY turn ORDER BY turn DESC")
    check.equal("both turns are stored on both boards", played, [("m1-m7", 2), ("a13-a7", 2)])


def one_transaction(scene, sent, tokens):
    """The MTA says that the recipients were handed over together, and what each was answered."""
    if isinstance(scene.postfix, OpenSmtpd):
        # It hands over each recipient alone.
        scene.settle()
    log = scene.postfix.log.read_text()
    if isinstance(scene.postfix, OpenSmtpd):
        lines = [line for line in log.splitlines() if " mda delivery " in line and any(f"to=<{to}>" in line for to in tokens)]
        scene.checks.equal("  each recipient is handed over, alone", ["result=Ok" in line for line in lines], [True, True])
        return
    if isinstance(scene.postfix, Exim):
        queue_id = re.search(rf"(\S+) <= .*id={re.escape(sent[1:-1])}", log)[1]
        lines = [line for line in log.splitlines() if f"{queue_id} => " in line or f"{queue_id} -> " in line]
        answers = [line.partition(' C="')[2] for line in lines]
        # `->` is Exim's sign for a further recipient of the same delivery.
        together = sorted(line.split()[3] for line in lines) == ["->", "=>"]
    else:
        queue_id = re.search(rf"(\w+): message-id={re.escape(sent)}", log)[1]
        lines = [line for line in log.splitlines() if f"{queue_id}: to=" in line]
        answers = [line.partition(" status=sent (")[2] for line in lines]
        # Same process and same delays before the transmission; the last of the four differs, it ends with each reply.
        waits = re.compile(r"lmtp\[(\d+)\].* delays=([\d.]+/[\d.]+/[\d.]+)/")
        together = len({waits.search(line).groups() for line in lines}) == 1
    check = scene.checks
    check.equal("  each recipient is named in the MTA's log", sum(any(to in line for line in lines) for to in tokens), 2)
    check.check("  they were handed over together", together and len(lines) == 2, "\n".join(lines))
    numbers = {found[1] for answer in answers if (found := re.search(r"250 2\.0\.0 Accepted, number (\d+)", answer))}
    check.equal("  each has the answer of the one message", len(numbers), 1)


def socket_rights(scene):
    """Only the server and the MTA's group may write to the socket; a socket in use is not replaced."""
    check, server = scene.checks, scene.server
    path = server.data.parent / "run" / "lmtp.sock"
    found = path.stat()
    check.equal("the socket is for its owner and group", oct(found.st_mode & 0o7777), oct(0o660))
    check.equal("  the group of its folder", found.st_gid, path.parent.stat().st_gid)
    check.equal(
        "  in which the server is, only if it is itself the account that writes there",
        found.st_gid == server.group, isinstance(scene.postfix, OpenSmtpd),
    )
    stranger = "daemon"
    tried = subprocess.run(
        ["python3", "-c", f"import socket; socket.socket(socket.AF_UNIX).connect({str(path)!r})"],
        user=stranger, group=stranger, extra_groups=[], cwd="/", capture_output=True, text=True, check=False,
    )
    check.holds("  another account may not write there", tried.stderr, "Permission denied")
    other = server.data.parent / "other"
    server.environment = {"PBMSERV_SERVER_DATA": str(other)}
    other.mkdir(mode=0o700)
    os.chown(other, server.account.pw_uid, server.group)
    second = server.spawn(["serve"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    _, said = second.communicate(timeout=30)
    server.environment = {}
    check.equal("a second server at the same socket does not start", second.returncode, 1)
    check.holds("  and says why", said, "lmtp.listen: unix:", "stop what listens there", "a running program listens there")
    with socket.socket(socket.AF_UNIX) as end:
        end.connect(str(path))
        check.holds("  the first goes on", end.recv(100).decode(), "220 games.example.org LMTP")


def killed(scene):
    """A daemon that was killed leaves its socket behind: the mail waits, and the next one replaces it."""
    scene.server.stop(signal.SIGKILL)
    # By a port, OpenSMTPD's program says no more.
    reason = "mail.lmtp: connect" if isinstance(scene.postfix, OpenSmtpd) else "Connection refused"
    faults.waits(scene, "the daemon is killed", reason)
    scene.server.start()
    faults.arrives(scene)


def opensmtpd_faults(scene, has_size_limit):
    """What OpenSMTPD refuses, and what it returns."""
    check, bob = scene.checks, scene.bob
    faults.strangers(scene)
    faults.real_bounce(scene)
    before = len(scene.server.taken())
    try:
        bob.write("help", faults.TOO_LONG)
        refused = "taken"
    except smtplib.SMTPResponseException as error:
        refused = str(error)
    if has_size_limit:
        check.holds("a mail that is too long is refused at once", refused, "message too big")
    else:
        # It takes each refusal by LMTP for one of the moment, and returns the mail after four days.
        def put_off():
            return [mail["notes"] for mail in scene.postfix.waiting() if mail["queue_name"] == "deferred"]

        notes = await_true(lambda: f"the mail is put off {scene.postfix.tail()}", put_off)
        check.holds("a mail that is too long waits, without the page's limit", notes[0], "552 5.3.4 A message has at most")
    check.equal("  and pbmserv has none of it", len(scene.server.taken()), before)


def play(mta_kind, variants):
    """A way as `run.py` calls it."""
    def way(folder, binary, checks, stack):
        stage = scene(mta_kind, variants, folder, binary, checks, stack)
        try:
            game.sign_up(stage)
            game.begin(stage)
            game.err(stage)
            two_boards_at_once(stage)
            faults.copies(stage)
            if "lmtp-unix" in variants:
                socket_rights(stage)
            faults.hanging_daemon(stage)
            killed(stage)
            if mta_kind is OpenSmtpd:
                opensmtpd_faults(stage, "games-only" in variants)
            checks.equal("the daemon stops cleanly", stage.server.stop(), 0)
            faults.no_password(stage)
        except Exception:
            print(stage.postfix.tail(), stage.server.log.read_text()[-2000:], sep="\n")
            raise
    return way


WAYS = [
    ("LMTP from Postfix, by a port", play(Postfix, ["lmtp-tcp", "own-domain"])),
    ("LMTP from Postfix, by a socket", play(Postfix, ["lmtp-unix", "shared-domain"])),
    ("LMTP from Exim, by a port", play(Exim, ["lmtp-tcp"])),
    ("LMTP from Exim, by a socket", play(Exim, ["lmtp-unix"])),
    ("LMTP from OpenSMTPD, by a port", play(OpenSmtpd, ["lmtp-tcp"])),
    ("LMTP from OpenSMTPD, by a socket", play(OpenSmtpd, ["lmtp-unix", "games-only"])),
]
