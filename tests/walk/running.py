"""The server under its unit: its sandbox, a game, and stops and kills that lose no mail."""

import re

import game
from checks import await_true
from people import DATA

UNITS = ["pbmserv", "pbmserv-backup.timer"]


def start(scene):
    """Enabled and started; `systemctl` comes back when the server has said that it is ready."""
    debian, check = scene.debian, scene.checks
    debian.run("systemctl", "enable", "--now", *UNITS)
    state = scene.server.state()
    check.equal("the server runs", (state["ActiveState"], state["SubState"]), ("active", "running"))
    check.equal("the backups have their time", debian.run("systemctl", "is-active", UNITS[1]).strip(), "active")
    is_well(scene)
    sandbox(scene, state["MainPID"])


def sandbox(scene, number):
    """The kernel enforces what pbmserv.service asks for."""
    debian, check = scene.debian, scene.checks
    status = dict(line.split(":\t", 1) for line in debian.run("cat", f"/proc/{number}/status").splitlines() if ":\t" in line)
    account = debian.run("id", "-u", "pbmserv").strip()
    check.equal("it runs as its account", status["Uid"].split(), [account] * 4)
    check.equal("  with no rights of root", (status["CapEff"], status["CapBnd"], status["NoNewPrivs"]), ("0" * 16, "0" * 16, "1"))
    check.equal("  and a filter of system calls", status["Seccomp"], "2")
    check.equal("  its files are its own", status["Umask"], "0077")
    limits = debian.run("cat", f"/proc/{number}/limits")
    check.check("  a thousand connections have room", re.search(r"^Max open files +8192 +8192 ", limits, re.MULTILINE), limits)
    bounds = debian.run("systemctl", "show", "--property=MemoryMax", "--property=TasksMax", "pbmserv")
    for bound in (f"MemoryMax={640 * 1024 * 1024}", "TasksMax=128"):
        check.holds(f"  it has a bound: {bound}", bounds, bound)
    for space in ("mnt", "user"):
        own, others = (debian.run("readlink", f"/proc/{of}/ns/{space}") for of in (number, 1))
        check.check(f"  it has a private namespace: {space}", own != others, own)
    inside = ["nsenter", "--target", number, "--mount"]
    for path in ("/etc", "/usr", "/var/lib", "/var/spool"):
        said = debian.run(*inside, "touch", f"{path}/pbmserv-was-here", may_fail=True)
        check.holds(f"  {path} is read-only", said, "Read-only file system")
    for path in (DATA, f"{DATA}-backups", "/run/pbmserv", "/tmp"):
        debian.run(*inside, "touch", f"{path}/pbmserv-was-here")
        debian.run(*inside, "rm", f"{path}/pbmserv-was-here")
    said = debian.run(*inside, "ls", "/home", may_fail=True)
    check.check("  it does not see the homes", "alice" not in said, said)


def is_well(scene):
    """The operator's look at everything."""
    found = scene.server.verb("check")
    scene.checks.holds("pbmserv check finds nothing", found, "it runs and answers", "all is well")


def play(scene):
    """From the signup to the first turns, with what each finds in the mailbox."""
    game.sign_up(scene)
    game.begin(scene)
    game.play(scene)


def kills(scene):
    """What came while the server was away waits in the mail server's queue."""
    debian, check, alice = scene.debian, scene.checks, scene.alice
    debian.run("systemctl", "kill", "--kill-whom=main", "--signal=KILL", "pbmserv")
    alice.write(f"Pow2 chat 101 alice {alice.password}", "Are you still there?")
    await_true("systemd starts it again", lambda: is_running(scene, restarts="1"))
    scene.postfix.flush()
    for letter in scene.both_read():
        check.holds("what came meanwhile is answered", letter.text, "Are you still there?")
    number = scene.server.state()["MainPID"]
    debian.run("systemctl", "reload", "pbmserv")
    # systemd sends the signal, and does not wait for what it does.
    journal = ["journalctl", "--no-pager", "--output=cat", "--unit=pbmserv"]
    await_true("a reload is one", lambda: "limits and templates are reloaded" in debian.run(*journal))
    check.check("  and leaves it running", is_running(scene, restarts="1") and scene.server.state()["MainPID"] == number)
    scene.no_more_mail("nobody got anything else")

    check.check("the machine can be turned off", debian.power_off())
    debian.boot()
    check.check("and on: the server runs", is_running(scene), scene.server.state())
    found = debian.run("stat", "--format=%U %G %a", "/run/pbmserv").strip()
    check.equal("  the folder of the socket is there again", found, "pbmserv postfix 2750")
    is_well(scene)
    scene.no_more_mail("  no old mail is sent again")


def is_running(scene, restarts="0"):
    """Whether systemd has it running, after this many automatic restarts."""
    state = scene.server.state()
    return (state["ActiveState"], state["SubState"], state["NRestarts"]) == ("active", "running", restarts)
