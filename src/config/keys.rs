//! Every key of the configuration, with its comment, its type and its default.
//!
//! `deploy/pbmserv.toml` is printed from here: `UPDATE_CONFIGURATION=1 cargo test --lib config::documented` writes it.

use std::path::PathBuf;

use pbmserv_core::table::COMPUTERS;
use pbmserv_mail::doors::smtp::Networks;
use pbmserv_mail::section;

section! {
    /// Address, name, data folder and directors.
    #[derive(Debug)]
    pub struct Server {
        /// The address that players write to. It must not contain a +, which separates the server's tokens, and be ASCII before the @.
        address: String = "pbmserv@localhost".into(),
        /// The addresses that it had before, as ["pbmserv@old.example.org"]. Mail to them is taken as mail to the present one, from which it
        /// is answered. The mail server must route them to this one too. See moving.md.
        former_addresses: Vec<String> = Vec::new(),
        /// The display name in From, where a mail has no news to say there.
        name: String = "pbmserv".into(),
        /// The folder of the database, the key and other permanent files.
        data: PathBuf = "pbmserv-data".into(),
        /// The userids of the directors, who may also broadcast.
        directors: Vec<String> = Vec::new(),
        /// Whether the directors get one mail a week: how many play, what came and went, and what is wrong.
        weekly_summary: bool = false,
        /// Free bytes on the disk of the data folder below which mail is put off at every door; 0 for never. The rest is for what was accepted.
        min_free_bytes: u64 = 64 * 1024 * 1024,
    }
}

section! {
    /// The database.
    pub struct Store {
        /// A database of PostgreSQL 15 or newer, postgres://user@host/database; "" for SQLite in the data folder. Several servers may use
        /// one: one works, the others wait to take over. docs/two-machines.md in the sources has the lines. Off this machine TLS is verified
        /// (sslmode=verify-full) unless the URL has another sslmode.
        url: String = String::new(),
        /// The file whose first line is the password of that user; "" if it is in the URL, or if none is needed.
        password_file: PathBuf = PathBuf::new(),
        /// The program with which pbmserv backup saves that database, of PostgreSQL's version or newer; pg_restore is beside it.
        pg_dump: PathBuf = "pg_dump".into(),
    }
}

section! {
    /// The LMTP door. It shares the host name and the limits of the SMTP door.
    #[derive(Debug)]
    pub struct Lmtp {
        /// Where the LMTP door listens, for an MTA on this machine: "127.0.0.1:2424", or "unix:/run/pbmserv/lmtp.sock"; "" switches it
        /// off. A socket has mode 0660; it gets the group of its folder if the folder has mode 2750.
        /// Name and limits are those of [smtp].
        listen: String = String::new(),
    }
}

section! {
    /// The Maildir door.
    #[derive(Debug)]
    pub struct Maildir {
        /// The Maildir into which another program delivers mail for the server; "" for none. Handled mails are moved to its folder Done
        /// (.Done), unusable ones to Refused (.Refused). It must belong to the account that pbmserv runs as.
        path: PathBuf = PathBuf::new(),
    }
}

section! {
    /// The IMAP door.
    #[derive(Debug)]
    pub struct Imap {
        /// A mailbox that only the server uses: imaps://user@host/INBOX, with @ in the user as %40; "" for none.
        /// imap:// requires STARTTLS, unless the host is this machine; imap://user@host/INBOX?tls=never is not encrypted.
        url: String = String::new(),
        /// What the server wants: "password", or an OAuth 2.0 token by "xoauth2" (Gmail, Outlook) or "oauthbearer".
        auth: String = "password".into(),
        /// The file whose first line is the password or the token.
        password_file: PathBuf = PathBuf::new(),
        /// In its place a command that prints it on its first line, such as "/usr/local/bin/token games@example.org". It runs as the account
        /// of the server, for at most 30 seconds; what it prints is kept until the server refuses it.
        password_command: String = String::new(),
        /// The file of the CA that has signed the mailbox's certificate; "" for those of the system.
        ca_file: PathBuf = PathBuf::new(),
        /// How often the mailbox is checked even if the server reports nothing new (IDLE): from 1 to 28.
        poll_minutes: u64 = 5,
        /// The folder to which handled mails are moved; "" to leave them and mark them with the keyword $PbmservDone.
        done_folder: String = String::new(),
    }
}

section! {
    /// The pages for monitoring: `/healthz` and `/metrics`.
    #[derive(Debug)]
    pub struct Http {
        /// Where /healthz and /metrics are served for monitoring: "127.0.0.1:9225", or "unix:/run/pbmserv/http.sock" with mode 0660; ""
        /// switches them off. They have no password. They show no data of players, but do not expose them to the network.
        listen: String = String::new(),
    }
}

