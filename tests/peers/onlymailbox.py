"""Plays with only a mailbox, in every way that deploy/mailbox.md describes."""

import os
import re
import signal
import threading
import time
from pathlib import Path

import faults
import game
import threads
from checks import Failed, await_true
from mailprogram import MailProgram
from player import SERVER
from provider import Provider
from recipe import Recipe
from scene import ACCOUNT, Scene, free_ports
from server import Server

PAGE = Path(__file__).resolve().parents[2] / "deploy" / "mailbox.md"
PASSWORD = "Bread-8128-butter"

# The ways: title, and the variants of the page's blocks.
WAYS = [
    ("IMAP with a keyword", []),
    ("IMAP with a folder, by STARTTLS", ["folder"]),
    ("tokens by XOAUTH2", ["token"]),
    ("tokens by OAUTHBEARER", ["token"]),
    ("a Maildir", ["maildir"]),
]

# A game of Forms on the smallest board, from its begin to its end.
OPTIONS = "-size=4"
TURNS = "c2-d2 b4-a4 a2-b2 a3-b3 b1-c1 c3-d3 d2-c3 d4-c4 c3-b4 c4-b4".split()
# The turns that mutt answers with; Python's libraries do the others.
BY_MUTT = {2, 3, 6}


class MailboxScene(Scene):
    """A scene in which the server fetches its mail."""

    def mailbox(self):
        """The server's own mailbox, by imaplib."""
        return self.postfix.dovecot.session(SERVER, PASSWORD)

    def undone(self):
        """How many mails to the server are not done with yet."""
        if "Maildir" in self.title:
            own = self.postfix.mailboxes / "pbmserv"
            return sum(1 for part in ("new", "cur") for _ in (own / part).iterdir())
        session = self.mailbox()
        try:
            what = "ALL" if "folder" in self.title else "UNKEYWORD $PbmservDone"
            return len(session.search(None, what)[1][0].split())
        finally:
            session.logout()

    def settle(self):
        def problem():
            return f"all mail is delivered\n{self.postfix.waiting()}{self.postfix.tail()}"

        def is_settled():
            idle = self.postfix.is_idle
            return idle() and not self.undone() and not self.server.unsent() and idle()

        await_true(problem, is_settled, 30)


def scene(folder, binary, title, variants, checks):
    """Writes all configuration of a way."""
    provider = Provider(folder, free_ports(4), ACCOUNT)
    players = [MailProgram(name, word, provider) for name, word in (("alice", "Rose-4711-water"), ("bob", "Open-1001-sesame"))]
    passwords = {player.address: player.password for player in players} | {SERVER: PASSWORD}
    provider.write_all(passwords, [player.userid for player in players])
    server = Server(folder, binary, ACCOUNT)
    # The authority of the provider's certificate, for pbmserv to trust.
    server.environment["SSL_CERT_FILE"] = str(provider.dovecot.root)
    user = SERVER.replace("@", "%40")
    way_in = f"imaps://{user}@localhost:{provider.dovecot.imaps}/INBOX"
    if "STARTTLS" in title:
        way_in = f"imap://{user}@localhost:{provider.dovecot.imap}/INBOX?tls=required"
    secret = folder / "imap.password"
    text = Recipe(PAGE).file("pbmserv.toml", [], {
        "ourgames@provider.example": SERVER,
        "/var/lib/pbmserv": server.data,
        "imaps://ourgames%40provider.example@imap.provider.example/INBOX": way_in,
        "smtps://ourgames%40provider.example@smtp.provider.example:465": f"smtps://{user}@localhost:{provider.submission}",
        "/etc/pbmserv.password": secret,
    })
    if "token" in variants:
        block = Recipe(PAGE).blocks["pbmserv.toml", "token"].replace("/usr/local/bin/ourgames-token", f"cat {secret}")
        if "OAUTHBEARER" in title:
            block = block.replace("xoauth2", "oauthbearer")
        text = text.replace(f'password_file = "{secret}"\n', block)
    own = provider.mailboxes / "pbmserv"
    for variant in variants:
        block = Recipe(PAGE).blocks["pbmserv.toml", variant]
        if variant == "token":
            text += '\n[log]\nlevel = "trace"\n'
        elif variant == "maildir":
            # In the place of the IMAP mailbox.
            text = re.sub(r"\[imap\]\n(.+\n)+", "", text) + block.replace("/var/lib/pbmserv/Maildir", str(own))
        else:
            text = text.replace("[imap]\n", f"[imap]\n{block}")
            # Even at the finest level no library may log a password.
            text += '\n[log]\nlevel = "trace"\n'
    server.write(text)
    for part in ("new", "cur", "tmp"):
        (own / part).mkdir(parents=True)
    secret.write_text((provider.dovecot.tokens.issue(SERVER) if "token" in variants else PASSWORD) + "\n")
    secret.chmod(0o600)
    for path in (own, *own.iterdir(), secret):
        os.chown(path, server.account.pw_uid, server.account.pw_gid)
    return MailboxScene(title, checks, provider, server, players)


