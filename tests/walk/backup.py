"""A backup, two ways to lose what came after it, and the game that goes on."""

import game
import running
from people import DATA

BEFORE = ["m1-m7", "a13-a7"]


def make(scene):
    """Made by the unit that the timer starts; then a turn that it does not hold."""
    debian, check = scene.debian, scene.checks
    debian.run("systemctl", "start", "pbmserv-backup.service")
    folders = debian.run("ls", f"{DATA}-backups").split()
    check.equal("the backup is there", len(folders), 1)
    scene.backup = f"{DATA}-backups/{folders[0]}"
    check.equal("  the database and the key", debian.run("ls", scene.backup).split(), ["SHA256SUMS", "key", "pbmserv.sqlite"])
    found = set(debian.run("find", f"{DATA}-backups", "-printf", "%u %m\\n").splitlines())
    check.equal("  nobody else can read it", found, {"pbmserv 700", "pbmserv 600"})
    # The mail to alice about bob's turn: she replies to it whenever that turn is the last.
    scene.invitation = next(letter for letter in scene.alice.letters if letter.sentence.startswith("bob played a13-a7"))
    alice_plays(scene)


def alice_plays(scene):
    """Her turn, as a reply to a mail that was sent before the backup: its token is still valid."""
    scene.alice.answer(scene.invitation, "m7-g1")
    for player, letter in zip(scene.players, scene.both_read()):
        scene.checks.holds(f"{player.userid} gets alice's turn", letter.text, game.ROW_1_AFTER_M7_G1)
    scene.checks.equal("it is stored", scene.turns(), [*BEFORE, "m7-g1"])


def restore(scene):
    """As deploy/README.md says, between `systemctl stop` and `systemctl start`; returns the output."""
    output = scene.server.verb("restore", scene.backup)
    print("".join(f"          | {line}\n" for line in output.splitlines()), end="", flush=True)
    return output


def after(scene):
    """After the start: the position of the backup, and no mail."""
    scene.debian.run("systemctl", "start", "pbmserv")
    running.is_well(scene)
    scene.checks.equal("the board stands as in the backup", scene.turns(), BEFORE)
    scene.no_more_mail("no old mail is sent again")
    noted = scene.server.verb("audit")
    scene.checks.holds("the audit log tells of it", noted, "restore", scene.backup)


def restore_over(scene):
    """The old database is there: what is lost is counted, and kept."""
    debian, check = scene.debian, scene.checks
    refused = debian.ask("pbmserv", "--config", "/etc/pbmserv.toml", "restore", scene.backup, account="pbmserv")
    check.equal("not while the server runs", refused.returncode, 1)
    check.holds("  and it says so", refused.stdout, "stop it before you restore")
    debian.run("systemctl", "stop", "pbmserv")
    output = restore(scene)
    check.holds("it says what comes back", output, "restored: 3 players, 1 boards, 2 turns")
    check.holds("  what is lost", output, "0 players, 0 boards, 1 turns, 1 mails")
    check.holds("  and where the old one is", output, f"what was there before is in {DATA}/before-restore-")
    after(scene)
    alice_plays(scene)


def restore_into_nothing(scene):
    """The disk was empty: the folder is as the package makes it."""
    debian, check = scene.debian, scene.checks
    debian.run("systemctl", "stop", "pbmserv")
    debian.run("rm", "-r", DATA)
    debian.run("install", "-d", "-o", "pbmserv", "-g", "pbmserv", "-m", "0700", DATA)
    output = restore(scene)
    check.holds("it says what comes back", output, "restored: 3 players, 1 boards, 2 turns")
    check.holds("  and what cannot", output, "what came after", "is lost")
    after(scene)


def play_on(scene):
    """Further turns on the same board, and a new board with a number that no lost board can have had."""
    check = scene.checks
    alice_plays(scene)
    scene.bob.answer(scene.bob.letters[-1], "a7-a13\n\nThen back.")
    for player, letter in zip(scene.players, scene.both_read()):
        check.holds(f"{player.userid} gets bob's turn", letter.sentence, "played a7-a13 on Pow2 Board 101")
        check.holds("  with his comment", letter.text, "Then back.")
    check.equal("all turns are stored", scene.turns(), [*BEFORE, "m7-g1", "a7-a13"])
    scene.bob.write("Pow2 challenge bob alice")
    for player, letter in zip(scene.players, scene.both_read()):
        check.equal(f"{player.userid} gets a new board", letter.subject, f"Pow2 Board 202 {player.userid}")
    running.is_well(scene)
    scene.no_more_mail("nobody got anything else")