section! {
    /// How mails leave.
    #[derive(Debug)]
    pub struct Delivery {
        /// maildir: into a Maildir for each address, so that no mail leaves the machine. smtp: through the relay at url.
        /// sendmail: by the program at path.
        transport: String = "maildir".into(),
        /// Where the Maildirs are; "" for the folder mail in the data folder.
        maildir: PathBuf = PathBuf::new(),
        /// The relay: smtps://user@relay.example:465, smtp://user@relay.example:587?tls=required, smtp://127.0.0.1:25
        url: String = String::new(),
        /// As in [imap]; without password_file and password_command nobody logs in.
        auth: String = "password".into(),
        password_file: PathBuf = PathBuf::new(),
        password_command: String = String::new(),
        /// The file of the CA that has signed the relay's certificate; "" for those of the system.
        ca_file: PathBuf = PathBuf::new(),
        /// The sendmail program of Postfix, Exim or another MTA; called with -i -f SENDER -- RECIPIENT.
        path: PathBuf = "/usr/sbin/sendmail".into(),
        /// Whether notices of turns may be posted to web addresses that players name, by HTTPS, and only to hosts on the public Internet.
        web_notices: bool = true,
    }
}

section! {
    /// How accounts are made.
    #[derive(Debug)]
    pub struct Accounts {
        /// Whether the owner of an address must confirm it before anything else is sent there.
        /// (Without a configuration file the server does not ask.)
        confirm: bool = true,
        /// The hour of the day, in UTC, at which the daily mail is sent to those who want one: 0 to 23.
        digest_hour: u32 = 8,
    }
}

section! {
    /// Authentication of senders.
    #[derive(Debug)]
    pub struct Auth {
        /// "dmarc": a sender is authenticated only if the receiving mail server reports in Authentication-Results that From passed
        /// DMARC. Other mail is dropped without an answer, except commands with a password and replies with a token. Only the topmost
        /// field of the server authserv_id counts; that server must remove fields with its name that came from outside, as OpenDMARC and
        /// rspamd do. "": From is trusted.
        require: String = String::new(),
        /// The name of that server in the field, such as "mx.example.org".
        authserv_id: String = String::new(),
        /// true: no such server is before this one, and this one checks SPF, DKIM and DMARC itself; what does not pass is treated as above.
        /// SPF needs [smtp] to see the client; mail from a trusted client, [lmtp], [maildir] and [imap] passes by DKIM alone. It asks the DNS
        /// only for mail that no password and no token proves, for at most 5 seconds; no answer is no pass.
        verify: bool = false,
        /// The name servers that are asked, such as ["127.0.0.1:53"]; best is one on this machine that keeps answers and checks DNSSEC, such
        /// as Unbound. []: those of /etc/resolv.conf.
        dns: Vec<String> = Vec::new(),
    }
}

section! {
    /// The pages for players and spectators.
    #[derive(Debug)]
    pub struct Web {
        /// The pages for players and spectators: every board with its turns, the games, the standings; and behind a private link, which
        /// letters have, the player's own boards. Behind a web server that has the certificate: see web.md. Empty: none. Without a
        /// configuration file they are at "127.0.0.1:2580".
        listen: String = String::new(),
        /// Where browsers find them, such as "https://example.org/games/". Empty: at listen.
        url: String = String::new(),
        /// false: nothing is shown without a player's link.
        public: bool = true,
        /// The networks of the web servers before this one, such as ["127.0.0.1", "::1"]: they alone say for whom they ask, in
        /// X-Forwarded-For, and may have any number of connections.
        trusted_proxies: Networks = Networks::default(),
    }
}

section! {
    /// The pages for the operator.
    #[derive(Debug)]
    pub struct Operator {
        /// The pages for the operator: health, the queue, boards, players and rulings. Only at this machine: "127.0.0.1:2590" or
        /// "unix:/run/pbmserv/operator.sock"; "" switches them off. Who opens them types the key in the file operator.key of the data
        /// folder. From elsewhere: ssh -L 2590:127.0.0.1:2590 and the name of the machine.
        listen: String = String::new(),
    }
}

section! {
    /// Computer players.
    #[derive(Debug)]
    pub struct Bots {
        /// The computer players. They take every challenge, and nobody can sign up under their names. [] for none, and no advice
        /// (GAME hint, GAME review) either.
        players: Vec<String> = computers(),
        /// The games that they do not play, such as "Ringworm".
        without: Vec<String> = Vec::new(),
        /// Whether their games count for the ratings.
        rated: bool = false,
        /// How many positions are thought about at a time, 1 to 8. They get what time the processors have left. Fewer than there are
        /// processors: otherwise a mail may wait some milliseconds longer.
        threads: usize = 1,
        /// Hints (GAME hint) to one player in a day (UTC).
        hints_a_day: u32 = 10,
    }
}