def whole_game(stage, folder):
    """A game from its challenge to its end, each turn an answer to the last mail and no more."""
    check = stage.checks
    stage.alice.write(f"Forms challenge alice bob {OPTIONS}")
    for letter in stage.both_read():
        check.holds("the game begins", letter.sentence, "Forms Board 101 has begun:")
    slowest = 0
    for number, turn in enumerate(TURNS):
        player = stage.players[number % 2]
        if number in BY_MUTT:
            last = player.letters[-1]
            sent = player.answer_by_mutt(folder / "mutt", f"{turn}\n\nWritten with mutt.")
            check.equal("mutt answers to the address with the token", sent["To"], last.field("Reply-To"))
            check.equal("  in the thread of the board", sent["In-Reply-To"], last.field("Message-ID"))
            check.check("  with the board quoted below", "> Your turn, " in str(sent.get_payload()), str(sent))
            started = time.monotonic()
        else:
            started = time.monotonic()
            player.answer(player.letters[-1], f"{turn}\n\nWritten with Python.")
        letters = stage.both_read()
        slowest = max(slowest, time.monotonic() - started)
        way = "mutt" if number in BY_MUTT else "Python"
        for other, letter in zip(stage.players, letters):
            check.holds(f"{other.userid} gets turn {number + 1}, sent with {way}", letter.text, f"played {turn}")
        check.holds("  with the comment", letters[0].text, f"Written with {way}.")
        check.check("  without what was quoted", "\n> " not in letters[0].text, letters[0].text)
    check.check(f"the slowest turn was answered within two seconds ({slowest:.2f})", slowest < 2)
    check.holds("the game is over", stage.alice.letters[-1].text, "You won, alice.")
    check.equal("every turn is stored once", stage.turns(), TURNS)
    stage.no_more_mail("nobody got anything else")


def message(player, subject, body=""):
    """A mail without Message-ID and Date: nothing in it identifies a copy."""
    return f"From: {player.address}\r\nTo: {SERVER}\r\nSubject: {subject}\r\n\r\n{body}\r\n".encode()


def appended(stage):
    """A mail that nobody delivered: put into the mailbox by IMAP."""
    check, bob = stage.checks, stage.bob
    session = stage.mailbox()
    started = time.monotonic()
    session.append("INBOX", None, None, message(bob, "help tutorial"))
    check.equal("an appended mail is answered", bob.read().subject, "Help: tutorial")
    seconds = time.monotonic() - started
    check.check(f"  within two seconds ({seconds:.2f})", seconds < 2)
    # In another second, so that it is another message.
    time.sleep(1.1)
    session.append("INBOX", r"(\Seen)", None, message(bob, "help tutorial"))
    check.equal("the same words once more, read already, are another mail", bob.read().subject, "Help: tutorial")
    session.append("INBOX", None, None, message(bob, "help", "All work and no play.\r\n" * 60_000))
    check.equal("a mail that is too long is answered by its beginning", bob.read().subject, "Help: overview")
    check.holds("  and the log says so", stage.server.log.read_text(), "is too long; only its beginning is read")
    before = len(stage.server.taken())
    session.append("INBOX", None, None, b"This is no mail.")
    stage.no_more_mail("what is of no use is not answered")
    check.equal("  nor taken", len(stage.server.taken()), before)
    session.select("Done" if "folder" in stage.title else "INBOX")
    check.equal("  but flagged", len(session.search(None, "FLAGGED")[1][0].split()), 1)
    session.logout()


