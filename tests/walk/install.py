"""The first ten minutes: a rented machine with a mail server becomes a game server."""

import re
import shutil

from people import DATA, HOST

DIRECTOR = "ruth"

# deploy/README.md, "I have a VPS with Postfix".
INIT = [
    "pbmserv", "init", "--user", "pbmserv", "--mta", "postfix", "--address", "pbmserv@games.example.org", "--data", DATA,
    "--director", DIRECTOR, "--director-address", f"{DIRECTOR}@{HOST}",
]


def clean_system(scene):
    """What there is before anything is done."""
    debian, check = scene.debian, scene.checks
    debian.unpack()
    debian.boot()
    check.equal("its systemd runs it", debian.run("systemctl", "is-system-running").strip(), "running")
    check.check("no network but lo", debian.run("cat", "/proc/net/dev").count(":") == 1, debian.run("cat", "/proc/net/dev"))
    for name in ("alice", "bob", DIRECTOR):
        debian.run("useradd", "--create-home", name)


def mail_server(scene):
    """Debian's Postfix for a host with mailboxes."""
    debian, check = scene.debian, scene.checks
    answers = f"postfix postfix/main_mailer_type select Internet Site\npostfix postfix/mailname string {HOST}\n"
    debian.run("debconf-set-selections", text=answers)
    debian.run("apt-get", "install", "--yes", "--no-install-recommends", "postfix")
    debian.run("postconf", "-e", "home_mailbox = Maildir/")
    debian.run("systemctl", "reload", "postfix")
    scene.bob.write("Hello", "Are you there?", to=scene.alice.address)
    check.equal("people write to each other", scene.alice.read().subject, "Hello")
    scene.alice.letters.clear()


def package(scene):
    """The program and its account come; nothing runs and nothing is configured yet."""
    debian, check = scene.debian, scene.checks
    place = debian.file("/root") / scene.package.name
    shutil.copy(scene.package, place)
    said = debian.run("apt-get", "install", "--yes", f"/root/{scene.package.name}")
    check.holds("it says what to do next", said, 'run "pbmserv init --user pbmserv" now')
    check.check("what it recommends has come with it", debian.file("/etc/ssl/certs/ca-certificates.crt").is_file(), said)
    version = debian.run("dpkg-query", "--show", "--showformat=${Version}", "pbmserv").split("-")[0]
    check.equal("the program is that version", debian.run("pbmserv", "--version").strip(), f"pbmserv {version}")
    account = debian.run("getent", "passwd", "pbmserv").strip().split(":")
    check.equal("the account has no shell and a home", account[5:], [DATA, "/usr/sbin/nologin"])
    check.check("its number is a system account's", int(account[2]) < 1000, account)
    for folder in (DATA, f"{DATA}-backups"):
        found = debian.run("stat", "--format=%U %G %a", folder).strip()
        check.equal(f"{folder} is that account's alone", found, "pbmserv pbmserv 700")
    state = scene.server.state()
    check.equal("nothing is started before init", (state["ActiveState"], state["UnitFileState"]), ("inactive", "disabled"))
    said = debian.run("systemd-analyze", "verify", "--man=no", "pbmserv.service", "pbmserv-backup.service", "pbmserv-backup.timer")
    check.equal("systemd has nothing to say against the units", said, "")
    listed = debian.run("dpkg", "--listfiles", "pbmserv").split()
    for path in (
        "/usr/share/man/man1/pbmserv.1.gz", "/usr/share/man/man1/pbmserv-restore.1.gz", "/usr/share/doc/pbmserv/copyright",
        "/usr/share/bash-completion/completions/pbmserv", "/usr/share/zsh/vendor-completions/_pbmserv",
        "/usr/share/fish/vendor_completions.d/pbmserv.fish", "/usr/share/doc/pbmserv/README.md",
    ):
        check.check(f"{path} is there", path in listed and debian.file(path).stat().st_size > 100, listed)
    debian.run("bash", "-n", "/usr/share/bash-completion/completions/pbmserv")


def init(scene):
    """The configuration, the first director, and the lines for Postfix, which are put where it says."""
    debian, check = scene.debian, scene.checks
    output = debian.run(*INIT)
    check.holds("the director has a password", output, f"{DIRECTOR}", "password")
    found = debian.run("stat", "--format=%U %G %a", "/etc/pbmserv.toml").strip()
    check.equal("root's configuration, which the account can read", found, "root pbmserv 640")
    found = debian.run("find", DATA, "!", "-user", "pbmserv").strip()
    check.equal("all in the data folder is the account's", found, "")
    places = apply(debian, output)
    expected = ["/etc/tmpfiles.d/pbmserv.conf", "/etc/postfix/pbmserv", "/etc/postfix/master.cf", "/etc/postfix/main.cf"]
    check.equal("its lines are put into these files", sorted(set(places)), sorted(expected))
    again = debian.ask(*INIT)
    check.equal("a second init refuses", again.returncode, 1)
    check.holds("  and names what is there", again.stdout, "/etc/pbmserv.toml is there already")


def apply(debian, output, is_shared=False):
    """Does what `init` says: the lines go to the ends of the files, and the commands behind them are run."""
    places = []
    for place, lines in re.findall(r"^Into (.*):\n\n((?:.+\n)+)", output, re.MULTILINE):
        if "instead, if" in place and not is_shared:
            # The domain is used only for the games.
            continue
        path = re.match(r"[\w./]+", place).group()
        with debian.file(path).open("a") as file:
            file.write(lines)
        places.append(path)
    debian.run("systemd-tmpfiles", "--create")
    debian.run("postfix", "check")
    debian.run("postfix", "reload")
    return places
