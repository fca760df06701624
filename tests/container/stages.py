"""The life of an image, from its build to a game that was restored."""

import ctypes
import json
import os
import re
import signal
import subprocess
from pathlib import Path

import game
from checks import Failed, await_true

REPOSITORY = Path(__file__).resolve().parents[2]
NEW_NETWORK = 0x40000000
ACCOUNT = 2525
BEFORE_BACKUP = ["m1-m7", "a13-a7"]


def words_of(scene, *known, **places):
    """The command of the page that has the known words, with the examples of `places` replaced."""
    command = scene.page.command(*known)
    for example, value in places.items():
        command = [word.replace(example, value) for word in command]
    # As with Docker: podman's --read-only would leave /tmp, /run and /var/tmp writable.
    own = ["--read-only-tmpfs=false", *scene.podman.limits] if command[0] == "run" else []
    return [command[0], *own, *command[1:]]


def as_told(scene, *known, **places):
    """Runs that command."""
    return scene.podman.run(*words_of(scene, *known, **places))


def build(scene):
    """As the page says, from the package that is given."""
    check, podman = scene.checks, scene.podman
    command = scene.page.command("build")
    # Docker's format is the one with a health check. What an earlier build left is not used.
    options = ["--format", "docker", "--no-cache", "--network", "host", *podman.limits]
    done = subprocess.run(
        [*podman.options, command[0], *options, *command[1:]], cwd=REPOSITORY, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=600, check=False,
    )
    check.check("the image is built", done.returncode == 0, done.stdout[-3000:])
    if done.returncode != 0:
        raise Failed("there is no image")
    image = json.loads(podman.run("image", "inspect", "pbmserv"))[0]
    print(f"          | {image['Size'] // 1_000_000} MB", flush=True)
    version = subprocess.check_output(["dpkg-deb", "--field", scene.package, "Version"], text=True).split("-")[0]
    said = podman.run("run", "--rm", "--network", "none", *podman.limits, "pbmserv", "--version").strip()
    check.equal("  the program is that of the package", said, f"pbmserv {version}")


def own_network(scene):
    """What follows has a network with nothing in it but lo and what podman adds."""
    if ctypes.CDLL(None, use_errno=True).unshare(NEW_NETWORK) != 0:
        raise Failed(f"no network of its own: {os.strerror(ctypes.get_errno())}")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    leases = Path("/var/lib/cni")
    if leases.is_dir():
        # The machine's own podman keeps its addresses there.
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", leases], check=True)
    scene.postfix.listen()


def init(scene):
    """The configuration and the director come into the volume."""
    own_network(scene)
    check, podman = scene.checks, scene.podman
    gateway = json.loads(podman.run("network", "inspect", "podman"))[0]["subnets"][0]["gateway"]
    words = words_of(scene, "init", alice="ruth", **{"RELAY:25": f"{gateway}:{scene.postfix.relay}"})
    output = podman.run(*words)
    check.holds("the director has a password", output, "ruth: account created", "the password is")
    check.holds("  the configuration is in the volume", output, "The configuration is /data/pbmserv.toml")
    volume = scene.server.data.parent
    found = {(path.stat().st_uid, path.stat().st_mode & 0o007) for path in [volume, *volume.rglob("*")]}
    check.equal("  all there is the account's, and nobody else can read it", found, {(ACCOUNT, 0)})
    again = podman.ask(*words)
    check.equal("a second init refuses", again.returncode, 1)
    check.holds("  and names what is there", again.stderr, "/data/pbmserv.toml is there already")


def start(scene):
    """Healthy, and with no rights but those on its volume."""
    check, podman = scene.checks, scene.podman
    as_told(scene, "-d")
    is_well(scene)
    tried = podman.ask("healthcheck", "run", "pbmserv")
    check.check("  and so does the health check", tried.returncode == 0, tried)
    status = dict(re.findall(r"^(\w+):\s*(.*)$", podman.run("exec", "pbmserv", "cat", "/proc/1/status"), re.MULTILINE))
    check.equal("it runs as its account", status["Uid"].split(), [str(ACCOUNT)] * 4)
    check.equal("  with no rights of root", (status["CapEff"], status["CapBnd"], status["NoNewPrivs"]), ("0" * 16, "0" * 16, "1"))
    for path in ("/usr/bin", "/etc", "/tmp", "/"):
        said = podman.ask("exec", "--user", "0", "pbmserv", "touch", f"{path}/pbmserv-was-here").stderr
        check.holds(f"  {path} is read-only, for root too", said, "Read-only file system")