def dovecot_killed(stage):
    """Dovecot is killed again and again while mail comes: nothing is lost, nothing happens twice."""
    check, alice, bob = stage.checks, stage.alice, stage.bob
    alice.write(f"Pow2 challenge alice bob")
    stage.both_read()
    before = len(stage.server.log.read_text())
    words = [f"word-{number}-said" for number in range(12)]

    def talk():
        for word in words:
            alice.write(f"Pow2 chat 101 alice {alice.password}", word)
            time.sleep(0.1)

    talking = threading.Thread(target=talk)
    talking.start()
    for pause in (0.25, 0.4):
        time.sleep(pause)
        stage.postfix.dovecot.kill()
        time.sleep(0.3)
        stage.postfix.dovecot.start()
    talking.join()
    started = time.monotonic()
    heard = {player.userid: [] for player in stage.players}
    for _ in words:
        for player, letter in zip(stage.players, stage.both_read()):
            heard[player.userid] += re.findall(r"word-\d+-said", letter.text)
    seconds = time.monotonic() - started
    for userid, found in heard.items():
        check.equal(f"Dovecot is killed twice: {userid} hears each of {len(words)} words once, in order", found, words)
    check.check(f"  all within 15 seconds ({seconds:.1f})", seconds < 15)
    stage.no_more_mail("  and nothing else")
    log = stage.server.log.read_text()[before:]
    lost, back = log.count("cannot be reached"), log.count("can be reached again")
    check.check(f"  the log says so once each time ({lost} lost, {back} back)", 1 <= back <= lost <= 2, log)
    started = time.monotonic()
    bob.write("help tutorial")
    check.equal("  afterwards all is as before", bob.read().subject, "Help: tutorial")
    seconds = time.monotonic() - started
    check.check(f"  within two seconds ({seconds:.2f})", seconds < 2)


def bad_files(stage):
    """Dovecot cannot give a mail, for reasons on its disk: all others are answered, and that one when it can be."""
    check, bob, server = stage.checks, stage.bob, stage.server
    own = stage.postfix.mailboxes / "pbmserv"

    def place(name, content):
        path = own / "tmp" / name
        path.write_bytes(content)
        os.chown(path, server.account.pw_uid, server.account.pw_gid)
        return path.rename(own / "new" / name)

    def is_answered(what):
        bob.write("help tutorial")
        check.equal(f"{what}: the next mail is answered", bob.read().subject, "Help: tutorial")

    def found(name):
        return next(path for part in ("new", "cur") for path in (own / part).glob(f"{name}*"))

    def again():
        server.stop()
        server.start()

    server.stop()
    place("1.unreadable", message(bob, "help Pow2")).chmod(0)
    server.start()
    is_answered("a file that Dovecot may not read")
    await_true("the log speaks of it", lambda: "it is put aside" in server.log.read_text())
    found("1.unreadable").chmod(0o600)
    again()
    check.equal("  and it is answered when it can be read", bob.read().subject, "Help: Pow2")

    server.stop()
    text = message(bob, "help Pow2")
    place(f"2.size,S={len(text) + 500},W={len(text) + 700}", text)
    place("3.size,S=20,W=20", message(bob, "help Forms"))
    server.start()
    is_answered("names that say another size")
    for number in (2, 3):
        found(f"{number}.size").rename(own / "cur" / f"{number}.mended:2,")
    again()
    subjects = sorted(bob.read().subject for _ in range(2))
    check.equal("  and these mails are answered under other names", subjects, ["Help: Forms", "Help: Pow2"])

    server.stop()
    for path in [*own.glob("dovecot.index*"), own / "dovecot-uidlist"]:
        path.write_bytes(b"This is no index." * 50)
    server.start()
    is_answered("indexes that are damaged")
    for number in range(8):
        path = place(f"4.gone-{number}", b"Subject: none\r\n\r\nFrom nobody.\r\n")
        time.sleep(number * 0.01)
        for part in ("new", "cur"):
            for path in (own / part).glob(f"4.gone-{number}*"):
                path.unlink(missing_ok=True)
    is_answered("files that vanish")
    stage.no_more_mail("  and nothing else comes")


