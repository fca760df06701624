"""Delivery through an authenticated, encrypted relay, and through the program sendmail; both are a real Postfix."""

import grp
import json
import os
import signal
import subprocess

from certificates import Authority
from checks import await_true
from player import SERVER, Player
from postfix import Postfix
from recipe import Recipe
from scene import ACCOUNT, Scene, free_ports
from server import Server

PASSWORD = "Relay-9000-hours"

SERVICES = """\
127.0.0.1:{wrapped} inet n - n - - smtpd
  -o smtpd_tls_wrappermode=yes {common}
127.0.0.1:{submission} inet n - n - - smtpd
  -o smtpd_tls_security_level=encrypt {common}
"""
# Without a login nothing is permitted.
COMMON = (
    "-o smtpd_sasl_auth_enable=yes -o smtpd_client_restrictions=permit_sasl_authenticated,reject"
    " -o smtpd_relay_restrictions=permit_sasl_authenticated,reject -o mynetworks=192.0.2.1"
)

DOVECOT = """\
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/dovecot.log
protocols =
ssl = no
auth_mechanisms = plain login
passdb {{
  driver = passwd-file
  args = scheme=plain username_format=%u {folder}/passwords
}}
userdb {{
  driver = static
  args = uid=nobody gid=nogroup home={folder}
}}
service auth {{
  unix_listener {socket} {{
    mode = 0660
    user = postfix
    group = postfix
  }}
}}
"""


def dovecot(folder, socket, stack):
    """Starts the Dovecot that checks passwords for Postfix."""
    folder.mkdir(mode=0o755)
    (folder / "passwords").write_text(f"games:{{PLAIN}}{PASSWORD}\n")
    (folder / "passwords").chmod(0o644)
    config = folder / "dovecot.conf"
    config.write_text(DOVECOT.format(folder=folder, socket=socket))
    with (folder / "said").open("wb") as said:
        process = subprocess.Popen(["dovecot", "-F", "-c", str(config)], stdin=subprocess.DEVNULL, stdout=said, stderr=said)
    stack.callback(process.wait, 10)
    stack.callback(process.send_signal, signal.SIGTERM)
    await_true(lambda: f"Dovecot listens: {(folder / 'said').read_text()}", socket.exists)


def start(folder, binary, checks, stack, variants, places, more=None, services=""):
    """A Postfix and a pbmserv that is not started yet."""
    relay, listen = free_ports(2)
    postfix, server = Postfix(folder, relay, ACCOUNT), Server(folder, binary, ACCOUNT)
    places = {
        "/etc/postfix/pbmserv": postfix.config / "pbmserv",
        "/var/lib/pbmserv": server.data,
        "127.0.0.1:2525": f"127.0.0.1:{listen}",
        "[127.0.0.1]:2525": f"[127.0.0.1]:{listen}",
        **places,
    }
    recipe = Recipe()
    postfix.write(recipe, ["smtp", "own-domain"], places, ["alice", "bob"], more, services)
    # A section may occur only once in a TOML file: [delivery] is the variant's or the test's.
    common = recipe.blocks["pbmserv.toml", None].partition("[delivery]")[0]
    recipe.blocks["pbmserv.toml", None] = common
    server.write(recipe.file("pbmserv.toml", ["smtp", *variants], places))
    stack.callback(postfix.stop)
    stack.callback(server.stop)
    postfix.start()
    players = [
        Player("alice", "Rose-4711-water", postfix, with_swaks=True),
        Player("bob", "Open-1001-sesame", postfix, with_swaks=False),
    ]
    return Scene("delivery", checks, postfix, server, players)


def answered(scene, what):
    """Checks that a question is answered, once; the answer."""
    scene.alice.write("help tutorial")
    letter = scene.alice.read()
    scene.checks.equal(what, letter.subject, "Help: tutorial")
    return letter


def waits(scene, what, *reasons):
    """Checks that an answer stays in pbmserv's queue and says why."""
    scene.alice.write("help tutorial")
    def failed():
        return [mail for mail in scene.server.unsent() if mail["last_error"]]
    rows = await_true(lambda: f"{what}: the answer fails {scene.server.unsent()}", failed)
    scene.checks.equal(f"{what}: the answer waits in pbmserv's queue", len(rows), 1)
    scene.checks.holds("  and says why", rows[0]["last_error"], *reasons)
    scene.checks.check("  without the password", PASSWORD not in json.dumps(rows), rows)
    scene.checks.check("  and nothing was delivered", not scene.alice.new_files())
    return rows[0]


def arrives(scene, row):
    """Checks that what waited is delivered now, once."""
    scene.server.verb("queue", "retry", str(row["id"]))
    scene.checks.equal("  repaired: the answer arrives", scene.alice.read().subject, "Help: tutorial")
    scene.no_more_mail("  once")


def restart(scene, **environment):
    """The daemon with other settings."""
    scene.server.stop()
    scene.server.environment.update(environment)
    scene.server.start()


