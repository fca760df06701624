"""Another machine and another name, as deploy/moving.md says: its blocks are run, in their order.

The new machine is a second Debian. Its people have mailboxes in the domain of the server's new address; the former domain is there
for the games alone.
"""

import re
import shutil
from pathlib import Path

import install
import running
from backup import BEFORE
from people import CONFIG, DATA, HOST
from player import SERVER

PAGE = Path(__file__).resolve().parents[2] / "deploy" / "moving.md"
NEW = f"play@{HOST}"
BACKUPS = f"{DATA}-backups"
PLAYED = [*BEFORE, "m7-g1", "a7-a13"]


def blocks(name):
    """The blocks of this name, with the names of this walk."""
    text = PAGE.read_text().replace("play@club.example.org", NEW)
    return re.findall(rf"^```{re.escape(name)}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def do(debian, block):
    """What the page has the operator type."""
    script = block.replace("sudo -u pbmserv ", "runuser -u pbmserv -- ")
    output = debian.run("bash", "-ec", script)
    print("".join(f"          | {line}\n" for line in output.splitlines()), end="", flush=True)
    return output


def leave(scene):
    """The last of the old machine: what it leaves to the new one is put aside."""
    debian, check = scene.debian, scene.checks
    # It bears the former address, and its token.
    scene.old_letter = scene.alice.letters[-1]
    check.holds("alice keeps a letter to answer", scene.old_letter.field("Reply-To"), "+", "@games.example.org")
    for block in blocks("sh old"):
        do(debian, block)
    check.equal("the old server is off", scene.server.state()["ActiveState"], "inactive")
    scene.moved = debian.folder / "moved"
    shutil.rmtree(scene.moved, ignore_errors=True)
    shutil.copytree(debian.file(BACKUPS), scene.moved / "backups")
    shutil.copy(debian.file(CONFIG), scene.moved)


def arrive(scene):
    """The rest of the page, on the new machine."""
    debian, check = scene.debian, scene.checks
    # In the place of rsync.
    shutil.copytree(scene.moved / "backups", debian.file(BACKUPS), dirs_exist_ok=True)
    shutil.move(scene.moved / Path(CONFIG).name, debian.file(CONFIG))
    shutil.rmtree(scene.moved)
    owned, reloaded, restored, started = blocks("sh new")
    do(debian, owned)
    rename(debian.file(CONFIG))

    local = debian.run("postconf", "-h", "mydestination")
    lines = do(debian, *blocks("sh new lines"))
    both = f"relay_domains = {HOST}, games.example.org"
    check.holds("it prints the lines for both addresses", lines, f"{NEW}  pbmserv-lmtp:", f"{SERVER}  pbmserv-lmtp:", both)
    install.apply(debian, lines.replace(both, "relay_domains = games.example.org"), is_shared=True)
    do(debian, reloaded)
    check.equal("what was local is local", debian.run("postconf", "-h", "mydestination"), local)
    check.holds("  localhost among it", local, "localhost")

    output = do(debian, restored)
    check.holds("everything comes back", output, "restored: 3 players, 2 boards, 4 turns")
    check.holds("the check knows the former address", output, f"mail is taken for {NEW}, {SERVER}", "all is well")
    do(debian, started)
    running.is_well(scene)
    check.equal("the board stands as on the old machine", scene.turns(), PLAYED)
    scene.no_more_mail("no old mail is sent again")


def rename(file):
    """The two keys of the page, in the configuration of the old machine."""
    text = file.read_text()
    for key, value in re.findall(r"^(\w+) = (.*)$", blocks("pbmserv.toml")[0], re.MULTILINE):
        text, count = re.subn(rf"^{key} = .*$", f"{key} = {value}", text, count=1, flags=re.MULTILINE)
        assert count == 1, key
    file.write_text(text)


def play_on(scene):
    """An answer to a letter of the old machine, one to a letter of the new, a bounce, and a word to each address."""
    check, alice, bob = scene.checks, scene.alice, scene.bob
    alice.answer(scene.old_letter, "g1-m7\n\nThe same game.")
    for player, letter in zip(scene.players, scene.both_read()):
        check.holds(f"{player.userid} gets the turn that was sent to the former address", letter.text, "played g1-m7", "The same game.")
        check.holds("  from the present one", letter.field("From"), NEW)
        check.holds("  where it is answered", letter.field("Reply-To"), "play+", f"@{HOST}")
        if player is alice:
            root = scene.old_letter.field("References").split()[0]
            check.holds("  in the thread that it had", letter.field("References"), root)
    bob.answer(bob.letters[-1], "a13-a7")
    for player, letter in zip(scene.players, scene.both_read()):
        check.holds(f"{player.userid} gets the answer to the present address", letter.text, "played a13-a7")
    check.equal("both are stored", scene.turns(), [*PLAYED, "g1-m7", "a13-a7"])

    alice.write("Undelivered Mail", "It came back.", to=scene.old_letter.field("Return-Path").strip("<>"), sender="")
    for address in (SERVER, NEW):
        bob.write("help", to=address)
        check.holds(f"help, asked of {address}, comes from the present one", bob.read().field("From"), NEW)
    scene.no_more_mail("a bounce to the former address is taken, and answered by nothing")
    refused = [row for row in scene.rows("SELECT state FROM inbox WHERE sender IS NULL") if row != ("ignored",)]
    check.equal("  as those before it", refused, [])