def marks_lost(stage):
    """All marks are removed, as when a mailbox moves to another server: every mail is recognised."""
    check = stage.checks
    before = len(stage.server.taken())
    check.equal("the daemon stops cleanly", stage.server.stop(), 0)
    session = stage.mailbox()
    session.store("1:*", "-FLAGS", "($PbmservDone)")
    count = len(session.search(None, "UNKEYWORD $PbmservDone")[1][0].split())
    check.check(f"{count} mails have lost their mark", count >= before, str(before))
    session.logout()
    stage.server.start()
    stage.no_more_mail("  nothing of them happens again")
    check.equal("  they are known", len(stage.server.taken()), before)


def wrong_password(stage):
    """The provider refuses the password: logged in one line, without the password, and corrected in the file."""
    check, server, folder = stage.checks, stage.server, stage.postfix.folder
    check.equal("the daemon stops cleanly", server.stop(), 0)
    (folder / "imap.password").write_text("Wrong-2002-word\n")
    already = len(server.log.read_text())
    server.start()
    stage.alice.write("help tutorial")

    def said():
        return "refuses the user" in server.log.read_text()[already:]

    await_true("the log speaks of the password", said)
    check.check("a wrong password is said in the log, and not which", "Wrong-2002-word" not in server.log.read_text())
    time.sleep(1.5)
    check.equal("  once", server.log.read_text()[already:].count("refuses the user"), 1)
    check.check("  and the mail waits", stage.undone() == 1)
    server.stop()
    (folder / "imap.password").write_text(PASSWORD + "\n")
    server.start()
    check.equal("  mended: it is answered", stage.alice.read().subject, "Help: tutorial")


def tokens_expire(stage):
    """The provider's tokens last an hour: the server asks its command for another when one is refused."""
    check, server, provider, folder = stage.checks, stage.server, stage.postfix.dovecot, stage.postfix.folder
    used = [(folder / "imap.password").read_text().strip()]

    def renew(token):
        used.append(token)
        (folder / "imap.password").write_text(token + "\n")

    for number in (1, 2):
        renew(provider.tokens.issue(SERVER))
        # Its sessions end; whoever comes back needs a token of now.
        provider.kill()
        provider.start()
        stage.alice.write("help tutorial")
        check.equal(f"token {number} has expired: the next is used", stage.alice.read().subject, "Help: tutorial")
    already = len(server.log.read_text())
    used.append(provider.tokens.issue(SERVER))
    provider.kill()
    provider.start()

    def said():
        return "with what imap.password_command gives" in server.log.read_text()[already:]

    await_true("the log speaks of the token", said)
    check.check("a command that has no new token is said in the log", True)
    stage.alice.write("help tutorial")
    renew(used[-1])
    server.stop()
    server.start()
    check.equal("  and when it has one, all goes on", stage.alice.read().subject, "Help: tutorial")
    found = [number for number, token in enumerate(used) if token in server.log.read_text()]
    check.equal(f"  none of {len(used)} tokens stands in the log", found, [])
    check.check("  nor in the database", not any(
        token.encode() in path.read_bytes() for path in server.data.rglob("*") if path.is_file() for token in used))


