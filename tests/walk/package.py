"""What happens to the games when the package is upgraded, removed, purged; and without systemd."""

import running
from checks import await_true
from people import CONFIG, DATA

KEPT = [CONFIG, f"{DATA}/pbmserv.sqlite", f"{DATA}/key"]


def apt(scene, verb, *words):
    """What apt says."""
    return scene.debian.run("apt-get", verb, "--yes", *words)


def package_file(scene):
    return f"/root/{scene.package.name}"


def nothing_is_lost(scene):
    """The games, the backups, the configuration and the account."""
    debian, check = scene.debian, scene.checks
    for path in [*KEPT, f"{scene.backup}/pbmserv.sqlite"]:
        check.check(f"  {path} is there", debian.file(path).is_file())
    check.equal("  the account is there", debian.run("stat", "--format=%U", DATA).strip(), "pbmserv")


def says(scene, text):
    """Alice says something on the board, which both get."""
    scene.alice.write(f"Pow2 chat 101 alice {scene.alice.password}", text)
    both_read(scene, text)


def both_read(scene, text):
    for player, letter in zip(scene.players, scene.both_read()):
        scene.checks.holds(f"{player.userid} gets what alice says", letter.text, text)


def life(scene):
    """Over itself, as an upgrade is; away; and back."""
    debian, check = scene.debian, scene.checks
    before = scene.server.state()["MainPID"]
    apt(scene, "install", "--reinstall", package_file(scene))
    after = scene.server.state()["MainPID"]
    check.check("an upgrade starts the new program", running.is_running(scene) and after != before, (before, after))
    nothing_is_lost(scene)
    says(scene, "After the upgrade.")

    apt(scene, "remove", "pbmserv")
    check.check("removed: the program is gone", not debian.file("/usr/bin/pbmserv").exists())
    owners = debian.run("sh", "-c", "stat --format=%U /proc/[0-9]*", may_fail=True).split()
    check.check("  and nothing of it runs", "root" in owners and "pbmserv" not in owners, owners)
    nothing_is_lost(scene)
    scene.alice.write(f"Pow2 chat 101 alice {scene.alice.password}", "While it was away.")
    await_true("the mail waits", lambda: any(mail["queue_name"] == "deferred" for mail in scene.postfix.waiting()))

    said = apt(scene, "install", package_file(scene))
    check.holds("back: it says how to go on", said, '"systemctl enable --now pbmserv pbmserv-backup.timer" starts the server')
    debian.run("systemctl", "enable", "--now", *running.UNITS)
    scene.postfix.flush()
    both_read(scene, "While it was away.")
    running.is_well(scene)
    scene.no_more_mail("nobody got anything else")


def purge(scene):
    """Purged: the games are still kept for a person to delete."""
    debian, check = scene.debian, scene.checks
    said = apt(scene, "purge", "pbmserv")
    check.holds("it says what is left, and where", said, DATA, f"{DATA}-backups", CONFIG)
    nothing_is_lost(scene)
    found = debian.run("systemctl", "list-unit-files", "pbmserv*", "--no-legend", may_fail=True).strip()
    check.equal("no unit is left", found, "")
    for path in ("/etc/systemd/system/multi-user.target.wants/pbmserv.service", "/etc/systemd/system/timers.target.wants/pbmserv-backup.timer"):
        check.check(f"  {path} is gone", not debian.file(path).is_symlink())


def without_systemd(scene):
    """As in a container. The scripts of the package can be run again and again, and the server starts by hand."""
    debian, check = scene.debian, scene.checks
    check.check("the machine is turned off", debian.power_off())
    apt(scene, "install", package_file(scene))
    for _ in range(2):
        debian.run("dpkg-reconfigure", "pbmserv")
    where = f"export PBMSERV_CONFIG={CONFIG} PBMSERV_LMTP_LISTEN=127.0.0.1:2424\n"
    served = debian.run("runuser", "-u", "pbmserv", "--", "sh", "-c", where + SERVE.replace("DO", "pbmserv board show Pow2 101"))
    check.holds("the server starts with what it had, and stops cleanly", served, "Pow2 Board 101", "a7-a13", "exit 0")
    apt(scene, "remove", "pbmserv")
    apt(scene, "purge", "pbmserv")
    nothing_is_lost(scene)


# Starts the server, waits for it, and does what stands in the place of DO. No mail server is here.
SERVE = """
log=$(mktemp)
pbmserv serve >$log 2>&1 & server=$!
for _ in $(seq 100); do pbmserv check | grep -q 'it runs and answers' && break; sleep 0.1; done
DO || cat $log
kill $server; wait $server; echo "exit $?"
"""
