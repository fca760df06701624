"""Addresses in any script: Postfix with SMTPUTF8 before and behind pbmserv, then a relay without it."""

import smtplib
from email.message import EmailMessage
from email.policy import SMTPUTF8
from email.utils import formatdate

import game
from checks import await_true
from player import SERVER, Player
from postfix import Postfix
from recipe import Recipe
from scene import ACCOUNT, Scene, free_ports
from server import Server

IVAN = "пример@players.test"
GONE = "ушёл@players.test"
OPTIONS = ["SMTPUTF8", "BODY=8BITMIME"]


class Foreigner(Player):
    """A player whose address and header fields are not in ASCII. The mailbox's folder has the userid's name."""

    def __init__(self, userid, password, postfix, address):
        super().__init__(userid, password, postfix, with_swaks=False)
        self.address = address
        self.shown_as = address

    def by_smtplib(self, sender, to, subject, body, fields):
        refused = deliver(self.postfix.port, sender, to, self.message(to, subject, body, fields))
        if refused:
            raise RuntimeError(f"refused: {refused}")

    def message(self, to, subject, body, fields=()):
        """Header fields in UTF-8 without encoded words (RFC 6532)."""
        mail = EmailMessage(policy=SMTPUTF8)
        mail["From"], mail["To"], mail["Subject"] = f"Иван <{self.shown_as}>", ", ".join(to), subject
        mail["Date"] = formatdate()
        for name, value in dict(fields).items():
            mail[name] = value
        mail.set_content(body, cte="8bit")
        return mail.as_bytes()


def deliver(port, sender, to, message):
    """Hands a message over with SMTPUTF8. Returns what was said to each recipient that was refused."""
    with smtplib.SMTP("127.0.0.1", port, "players.test", timeout=30) as session:
        session.ehlo()
        try:
            return session.sendmail(sender, to, message, mail_options=OPTIONS)
        except smtplib.SMTPRecipientsRefused as refusal:
            return refusal.recipients


def way(kind):
    """The way by which Postfix hands mail over: `smtp`, `lmtp-tcp` or `pipe`."""

    def run(folder, binary, checks, stack):
        relay, listen = free_ports(2)
        postfix, server, recipe = Postfix(folder, relay, ACCOUNT), Server(folder, binary, ACCOUNT), Recipe()
        places = {
            "/etc/postfix/pbmserv": postfix.config / "pbmserv",
            "/etc/pbmserv.toml": server.config,
            "/usr/local/bin/pbmserv": binary,
            "/var/lib/pbmserv": server.data,
            "user=pbmserv": f"user={ACCOUNT}",
            "127.0.0.1:2525": f"127.0.0.1:{listen}",
            "[127.0.0.1]:2525": f"[127.0.0.1]:{listen}",
            "127.0.0.1:2424": f"127.0.0.1:{listen}",
            "[127.0.0.1]:2424": f"[127.0.0.1]:{listen}",
            "127.0.0.1:25\"": f"127.0.0.1:{relay}\"",
        }
        variants = [kind, "own-domain"]
        postfix.write(recipe, [*variants, "any-script"], places, ["alice"])
        with (postfix.config / "players").open("a") as players:
            players.write(f"{IVAN} ivan/\n{GONE} gone/\n")
        with (postfix.config / "pbmserv").open("a") as table:
            table.write(f"{GONE} gone:\n")
        server.write(recipe.file("pbmserv.toml", variants, places))
        stack.callback(postfix.stop)
        stack.callback(server.stop)
        postfix.start()
        server.start()
        players = [
            Player("alice", "Rose-4711-water", postfix, with_swaks=False),
            Foreigner("ivan", "Open-1001-sesame", postfix, IVAN),
        ]
        scene = Scene(kind, checks, postfix, server, players)
        both_ways(scene)
        if kind == "smtp":
            without(scene, listen)
        checks.equal("the daemon stops cleanly", server.stop(), 0)

    return run


