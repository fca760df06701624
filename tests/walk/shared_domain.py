"""A domain in which both the server and people have their mailboxes: deploy/postfix.md, the block `shared-domain`."""

from moving import NEW
from people import HOST
from player import SERVER

# One mail server speaks to another: what it says to each recipient.
ASK = """
exec 3<>/dev/tcp/127.0.0.1/25
say() { printf '%s\\r\\n' "$1" >&3; read -r reply <&3; }
read -r reply <&3
say "HELO mail.example.net"
say "MAIL FROM:<someone@example.net>"
for recipient in RECIPIENTS; do say "RCPT TO:<$recipient>"; echo "$recipient $reply"; done
say QUIT
"""


def local_mail(scene):
    """People write to people, programs of the machine to root, and nobody to nobody."""
    debian, check, alice, bob = scene.debian, scene.checks, scene.alice, scene.bob
    for address in (bob.address, "bob@localhost", "bob"):
        alice.write("A word among people", to=address)
        check.equal(f"mail to {address} arrives", bob.read().subject, "A word among people")
    box = debian.file("/root/Maildir/new")
    for number, address in enumerate(("root@localhost", f"root@{HOST}", "root"), 1):
        alice.write("A word to root", to=address)
        scene.settle()
        found = list(box.iterdir()) if box.is_dir() else []
        check.equal(f"mail to {address} arrives", len(found), number)
    scene.no_more_mail("nobody got anything else")

    token = NEW.replace("@", "+c2-mfzwizdfmzsgk3lqn5xgk4tfmy@")
    taken = [bob.address, "root@localhost", NEW, token, SERVER]
    unknown = [f"nobody-here@{HOST}", "nobody-here@games.example.org", "nobody-here@localhost"]
    script = ASK.replace("RECIPIENTS", " ".join([*taken, *unknown]))
    said = dict(line.split(" ", 1) for line in debian.run("bash", "-ec", script).splitlines())
    for address in taken:
        check.check(f"{address} is taken", said[address].startswith("250"), said[address])
    for address in unknown:
        check.check(f"{address} is refused at once", said[address].startswith("550 5.1.1"), said[address])
