#!/usr/bin/env python3
"""The pages behind real web servers, configured by the lines of deploy/web.md.

    tests/peers/proxies.py [--root FOLDER] PBMSERV [nginx|caddy|apache]...

FOLDER has the programs as their Debian packages hold them, unpacked; without it they are those of the system. Needs openssl.
Uses only 127.0.0.1 and one temporary folder.
"""

import argparse
import http.client
import os
import re
import shutil
import smtplib
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from pathlib import Path

from checks import Checks, await_true
from recipe import Recipe
from scene import free_ports

SERVER = "pbmserv@localhost"
ALICE = "alice@home.example"

CONFIGURATION = """\
[server]
address = "{server}"
data = "{data}"

[smtp]
listen = "127.0.0.1:{smtp}"

[delivery]
transport = "maildir"

[accounts]
confirm = false

[web]
listen = "127.0.0.1:{web}"
url = "https://example.org:{tls}/games/"
trusted_proxies = ["127.0.0.1", "::1"]
"""

MODULES = ["mpm_event", "proxy", "proxy_http", "ssl", "setenvif", "log_config", "authz_core", "socache_shmcb", "unixd"]

# More requests than a network may send at once, also where they come slowly; what it may send at once, and in a second.
BURST = 400
AT_ONCE, A_SECOND = 240, 20