section! {
    /// Leagues and ladders.
    #[derive(Debug)]
    pub struct Leagues {
        /// The days of the year on which a season of each league begins, as month and day, at accounts.digest_hour. A season begins with
        /// three players or more. A league that has players keeps the day of its next season; a change holds after that. [] for no
        /// leagues.
        seasons: Vec<String> = vec!["01-01".into(), "05-01".into(), "09-01".into()],
        /// Days for one turn in a game of a league.
        forfeit_days: u32 = 14,
        /// Days for all turns of a player in a game of a league.
        total_days: u32 = 45,
        /// Days for one turn in a game on a ladder, so also for the answer to a challenge.
        ladder_days: u32 = 7,
    }
}

section! {
    /// Limits against abuse.
    #[derive(Debug)]
    pub struct Limits {
        /// All spellings of a mailbox are counted as one: without a +suffix, without dots before the @.
        /// A mail proves who wrote it by a password, by the token in the address it answers, or by [auth]. All others count under what
        /// they came from, never against the player whom they name: the network of the client if it connects to [smtp] itself, otherwise
        /// the envelope sender.
        /// Mails that prove nobody, from one source in an hour of the clock; further ones are dropped. Ten times as many are served from
        /// the networks around a client, or from one domain.
        mails_an_hour: u32 = 120,
        /// Refusals of such mails, mailed to one address in a day (UTC). The last one says so.
        refusals_a_day: u32 = 50,
        /// Answers of any kind mailed to one address in a day (UTC), which ends any mail loop. The last one says so; further commands are
        /// carried out, but not answered. Answers to mails that prove nobody count apart: a fifth of this to the address of a player.
        answers_a_day: u32 = 500,
        /// Answers mailed in a day (UTC) to one address, to mails that prove nobody and do not come from the address of a player.
        /// The last one says so.
        strangers_answers_a_day: u32 = 30,
        /// Mails of the whole server in an hour of the clock because of mails that prove nobody; beyond it such mails are dropped. Those
        /// from the addresses of players count apart: each source may cause a tenth of it.
        strangers_mails_an_hour: u32 = 1000,
        /// Confirmation requests and tokens (signup, add, change address, forgot, challenge) that one sender or account may cause in a day
        /// (UTC).
        asks_a_day: u32 = 10,
        /// Boards that one player may start against another in a day (UTC).
        challenges_a_day: u32 = 30,
        /// Boards that one player may start for two others in a day (UTC); further ones begin when the first of the two confirms. The
        /// directors start as many as they like.
        challenges_for_others_a_day: u32 = 3,
        /// Messages and chats that one player may send another in a day (UTC). The same number bounds the letters with other news that one
        /// player may cause another, such as offers, vacations and watched turns: more of these join the next letter about the board. The
        /// letter that says that it is one's turn, and those about the beginning and the end of a board, always come.
        messages_a_day: u32 = 50,
        /// Wrong passwords for one userid from one source in an hour; further passwords are refused unchecked, and the player is told
        /// once a day.
        wrong_passwords_from_one: u32 = 5,
        /// The same from all sources together. Mail from the player's own addresses counts apart, with this bound alone, so that nobody
        /// locks the player out by a few forged mails.
        wrong_passwords_from_all: u32 = 50,
        /// Wrong passwords from one source in an hour of the clock, over all userids, and ten times as many from its network or domain. Who
        /// writes from an address of the own account is served beyond that.
        wrong_passwords_over_all: u32 = 20,
        /// Seconds that an operator's verb, or the pipe, waits for the running server, and the server for it.
        control_seconds: u64 = 300,
    }
}

section! {
    /// Logging.
    #[derive(Debug)]
    pub struct Log {
        /// error, warn, info, debug, or a filter such as "info,pbmserv_mail::doors=debug".
        level: String = "info".into(),
        /// One JSON object per line instead of text.
        json: bool = false,
    }
}

section! {
    /// The operator's own templates.
    #[derive(Debug)]
    pub struct Templates {
        /// A folder whose files replace the built-in templates of the same name; "" for none. Each letter has one, NAME.letter:
        /// its subject, and its blocks with their words, for text and HTML. parts.txt, parts.html and layout.html print the blocks. A file that does
        /// not fit is named by check and in the log, and the built-in one is used meanwhile.
        folder: PathBuf = PathBuf::new(),
    }
}

/// The userids of all computer players.
fn computers() -> Vec<String> {
    COMPUTERS
        .iter()
        .map(|computer| computer.userid.to_owned())
        .collect()
}