def both_ways(scene):
    """He signs up, plays, and is answered."""
    check, alice, ivan = scene.checks, scene.alice, scene.bob
    game.sign_up(scene)
    check.check("the letters name his address in UTF-8", f"To: {IVAN}".encode() in ivan.letters[0].raw, ivan.letters[0].raw)
    alice.write("Pow2 challenge alice ivan", "שלום, नमस्ते, 你好")
    for letter in scene.both_read():
        check.holds("words of three scripts arrive", letter.text, "שלום, नमस्ते, 你好", game.ROW_1_AT_START)
    alice.answer(alice.letters[-1], "m1-m7\n\nДобро пожаловать.")
    for letter in scene.both_read():
        check.holds("a turn with words arrives", letter.text, "Добро пожаловать.", game.ROW_1_AFTER_M1_M7)
    ivan.answer(ivan.letters[-1], "a13-a7\n\nСпасибо!")
    for letter in scene.both_read():
        check.holds("his turn is played", letter.text, "Спасибо!", game.ROW_7_AFTER_A13_A7)
    ivan.shown_as = IVAN.replace("пример", "ПРИМЕР")
    ivan.write("my games")
    check.holds("he is known in capitals too", ivan.read().text, "Pow2")
    ivan.shown_as = IVAN

    before = len(scene.server.taken())
    alice.write(f"signup carol Quay-1830-stone {GONE}")

    def bounces():
        return [mail for mail in scene.server.taken()[:-before] if mail["sender"] is None]

    await_true(lambda: f"the bounce of a closed mailbox {scene.postfix.tail()}", bounces)
    check.holds("a report about an address in UTF-8 is read", bounces()[0]["reason"], "has bounced: 5.")
    scene.no_more_mail("  and is not answered")


def restart(postfix, utf8):
    postfix.stop()
    postfix.run("postconf", "-e", f"smtputf8_enable={utf8}")
    postfix.start()


def without(scene, listen):
    """The relay has no SMTPUTF8 any more: a newcomer is told at once, and what is for a player waits."""
    check, alice, ivan = scene.checks, scene.alice, scene.bob
    scene.server.stop()
    restart(scene.postfix, "no")
    scene.server.start()
    newcomer = Foreigner("olga", "Quay-1830-stone", scene.postfix, "ольга@players.test")
    message = newcomer.message([SERVER], "signup olga Quay-1830-stone", "\n")
    refused = deliver(listen, newcomer.address, [SERVER], message)
    code, said = refused.get(SERVER, (0, b""))
    check.equal("a newcomer who cannot be answered is refused", code, 550)
    check.holds("  with the reason, for his own mail server to pass on", said.decode(), "5.6.7", "SMTPUTF8")
    check.check("  and nobody waits for an answer", not scene.server.unsent(), scene.server.unsent())

    board = next(letter for letter in reversed(alice.letters) if "+" in letter.field("Reply-To"))
    alice.answer(board, "chat Are you there?")
    check.holds("a player with another address is answered", alice.read().text, "Are you there?")

    def failed():
        return [mail for mail in scene.server.unsent() if mail["last_error"]]

    row = await_true(lambda: f"a letter waits {scene.server.unsent()}", failed)[0]
    check.equal("his letter waits", row["recipient"], IVAN)
    check.holds("  and says why", row["last_error"], "does not offer SMTPUTF8")
    process = scene.server.spawn(["check"], stdout=-1, stderr=-1, text=True)
    said, _ = process.communicate(timeout=60)
    check.holds("  check says what to do", said, "1 of the players' addresses cannot be written to", "smtputf8_enable = yes")
    refused = deliver(listen, IVAN, [SERVER], ivan.message([SERVER], "help", "\n"))
    check.check("  he is told too if he writes", SERVER in refused, refused)
    token = board_of(ivan).field("Reply-To")
    refused = deliver(listen, IVAN, [token], ivan.message([token], "chat", "chat Still here.\n"))
    check.check("  but not if he answers a letter", not refused, refused)
    check.holds("  which arrives", alice.read().text, "Still here.")

    restart(scene.postfix, "yes")
    for mail in scene.server.unsent():
        scene.server.verb("queue", "retry", str(mail["id"]))
    texts = ivan.read().text + ivan.read().text
    check.holds("repaired: all arrives", texts, "Are you there?", "Still here.")
    scene.no_more_mail("  once")


def board_of(player):
    return next(letter for letter in reversed(player.letters) if "+" in letter.field("Reply-To"))


WAYS = [
    ("SMTPUTF8, to Postfix, by SMTP, and a relay without it", way("smtp")),
    ("SMTPUTF8, by LMTP", way("lmtp-tcp")),
    ("SMTPUTF8, by the pipe", way("pipe")),
]
