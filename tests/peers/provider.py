"""A private mail provider: a Dovecot with mailboxes, and a Postfix that delivers into them, all on loopback.

Neither uses the system's configuration; Dovecot runs as an ordinary account.
"""

import grp
import imaplib
import os
import pwd
import signal
import ssl
import subprocess
import time

from certificates import Authority
from checks import await_true
from postfix import Postfix
from tokens import Tokens

DOVECOT = """\
protocols = imap
base_dir = {folder}/dovecot
state_dir = {folder}/dovecot-state
log_path = {folder}/dovecot.log
listen = 127.0.0.1
ssl = yes
ssl_cert = <{certificate}
ssl_key = <{key}
disable_plaintext_auth = no
auth_mechanisms = plain login xoauth2 oauthbearer
default_internal_user = {account}
default_internal_group = {group}
default_login_user = {account}
mail_location = maildir:{mailboxes}/%n
# A person would try again after a failed login; a test does not wait.
auth_failure_delay = 0
mail_max_userip_connections = 50
passdb {{
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = {folder}/oauth2.conf
}}
passdb {{
  driver = passwd-file
  args = scheme=PLAIN username_format=%u {folder}/passwords
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={folder}/homes/%n
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = {imaps}
    ssl = yes
  }}
}}
service anvil {{
  chroot =
}}
service auth {{
  unix_listener {folder}/auth {{
    mode = 0666
  }}
}}
"""

# Dovecot asks the token service who a token belongs to.
OAUTH2 = """\
tokeninfo_url = http://127.0.0.1:{tokens}/info?access_token=
username_attribute = username
"""

MAIN = """\
recipient_delimiter = +
virtual_mailbox_domains = players.test, games.example.org
virtual_mailbox_maps = texthash:{config}/players, inline:{{pbmserv@games.example.org=pbmserv/}}
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = {folder}/auth
smtpd_tls_cert_file = {certificate}
smtpd_tls_key_file = {key}
smtpd_tls_security_level = may
"""

# The submission port: implicit TLS, and a password is required.
SUBMISSION = """\
127.0.0.1:{port} inet n - n - - smtpd
  -o smtpd_tls_wrappermode=yes
  -o smtpd_relay_restrictions=permit_sasl_authenticated,reject
  -o smtpd_recipient_restrictions=permit_sasl_authenticated,reject
"""


class Lines:
    """The lines of the provider's Postfix, as a recipe has them."""

    def __init__(self, main, master):
        self.texts = {"main.cf": main, "master.cf": master, "transport": ""}
        self.blocks = {("master.cf", "provider"): master}

    def file(self, name, _variants, _places):
        return self.texts[name]


class Dovecot:
    """An IMAP server."""

    def __init__(self, folder, mailboxes, imap, imaps, account):
        self.folder = folder
        self.mailboxes = mailboxes
        self.imap = imap
        self.imaps = imaps
        self.account = pwd.getpwnam(account)
        self.config = folder / "dovecot.conf"
        self.process = None
        self.root = None
        self.tokens = Tokens()

    def write(self, passwords, root, certificate, key):
        """Writes its configuration; `passwords` are those of all users, `root` is what its users trust."""
        self.root = root
        who = self.account
        (self.folder / "passwords").write_text("".join(f"{user}:{word}\n" for user, word in passwords.items()))
        (self.folder / "oauth2.conf").write_text(OAUTH2.format(tokens=self.tokens.port))
        for name in ("dovecot", "dovecot-state", "homes"):
            (self.folder / name).mkdir(mode=0o755)
            os.chown(self.folder / name, who.pw_uid, who.pw_gid)
        for name in ("passwords", "dovecot.log"):
            (self.folder / name).touch()
            os.chown(self.folder / name, who.pw_uid, who.pw_gid)
        self.config.write_text(DOVECOT.format(
            folder=self.folder, mailboxes=self.mailboxes, account=who.pw_name, group=grp.getgrgid(who.pw_gid).gr_name,
            uid=who.pw_uid, gid=who.pw_gid, imap=self.imap, imaps=self.imaps, certificate=certificate, key=key,
        ))
        # Its socket for the Postfix of this folder lies here.
        os.chown(self.folder, who.pw_uid, who.pw_gid)

    def start(self):
        """Starts it and waits until it greets."""
        self.launch()
        await_true(lambda: f"Dovecot greets\n{self.tail()}", self.greets)

    def launch(self):
        self.process = subprocess.Popen(
            ["dovecot", "-F", "-c", str(self.config)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, user=self.account.pw_uid, group=self.account.pw_gid, extra_groups=[],
            start_new_session=True, cwd="/",
        )

    def greets(self):
        # A child of one that was killed can hold a socket a moment longer than its master lived; the new master then gives up.
        if self.process.poll() is not None:
            self.launch()
        try:
            with imaplib.IMAP4("127.0.0.1", self.imap, timeout=5) as session:
                return session.welcome.startswith(b"* OK")
        except (OSError, imaplib.IMAP4.error):
            return False

    def kill(self):
        """Kills it with all its sessions, as a power cut does."""
        process, self.process = self.process, None
        if process is None:
            return
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait(timeout=15)
        # A killed master cannot remove its pid file.
        (self.folder / "dovecot" / "master.pid").unlink(missing_ok=True)

    def stop(self):
        """Stops it as its operator does, and kills what is left."""
        if self.process is not None:
            self.process.terminate()
            until = time.monotonic() + 5
            while self.process.poll() is None and time.monotonic() < until:
                time.sleep(0.05)
        self.kill()

    def session(self, user, password):
        """A session of Python's imaplib, encrypted."""
        trust = ssl.create_default_context(cafile=str(self.root))
        session = imaplib.IMAP4_SSL("localhost", self.imaps, ssl_context=trust, timeout=10)
        session.login(user, password)
        session.select("INBOX")
        return session

    def tail(self):
        """The end of its log."""
        return "\n".join((self.folder / "dovecot.log").read_text().splitlines()[-15:])


class Provider(Postfix):
    """A Postfix that delivers into Dovecot's mailboxes and lets Dovecot judge passwords."""

    def __init__(self, folder, ports, account):
        relay, self.submission, imap, imaps = ports
        super().__init__(folder, relay, account)
        self.dovecot = Dovecot(folder, self.mailboxes, imap, imaps, account)

    def write_all(self, passwords, players):
        """Writes all of its configuration."""
        authority = Authority(self.folder, "authority")
        certificate, key = authority.issue("localhost")
        main = MAIN.format(config=self.config, folder=self.folder, certificate=certificate, key=key)
        lines = Lines(main, SUBMISSION.format(port=self.submission))
        self.write(lines, ["provider"], {}, players)
        self.dovecot.write(passwords, authority.root, certificate, key)

    def start(self):
        self.dovecot.start()
        super().start()

    def stop(self):
        super().stop()
        self.dovecot.stop()

    def tail(self):
        return f"{super().tail()}\n{self.dovecot.tail()}"