def by_hand(stage):
    """Files put into the Maildir by hand, whole and copied; a daemon that is killed meanwhile."""
    check, bob, server = stage.checks, stage.bob, stage.server
    own = stage.postfix.mailboxes / "pbmserv"

    def place(name, content, folder):
        path = own / folder / name
        path.write_bytes(content)
        os.chown(path, server.account.pw_uid, server.account.pw_gid)
        return path

    started = time.monotonic()
    place("by-hand", message(bob, "help tutorial"), "tmp").rename(own / "cur" / "by-hand:2,S")
    check.equal("a file moved into cur is answered", bob.read().subject, "Help: tutorial")
    seconds = time.monotonic() - started
    check.check(f"  within two seconds ({seconds:.2f})", seconds < 2)
    place("copied", message(bob, "help Pow2"), "new")
    check.equal("a file written into new is answered", bob.read().subject, "Help: Pow2")
    place("long", message(bob, "help", "x" * 1_100_000), "new")
    check.equal("a mail that is too long is answered by its beginning", bob.read().subject, "Help: overview")
    place("none", b"This is no mail.", "new")
    stage.no_more_mail("what is of no use is not answered")
    refused = sorted(path.name for path in (own / ".Refused" / "new").iterdir())
    check.equal("  and is kept in Refused", refused, ["none"])
    check.check("  what is done is in Done", (own / ".Done" / "cur" / "by-hand:2,S").is_file())

    server.stop(signal.SIGKILL)
    bob.write("help tutorial")
    # As it is left by a crash between the commit and the move.
    (own / ".Done" / "cur" / "by-hand:2,S").rename(own / "new" / "by-hand")
    (own / ".Done" / "new" / "copied").rename(own / "cur" / "copied:2,")
    server.start()
    check.equal("the daemon is killed: what came meanwhile is answered", bob.read().subject, "Help: tutorial")
    stage.no_more_mail("  and what was done before is known")


def no_password(stage):
    """No password stands in what was mailed, stored or logged, but in the mailbox that players wrote to."""
    secrets = [player.password for player in stage.players] + [PASSWORD, "Wrong-2002-word"]
    own = stage.postfix.mailboxes / "pbmserv"
    files = [path for path in (*stage.server.data.rglob("*"), *stage.postfix.mailboxes.rglob("*")) if path.is_file()]
    files = [path for path in files if own not in path.parents] + [stage.server.log]
    found = [f"{secret} in {path}" for path in files for secret in secrets if secret.encode() in path.read_bytes()]
    stage.checks.check(f"no password stands in any of {len(files)} files: mails, database, log", not found, "\n".join(found))


def play(stage, folder):
    """All that is tried in one way."""
    stage.postfix.start()
    stage.server.start()
    game.sign_up(stage)
    if "keyword" in stage.title:
        threads.news_for_bob(stage)
        whole_game(stage, folder)
        threads.seen(stage, folder)
        appended(stage)
        bad_files(stage)
        dovecot_killed(stage)
        marks_lost(stage)
        wrong_password(stage)
    elif "token" in stage.title:
        game.begin(stage)
        game.play(stage)
        tokens_expire(stage)
    elif "folder" in stage.title:
        game.begin(stage)
        game.play(stage)
        game.play_by_answers(stage)
        appended(stage)
    else:
        game.begin(stage)
        game.err(stage)
        game.play(stage)
        game.play_by_answers(stage)
        faults.silence(stage)
        faults.copies(stage)
        by_hand(stage)
    game.threads(stage)
    stage.checks.equal("the daemon stops cleanly", stage.server.stop(), 0)
    no_password(stage)


def run(folder, binary, checks):
    """All ways, one after another."""
    for number, (title, variants) in enumerate(WAYS):
        started = time.monotonic()
        print(f"\n{title}", flush=True)
        place = folder / f"mailbox-{number}"
        place.mkdir(mode=0o755)
        stage = scene(place, binary, title, variants, checks)
        try:
            play(stage, place)
        except (Failed, RuntimeError, OSError) as error:
            checks.check(f"{title}: the way is complete", False, f"{type(error).__name__}: {error}")
            if stage.server.log.exists():
                print(stage.server.log.read_text()[-3000:])
            print(stage.postfix.dovecot.tail())
        finally:
            stage.server.stop()
            stage.postfix.stop()
        print(f"  {time.monotonic() - started:.1f} seconds", flush=True)