class Place:
    """A web server before pbmserv: its folder and its ports."""

    def __init__(self, folder, root):
        self.folder, self.root = folder, root
        self.smtp, self.web, self.tls = free_ports(3)
        self.certificate, self.key = folder / "cert.pem", folder / "key.pem"
        self.log = folder / "log"
        self.sent = 0

    def program(self, path):
        return str(self.root / path) if self.root else "/" + path

    def environment(self):
        libraries = f"{self.root}/usr/lib/x86_64-linux-gnu" if self.root else ""
        return {**os.environ, "LD_LIBRARY_PATH": libraries, "HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder)}

    def make_certificate(self):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
             "-keyout", self.key, "-out", self.certificate, "-subj", "/CN=example.org"],
            check=True, capture_output=True)

    def recipe(self, name, places):
        return Recipe("web.md").file(name, [], {"127.0.0.1:2580": f"127.0.0.1:{self.web}", **places})

    def nginx(self):
        site = self.recipe("nginx.conf", {
            "443": self.tls,
            "/etc/letsencrypt/live/example.org/fullchain.pem": self.certificate,
            "/etc/letsencrypt/live/example.org/privkey.pem": self.key,
            "/var/log/nginx": self.folder,
        })
        temporary = "".join(f"{kind}_temp_path {self.folder}/{kind};\n"
                            for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
        path = self.folder / "nginx.conf"
        path.write_text(f"daemon off;\nuser root;\npid {self.folder}/pid;\nerror_log {self.log};\nevents {{}}\n"
                        f"http {{\naccess_log {self.folder}/usual.log;\n{temporary}{site}}}\n")
        return [self.program("usr/sbin/nginx"), "-p", str(self.folder), "-e", str(self.log), "-c", str(path)]

    def caddy(self):
        # No certificate can be had here, so there is one.
        site = self.recipe("caddy.conf", {
            "example.org {": f"https://example.org:{self.tls} {{\n    tls {self.certificate} {self.key}",
            "{\n    log": "{\n    admin off\n    auto_https disable_redirects\n    log",
        })
        path = self.folder / "Caddyfile"
        path.write_text(site)
        return [self.program("usr/bin/caddy"), "run", "--adapter", "caddyfile", "--config", str(path)]

    def apache(self):
        site = self.recipe("apache.conf", {
            "*:443": f"*:{self.tls}",
            "/etc/letsencrypt/live/example.org/fullchain.pem": self.certificate,
            "/etc/letsencrypt/live/example.org/privkey.pem": self.key,
            "${APACHE_LOG_DIR}": self.folder,
        })
        modules = self.program("usr/lib/apache2/modules")
        loaded = "".join(f"LoadModule {name}_module {modules}/mod_{name}.so\n" for name in MODULES
                         if Path(f"{modules}/mod_{name}.so").exists())
        path = self.folder / "apache.conf"
        path.write_text(f"ServerRoot {self.folder}\nServerName example.org\nPidFile {self.folder}/pid\n"
                        f"DefaultRuntimeDir {self.folder}\nListen {self.tls}\n{loaded}ErrorLog {self.log}\n"
                        'LogFormat "%h %t \\"%r\\" %>s %b \\"%{Referer}i\\"" combined\n' + site)
        return [self.program("usr/sbin/apache2"), "-X", "-f", str(path)]

    def connect(self, client):
        """A connection from this address of the loopback network."""
        context = ssl.create_default_context(cafile=self.certificate)
        context.check_hostname = False
        raw = socket.create_connection(("127.0.0.1", self.tls), 30, (client, 0))
        connection = http.client.HTTPSConnection("example.org", self.tls, context=context)
        connection.sock = context.wrap_socket(raw, server_hostname="example.org")
        return connection

    def burst(self, path, client):
        """The statuses of many requests over few connections, each in the name of another, and how many may be answered."""
        statuses, begun = [], time.monotonic()
        while len(statuses) < BURST and 429 not in statuses:
            connection = self.connect(client)
            # Web servers end a connection after some hundred requests.
            for number in range(90):
                connection.request("GET", path, headers={"X-Forwarded-For": f"203.0.113.{number}"})
                answer = connection.getresponse()
                answer.read()
                statuses.append(answer.status)
            connection.close()
        return statuses, AT_ONCE + A_SECOND * (time.monotonic() - begun)

    def ask(self, path, method="GET", form=None, client="127.0.0.9", **header):
        """The status, the header and the text of a page, as a browser gets it."""
        connection = self.connect(client)
        body = None if form is None else urllib.parse.urlencode(form)
        fields = {name.replace("_", "-"): value for name, value in header.items()}
        if body is not None:
            fields["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request(method, path, body, fields)
        answer = connection.getresponse()
        found = answer.status, dict(answer.getheaders()), answer.read().decode(errors="replace")
        connection.close()
        return found

    def mail(self, subject):
        self.sent += 1
        with smtplib.SMTP("127.0.0.1", self.smtp) as session:
            session.sendmail(ALICE, [SERVER], f"From: {ALICE}\r\nTo: {SERVER}\r\nSubject: {subject}\r\n"
                                              f"Message-ID: <{self.sent}@home.example>\r\n\r\n")

    def key_of_alice(self):
        """The key to all pages of alice, which is mailed when she asks for it."""
        for path in (self.folder / "data/mail").rglob("new/*"):
            found = re.search(r"/k/(=\r?\n)?(k[a-z0-9=\r\n-]+)/", path.read_text())
            if found:
                return re.sub(r"=\r?\n", "", found.group(2))
        return None

    def logs(self):
        """All that the web server has written."""
        return "\n".join(path.read_text(errors="replace") for path in self.folder.iterdir()
                         if path.is_file() and ("log" in path.name or path.name == "said"))


class Deaf(threading.Thread):
    """In the place of pbmserv: answers GET, and closes the connection of a POST, which it counts."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", port))
        self.posts = 0

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection:
            while data := connection.recv(65536):
                if data.startswith(b"POST"):
                    self.posts += 1
                    return
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


def see(place, checks):
    """What a player sees and does."""
    own = f"/games/k/{place.key_of_alice()}/"
    origin = f"https://example.org:{place.tls}"
    status, header, text = place.ask("/games/")
    checks.check("the house is there", status == 200 and "Pow2" in text, (status, text))
    style = re.search(r'href="([^"]*style.css[^"]*)"', text)
    checks.equal("its style sheet too", place.ask(style.group(1))[0] if style else text, 200)
    tag = {name.lower(): value for name, value in header.items()}.get("etag", "")
    checks.equal("a page that is known is not sent again", place.ask("/games/", If_None_Match=tag)[0], 304)
    status, header, text = place.ask(own)
    fields = {name.lower(): value for name, value in header.items()}
    checks.check("the private page is there", status == 200 and "alice" in text, (status, text))
    checks.equal("and is kept nowhere", fields.get("cache-control"), "no-store")
    form = {"form": "one", "option": "digest on"}
    status, header, _ = place.ask(own + "set", "POST", form, Origin=origin, Sec_Fetch_Site="same-origin")
    fields = {name.lower(): value for name, value in header.items()}
    said = fields.get("location", "").partition("?")[0]
    checks.check("a form does what it says", status == 303 and said.endswith(own), (status, header))
    checks.equal("one from elsewhere does nothing",
                 place.ask(own + "set", "POST", form, Origin="https://evil.example")[0], 403)
    checks.equal("one without a word of where it is from does", place.ask(own + "set", "POST", form)[0], 303)
    one_click = place.ask("/games/u/nothing", "POST", {"List-Unsubscribe": "One-Click"}, Origin="https://mail.example")
    checks.equal("one click unsubscribes from anywhere", one_click[0], 200)
    for path in ["/games/../games/", "/games//", "/games/k/%2e%2e/", "/games/%2e%2e/%2e%2e/etc/passwd"]:
        status = place.ask(path)[0]
        checks.check(f"{path} leads nowhere else", status in (200, 301, 307, 308, 400, 403, 404), status)
    statuses, most = place.burst("/games/robots.txt", "127.0.0.10")
    # A machine that is busy with other work may be slower than the limit.
    checks.check("a visitor who forges X-Forwarded-For is limited all the same", statuses.count(200) <= most,
                 (statuses.count(200), most))
    checks.equal("and others are not", place.ask("/games/robots.txt", client="127.0.0.11")[0], 200)


def fail(place, checks):
    """What the web server does with a form when pbmserv closes the connection."""
    deaf = Deaf(place.web)
    deaf.start()
    place.ask("/games/")
    status, _, _ = place.ask("/games/k/a-key-of-nobody-at-all/set", "POST", {"form": "two"})
    deaf.listener.close()
    checks.check("a form that got no answer ends in an error", status in (502, 503, 504), status)
    checks.equal("and was handed on once", deaf.posts, 1)


def behind(name, place, binary, checks):
    (place.folder / "pbmserv.toml").write_text(CONFIGURATION.format(
        server=SERVER, data=place.folder / "data", smtp=place.smtp, web=place.web, tls=place.tls))
    (place.folder / "data").mkdir(mode=0o700)
    place.make_certificate()
    running = []
    try:
        with (place.folder / "pbmserv.out").open("wb") as out:
            running.append(subprocess.Popen(
                [binary, "--config", place.folder / "pbmserv.toml", "serve"], stdout=out, stderr=out))
        await_true("pbmserv is ready", lambda: b" ready " in (place.folder / "pbmserv.out").read_bytes())
        with (place.folder / "said").open("wb") as said:
            running.append(subprocess.Popen(getattr(place, name)(), stdout=said, stderr=said, env=place.environment()))
        place.mail("signup alice fig7elk")
        place.mail("page alice fig7elk")
        key = await_true("alice has her link", place.key_of_alice)

        def answers():
            try:
                return place.ask("/games/robots.txt")[0] == 200
            except OSError:
                return False

        await_true(lambda: f"{name} answers\n{place.logs()}", answers)
        see(place, checks)
        running[0].terminate()
        running[0].wait(30)
        status, _, _ = place.ask(f"/games/k/{key}/", Referer=f"https://example.org:{place.tls}/games/k/{key}/")
        checks.check("without pbmserv there is an error", status in (502, 503, 504), status)
        # Apache waits a while before it tries again.
        time.sleep(6)
        fail(place, checks)
        time.sleep(0.5)
        logs = place.logs()
        checks.check("no log has a key", key not in logs and "a-key-of-nobody" not in logs,
                     "\n".join(line for line in logs.splitlines() if key in line or "a-key-of" in line))
    finally:
        for process in reversed(running):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path)
    parser.add_argument("binary", type=Path)
    parser.add_argument("names", nargs="*", default=["nginx", "caddy", "apache"])
    options = parser.parse_args()
    checks = Checks()
    for name in options.names:
        print(f"== {name}", flush=True)
        folder = Path(tempfile.mkdtemp(prefix="pbmserv-proxies-"))
        folder.chmod(0o755)
        try:
            behind(name, Place(folder, options.root and options.root.resolve()), options.binary.resolve(), checks)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{checks.passed} checks passed, {checks.failed} failed")
    sys.exit(checks.failed > 0)


if __name__ == "__main__":
    main()
