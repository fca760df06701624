"""Encrypted mail: from a Postfix that requires TLS, and from swaks."""

import shutil
import signal
import smtplib
import ssl
import subprocess

import faults
import game
from certificates import Authority
from checks import await_true
from player import Player
from postfix import Postfix
from recipe import Recipe
from scene import ACCOUNT, Scene, free_ports
from server import Server


def way(folder, binary, checks, stack):
    """As `run.py` calls it."""
    relay, listen = free_ports(2)
    authority = Authority(folder, "authority")
    certificate, key = folder / "fullchain.pem", folder / "privkey.pem"
    renew(authority, certificate, key)
    recipe, variants = Recipe(), ["smtp-tls", "smtp", "own-domain"]
    postfix, server = Postfix(folder, relay, ACCOUNT), Server(folder, binary, ACCOUNT)
    places = {
        "/etc/postfix/pbmserv": postfix.config / "pbmserv",
        "/etc/postfix/pbmserv-tls": postfix.config / "pbmserv-tls",
        "/etc/pbmserv/fullchain.pem": certificate,
        "/etc/pbmserv/privkey.pem": key,
        "/var/lib/pbmserv": server.data,
        "127.0.0.1:2525": f"127.0.0.1:{listen}",
        "[127.0.0.1]:2525": f"[127.0.0.1]:{listen}",
        "127.0.0.1:25\"": f"127.0.0.1:{relay}\"",
    }
    more = {"smtp_tls_loglevel": "1", "smtp_tls_CAfile": authority.root}
    # The page's section with encryption replaces the plain one.
    text = recipe.file("pbmserv.toml", ["smtp-tls"], places)
    postfix.write(recipe, variants, places, ["alice", "bob"], more)
    server.write(text)
    stack.callback(postfix.stop)
    stack.callback(server.stop)
    postfix.start()
    server.start()
    players = [
        Player("alice", "Rose-4711-water", postfix, with_swaks=True),
        Player("bob", "Open-1001-sesame", postfix, with_swaks=False),
    ]
    scene = Scene("STARTTLS", checks, postfix, server, players)
    game.sign_up(scene)
    game.begin(scene)
    game.play(scene)
    log = postfix.log.read_text()
    checks.holds("Postfix says that all was encrypted", log, f"TLS connection established to 127.0.0.1[127.0.0.1]:{listen}: TLSv1.3")
    checked_name(scene, listen)
    by_swaks(scene, listen, authority)
    renewed(scene, listen, authority, certificate, key)
    without(scene)
    wrong_at_start(scene, certificate, key)


def renew(authority, certificate, key):
    """Puts a fresh certificate in the place of the old one."""
    fresh, fresh_key = authority.issue("games.example.org")
    shutil.copy(fresh, certificate)
    shutil.copy(fresh_key, key)


def checked_name(scene, listen):
    """Postfix also checks the name in the certificate, and refuses another."""
    policy = scene.postfix.config / "pbmserv-tls"
    for match, word in [("games.example.org", "Verified"), ("elsewhere.example", None)]:
        policy.write_text(f"[127.0.0.1]:{listen}  secure match={match}\n")
        scene.postfix.run("postfix", "reload")
        if word is None:
            faults.waits(scene, "the name in the certificate is another", "not verified")
        else:
            scene.alice.write("help tutorial")
            scene.checks.equal("the name in the certificate is checked", scene.alice.read().subject, "Help: tutorial")
            scene.checks.holds("  Postfix says so", scene.postfix.log.read_text(), f"{word} TLS connection established to 127.0.0.1")
    policy.write_text(f"[127.0.0.1]:{listen}  encrypt\n")
    scene.postfix.run("postfix", "reload")
    faults.arrives(scene)


def by_swaks(scene, listen, authority):
    """swaks speaks to the listener itself."""
    done = subprocess.run(
        ["swaks", "--server", f"127.0.0.1:{listen}", "--timeout", "20s", "--helo", "players.test", "--tls", "--tls-verify",
         "--tls-ca-path", str(authority.root), "--from", scene.alice.address, "--to", "pbmserv@games.example.org",
         "--h-Subject", "help tutorial"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, check=False,
    )
    scene.checks.holds("swaks: the mail is taken, encrypted", done.stdout, "TLS started with cipher TLSv1.3", "<~  250 2.0.0 Accepted")
    after = done.stdout.partition("TLS started")[2]
    scene.checks.check("  STARTTLS is not offered again", "STARTTLS" not in after, after)
    scene.checks.equal("  and answered", scene.alice.read().subject, "Help: tutorial")


def serial(listen, authority):
    """The serial number of the certificate that is shown."""
    context = ssl.create_default_context(cafile=str(authority.root))
    with smtplib.SMTP("127.0.0.1", listen, timeout=10) as session:
        # The library checks the name to which it connects.
        session._host = "games.example.org"
        session.starttls(context=context)
        return session.sock.getpeercert()["serialNumber"]


def renewed(scene, listen, authority, certificate, key):
    """SIGHUP takes a renewed certificate, and keeps the old one if the new one cannot be used."""
    before = serial(listen, authority)
    renew(authority, certificate, key)
    scene.checks.equal("a renewed certificate waits for SIGHUP", serial(listen, authority), before)
    scene.server.daemon.send_signal(signal.SIGHUP)
    await_true("the renewed certificate is shown", lambda: serial(listen, authority) != before)
    after = serial(listen, authority)
    other, _ = authority.issue("games.example.org")
    shutil.copy(other, certificate)
    scene.server.daemon.send_signal(signal.SIGHUP)
    await_true("the log says so", lambda: "the old certificate stays: smtp.key" in scene.server.log.read_text())
    scene.checks.equal("a certificate of another key is not taken", serial(listen, authority), after)
    renew(authority, certificate, key)


def without(scene):
    """A server without a certificate gets no mail from a Postfix that requires encryption."""
    scene.server.stop()
    scene.server.environment = {"PBMSERV_SMTP_CERTIFICATE": "", "PBMSERV_SMTP_KEY": ""}
    scene.server.start()
    faults.waits(scene, "there is no certificate", "TLS is required, but was not offered")
    scene.server.stop()
    scene.server.environment = {}
    scene.server.start()
    faults.arrives(scene)
    scene.checks.equal("the daemon stops cleanly", scene.server.stop(), 0)


def wrong_at_start(scene, certificate, key):
    """A certificate that cannot be used stops the start with one sentence."""
    good = key.read_text()
    for what, text, parts in [
        ("no key", "", [f"smtp.key: {key}: it holds no private key", "name a PEM file"]),
        ("the certificate in its place", certificate.read_text(), [f"smtp.key: {key}: it holds no private key"]),
    ]:
        key.write_text(text)
        failed = scene.server.spawn(["serve"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        _, said = failed.communicate(timeout=30)
        scene.checks.equal(f"{what}: the server does not start", failed.returncode, 1)
        scene.checks.holds("  and says why", said, *parts)
        scene.checks.equal("  in one line", len(said.splitlines()), 1)
    key.write_text(good)


WAYS = [("STARTTLS from Postfix and swaks", way)]
