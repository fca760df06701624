"""Mails that must not be answered, not be handled twice, or must wait: automatic replies, copies, faults."""

import signal
import smtplib

from checks import Failed, await_true
from player import SERVER

TOO_LONG = "All work and no play makes a dull game.\n" * 30_000


def silence(scene):
    """Automatic replies and bounces: no command in them is carried out, and none is answered."""
    check, alice = scene.checks, scene.alice
    resign = f"Pow2 resign 101 alice {alice.password}"
    for what, why, options in [
        ("an autoresponder", "Auto-Submitted: auto-replied", {"Auto_Submitted": "auto-replied (vacation)"}),
        ("a bounce", "envelope sender is empty", {"sender": ""}),
        ("a mailing list", "bulk mail", {"Precedence": "bulk"}),
    ]:
        before = len(scene.server.taken())
        alice.write(resign, "I am away.", **options)
        scene.no_more_mail(f"{what} gets no answer")
        taken = scene.server.taken()
        check.equal("  it is recorded", len(taken), before + 1)
        check.equal("  as ignored", taken[0]["state"], "ignored")
        check.holds("  with the reason", taken[0]["reason"] or "", why)
    running = scene.rows("SELECT count(*) FROM boards WHERE ended_at IS NULL")
    check.equal("  and nobody has resigned", running, [(1,)])


def real_bounce(scene):
    """Postfix itself returns one of our mails: the bounce is taken and not answered."""
    check = scene.checks
    before = len(scene.server.taken())
    scene.bob.write("signup carol Quay-1830-stone gone@players.test")

    def bounces():
        return [mail for mail in scene.server.taken()[:-before] if mail["sender"] is None]

    await_true(lambda: f"the bounce of a closed mailbox {scene.postfix.tail()}", bounces)
    scene.no_more_mail("the bounce of a closed mailbox is not answered")
    check.equal("  it came once, and is counted", [mail["state"] for mail in bounces()], ["done"])
    check.holds("  as the bounce of that mail", bounces()[0]["reason"], "has bounced: 5.")


def copies(scene):
    """The same message twice, as after a lost connection: one effect, one answer."""
    check, bob = scene.checks, scene.bob
    before = len(scene.server.taken())
    subject, body = f"Pow2 chat 101 bob {bob.password}", "Said once."
    copied = bob.write(subject, body)
    scene.both_read()
    bob.write(subject, body, Message_ID=copied)
    scene.no_more_mail("a second copy of a message has no answer")
    check.equal("  and no effect", len(scene.server.taken()), before + 1)
    bob.write(subject, body)
    scene.both_read()
    scene.no_more_mail("the same words in another message are another message")
    board = next(letter for letter in reversed(bob.letters) if "+" in letter.field("Reply-To"))
    bob.answer(board, "chat Said to all your addresses.", to=[SERVER, board.field("Reply-To")])
    for letter in scene.both_read():
        check.holds("an answer to all our addresses is one answer", letter.text, "Said to all your addresses.")
    scene.no_more_mail("  and is said once")


def strangers(scene):
    """The mail server refuses at once, and for ever, what is not for the server."""
    for address in ("pbmserve@games.example.org", "pbmserv+x@elsewhere.example"):
        try:
            scene.bob.by_smtplib(scene.bob.address, [address], "help", "", {})
            refused = {}
        except smtplib.SMTPRecipientsRefused as error:
            refused = error.recipients
        codes = [code for code, _ in refused.values()]
        scene.checks.check(f"{address} is refused at once", codes and 500 <= codes[0] <= 599, refused or "taken")


def alias(scene):
    """An address that Postfix turns into the server's."""
    scene.bob.write("help tutorial", to="play@mx.example.org")
    scene.checks.equal("an alias leads to the server", scene.bob.read().subject, "Help: tutorial")


def too_long(scene, reason):
    """A mail longer than pbmserv takes comes back to its sender, once, with the reason."""
    check, bob = scene.checks, scene.bob
    before = len(scene.server.taken())
    bob.write("help", TOO_LONG)
    bounce = bob.read()
    check.check("a mail that is too long comes back", "MAILER-DAEMON@" in bounce.field("From"), bounce.field("From"))
    check.holds("  with the reason", bounce.raw.decode("utf-8", "replace"), reason)
    bob.letters.remove(bounce)
    scene.no_more_mail("  once")
    check.equal("  and pbmserv has none of it", len(scene.server.taken()), before)