def is_well(scene):
    """The operator's look at everything, when the server answers."""
    def answers():
        return "it runs and answers" in scene.podman.ask(*words_of(scene, "exec", "check")).stdout

    await_true(lambda: f"the server answers{scene.postfix.tail()}", answers, 30)
    found = as_told(scene, "exec", "check")
    scene.checks.holds("pbmserv check finds nothing", found, "it runs and answers", "all is well")


def play(scene):
    """From the signup to the first turns, with what each finds in the mailbox."""
    game.sign_up(scene)
    game.begin(scene)
    game.err(scene)
    game.play(scene)


def relay_away(scene):
    """An answer waits, and the container says that it is not well."""
    check, podman = scene.checks, scene.podman
    scene.postfix.is_away = True
    scene.alice.write("help tutorial")
    await_true("the answer waits", scene.server.unsent)
    done = podman.ask("healthcheck", "run", "pbmserv")
    check.check("the relay is away: the container is not healthy", done.returncode != 0, done)
    scene.postfix.is_away = False
    check.equal("  it is back: the answer arrives", scene.alice.read().subject, "Help: tutorial")
    # The games' own answers go to the last letter of a board.
    scene.alice.letters.pop()
    scene.no_more_mail("  once")


def log_holds(scene, text):
    """Waits until the log has it."""
    return await_true(lambda: f"{text!r} in the log{scene.postfix.tail()}", lambda: text in scene.server.log())


def stop(scene):
    """Reloaded, stopped, removed, and made again on the same volume."""
    check, podman = scene.checks, scene.podman
    as_told(scene, "kill", "HUP")
    check.check("a reload is one", log_holds(scene, "limits and templates are reloaded"))
    as_told(scene, "stop")
    check.equal("it stops cleanly", scene.server.state()["ExitCode"], 0)
    check.check("  and says so last", scene.server.log().strip().endswith("stopped"), scene.postfix.tail())
    as_told(scene, "rm")
    as_told(scene, "-d")
    is_well(scene)
    check.equal("a new container has the games", scene.turns(), BEFORE_BACKUP)
    scene.no_more_mail("  no old mail is sent again")


def killed(scene):
    """Its process dies: the container starts again, and loses nothing."""
    check = scene.checks
    old = scene.server.state()
    os.kill(old["Pid"], signal.SIGKILL)

    def is_new():
        state = scene.server.state()
        return state["Running"] and state["Pid"] not in (0, old["Pid"])

    await_true(lambda: f"the container runs again {scene.server.state()}", is_new)
    is_well(scene)
    check.equal("killed: it starts again, with the games", scene.turns(), BEFORE_BACKUP)
    scene.no_more_mail("  no old mail is sent again")


def backup(scene):
    """A backup, and two turns that come too late for it."""
    as_told(scene, "backup")
    found = sorted(path.name for path in (scene.server.data.parent / "backups").iterdir())
    scene.checks.equal("the backup is there", len(found), 1)
    scene.backup = found[0]
    scene.invitation = next(letter for letter in scene.alice.letters if letter.sentence.startswith("bob played a13-a7"))
    game.play_by_answers(scene)


def restore(scene):
    """Back to the backup, and the game goes on."""
    check = scene.checks
    as_told(scene, "stop")
    output = as_told(scene, "restore", BACKUP=scene.backup)
    check.holds("it says what comes back", output, "restored: 3 players, 1 boards, 2 turns")
    as_told(scene, "start")
    is_well(scene)
    check.equal("the board stands as in the backup", scene.turns(), BEFORE_BACKUP)
    scene.no_more_mail("no old mail is sent again")
    scene.alice.answer(scene.invitation, "m7-g1")
    for player, letter in zip(scene.players, scene.both_read()):
        check.holds(f"{player.userid} gets alice's turn", letter.text, game.ROW_1_AFTER_M7_G1)
    check.equal("it is stored", scene.turns(), [*BEFORE_BACKUP, "m7-g1"])
    scene.no_more_mail("nobody got anything else")


# In this order: each stage continues from the one before.
ALL = [
    ("the image", build),
    ("the first run, into a volume", init),
    ("started", start),
    ("two players and a board, by mail", play),
    ("the relay is away", relay_away),
    ("reloaded, stopped, and a new container", stop),
    ("killed", killed),
    ("a backup, and turns that come too late for it", backup),
    ("restored", restore),
]