def relay(folder, binary, checks, stack):
    """An authenticated relay: implicit TLS, STARTTLS, and what may be wrong with either."""
    wrapped, submission = free_ports(2)
    ours, others = Authority(folder, "ours"), Authority(folder, "others")
    certificate, key = ours.issue("localhost")
    more = {
        "smtpd_tls_cert_file": certificate, "smtpd_tls_key_file": key, "smtpd_tls_auth_only": "yes",
        "smtpd_sasl_type": "dovecot", "smtpd_sasl_path": "private/auth", "smtpd_tls_received_header": "yes",
        "smtpd_sasl_authenticated_header": "yes", "smtpd_sasl_security_options": "noanonymous",
    }
    services = SERVICES.format(wrapped=wrapped, submission=submission, common=COMMON)
    scene = start(folder, binary, checks, stack, [], {}, more, services)
    dovecot(folder / "dovecot", scene.postfix.queue / "private" / "auth", stack)
    password = folder / "password"
    password.write_text(f"{PASSWORD}\n")
    password.chmod(0o600)
    os.chown(password, scene.server.account.pw_uid, scene.server.group)
    implicit = f"smtps://games@localhost:{wrapped}"
    explicit = f"smtp://games@localhost:{submission}?tls=required"
    scene.server.environment = {
        "PBMSERV_DELIVERY_TRANSPORT": "smtp", "PBMSERV_DELIVERY_PASSWORD_FILE": str(password),
        "SSL_CERT_FILE": str(ours.root),
    }
    for what, url in [("implicit TLS", implicit), ("STARTTLS", explicit)]:
        restart(scene, PBMSERV_DELIVERY_URL=url)
        letter = answered(scene, f"{what}: an answer goes through the relay")
        received = " ".join(" ".join(letter.mail.get_all("Received")).split())
        checks.holds("  encrypted, and logged in", received, "using TLSv1.3", "(Authenticated sender: games)")

        password.write_text("Wrong-1234-word\n")
        restart(scene)
        row = waits(scene, f"{what}, a wrong password", "AUTH: 535")
        checks.check("  nor the wrong one", "Wrong-1234-word" not in json.dumps(row), row)
        password.write_text(f"{PASSWORD}\n")
        restart(scene)
        arrives(scene, row)

        restart(scene, SSL_CERT_FILE=str(others.root))
        row = waits(scene, f"{what}, a certificate of an unknown authority", "certificate", "does not know who signed it")
        restart(scene, SSL_CERT_FILE=str(ours.root), PBMSERV_DELIVERY_URL=url.replace("localhost", "127.0.0.1"))
        scene.server.verb("queue", "retry", str(row["id"]))

        def other_name():
            return [mail for mail in scene.server.unsent() if "is for another name" in (mail["last_error"] or "")]

        checks.check("  nor is one of another name taken", await_true(lambda: str(scene.server.unsent()), other_name))
        restart(scene, PBMSERV_DELIVERY_URL=url)
        arrives(scene, row)
    checks.equal("the daemon stops cleanly", scene.server.stop(), 0)
    files = [path for path in (scene.server.log, scene.postfix.log, *scene.server.data.rglob("*")) if path.is_file()]
    found = [str(path) for path in files for word in (PASSWORD, "Wrong-1234-word") if word.encode() in path.read_bytes()]
    checks.equal(f"neither password stands in any of {len(files)} files", found, [])


def sendmail(folder, binary, checks, stack):
    """Postfix's own sendmail, configured for the private instance."""
    program = folder / "sendmail"
    scene = start(folder, binary, checks, stack, ["sendmail"], {"/usr/sbin/sendmail": program})
    # Its option -C is permitted to root only, or for folders that the system's main.cf lists.
    real = f"#!/bin/sh\nMAIL_CONFIG={scene.postfix.config} exec /usr/sbin/sendmail \"$@\"\n"
    program.write_text(real)
    program.chmod(0o755)
    # postdrop runs setgid, and ignores the environment of callers without these rights.
    scene.server.group = grp.getgrnam("postdrop").gr_gid
    scene.server.start()
    letter = answered(scene, "an answer leaves by sendmail")
    local, domain = SERVER.split("@")
    sender = letter.field("Return-Path")
    checks.check("  with the envelope sender of its number", sender.startswith(f"<{local}+b") and sender.endswith(f"@{domain}>"), sender)
    checks.check("  its lines are lines", b"\r" not in letter.raw and "\n\n" in letter.text, letter.raw)
    scene.no_more_mail("  once")

    program.write_text("#!/bin/sh\necho \"$0: queue of $3 is full\" >&2\nexit 75\n")
    row = waits(scene, "sendmail has no room", "exit status: 75", "pbmserv+******@games.example.org is full")
    program.write_text(real)
    arrives(scene, row)

    program.write_text("#!/bin/sh\necho 'no such user' >&2\nexit 67\n")
    scene.alice.write("help tutorial")

    def given_up():
        rows = json.loads(scene.server.verb("queue", "list", "--state", "failed", "--json"))
        return [mail for mail in rows if "exit status: 67: no such user" in (mail["last_error"] or "")]

    checks.check("sendmail knows no such user: the answer is given up", await_true("it fails", given_up))
    program.write_text(real)

    scene.postfix.stop()
    question = f"From: {scene.bob.address}\nTo: {SERVER}\nSubject: help tutorial\nMessage-ID: <down@players.test>\n\n"
    ingest = scene.server.spawn(
        ["ingest", f"--sender={scene.bob.address}", f"--recipient={SERVER}"], stdin=subprocess.PIPE, text=True
    )
    ingest.communicate(question, timeout=60)
    checks.equal("Postfix is down: a question comes by the pipe", ingest.returncode, 0)
    await_true("sendmail has taken the answer", lambda: not scene.server.unsent())
    scene.postfix.start()
    checks.equal("  Postfix is back: the answer arrives", scene.bob.read().subject, "Help: tutorial")
    scene.no_more_mail("  once")
    checks.equal("the daemon stops cleanly", scene.server.stop(), 0)


WAYS = [("delivery by an authenticated relay", relay), ("delivery by sendmail", sendmail)]