def waits(scene, what, reason):
    """Sends a mail that cannot be taken now; checks that Postfix keeps it, with this reason."""
    scene.alice.write("help tutorial")

    def deferred():
        waiting = scene.postfix.waiting()
        return str(waiting) if waiting and all(mail["queue_name"] == "deferred" for mail in waiting) else None

    kept = await_true(lambda: f"the mail is deferred {scene.postfix.tail()}", deferred)
    scene.checks.holds(f"{what}: the mail waits in Postfix's queue", kept, SERVER, reason)
    scene.checks.check("  and nothing came of it", not scene.alice.new_files())


def await_mail(player):
    """Whether the player gets a mail within two seconds."""
    try:
        return await_true("a mail", player.new_files, 2)
    except Failed:
        return False


def arrives(scene):
    """Checks that what waited is delivered now, once."""
    # A flush skips a mail that is just entering the deferred queue: so flush again if needed.
    for _ in range(10):
        scene.postfix.flush()
        if await_mail(scene.alice):
            break
    scene.checks.equal("  repaired: it is answered", scene.alice.read().subject, "Help: tutorial")
    scene.no_more_mail("  once")


def pipe_faults(scene):
    """Without a daemon: if `ingest` cannot work, the mail stays in the queue."""
    server = scene.server
    with server.locked():
        waits(scene, "the data folder is locked by something that hangs", "is in use by another pbmserv")
    arrives(scene)

    server.give_to(0, 0)
    waits(scene, "the data folder belongs to somebody else", "belongs to the account")
    server.give_to(server.account.pw_uid, server.account.pw_gid)
    arrives(scene)

    good = server.config.read_text()
    server.config.write_text(good.replace("[server]", "[servre]"))
    waits(scene, "the configuration is wrong", "no key is called `servre` here")
    server.config.write_text(good)
    arrives(scene)


def hanging_daemon(scene):
    """A stopped daemon only delays its clients."""
    with scene.server.hanging():
        scene.alice.write("help tutorial")
        scene.checks.check("a daemon that stands still: the mail waits", not scene.postfix.is_idle())
    scene.checks.equal("  it goes on: the mail is answered", scene.alice.read().subject, "Help: tutorial")
    scene.no_more_mail("  once")


def killed_daemon_pipe(scene):
    """With the pipe, `ingest` takes over after a daemon was killed, whatever files it left."""
    scene.server.stop(signal.SIGKILL)
    scene.alice.write("help tutorial")
    scene.checks.equal(
        "the daemon is killed: the pipe does the work itself", scene.alice.read().subject, "Help: tutorial"
    )
    scene.no_more_mail("  once")
    scene.server.start()
    scene.alice.write("help tutorial")
    scene.checks.equal("  and hands it over again when it is back", scene.alice.read().subject, "Help: tutorial")


def killed_daemon_smtp(scene):
    """By SMTP, the mail waits for the daemon."""
    scene.server.stop(signal.SIGKILL)
    waits(scene, "the daemon is killed", "Connection refused")
    scene.server.start()
    arrives(scene)


def no_password(scene):
    """No password stands in what was mailed, stored or logged."""
    secrets = [player.password for player in scene.players] + ["Not-Her-Password", "Quay-1830-stone"]
    files = [path for path in scene.server.data.rglob("*") if path.is_file()]
    files += [path for path in scene.postfix.mailboxes.rglob("*") if path.is_file()]
    files += [path for path in (scene.server.log, scene.postfix.log) if path.exists()]
    found = [
        f"{secret} in {path}" for path in files for secret in secrets if secret.encode() in path.read_bytes()
    ]
    found += [
        f"{secret} in {letter.subject}"
        for player in scene.players for letter in player.letters for secret in secrets if secret in letter.text
    ]
    scene.checks.check(f"no password stands in any of {len(files)} files: mails, database, logs", not found, "\n".join(found))
    kept = b"".join(path.read_bytes() for path in files)
    scene.checks.check("  though the rest of these mails does", b"Pow2 mvve" in kept and b"m1-m7" in kept)
