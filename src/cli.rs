//! What may stand on the command line: the verbs, their arguments, their help.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Parser, Subcommand};
use pbmserv::admin::Verdict;

/// A play-by-mail game server.
#[derive(Parser)]
#[command(version, about, max_term_width = 100)]
pub(crate) struct Cli {
    /// The configuration file.
    #[arg(long, short, global = true, env = "PBMSERV_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Subcommand)]
pub(crate) enum Verb {
    /// Make the first configuration, the data folder and a director's account. Asks for what no flag says.
    Init(Box<InitArgs>),
    /// Run the server.
    Serve,
    /// Watch two players sign up, challenge, err and play a whole game by mail.
    Demo {
        /// The game.
        #[arg(long, default_value = "Pow2")]
        game: String,
        /// The same seed plays the same game.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Print only the summary.
        #[arg(long)]
        quiet: bool,
    },
    /// Take one mail from standard input: exit 0 done, 65 of no use, 75 try again later.
    Ingest {
        /// The envelope sender; empty for bounces. Otherwise Return-Path, or From.
        #[arg(long, allow_hyphen_values = true)]
        sender: Option<String>,
        /// The envelope recipient. Otherwise X-Original-To or Delivered-To.
        #[arg(long, allow_hyphen_values = true)]
        recipient: Option<String>,
    },
    /// Print what a mail with this subject does.
    Mail {
        /// The sender's address.
        from: String,
        /// The subject.
        command: String,
        /// The text.
        #[arg(default_value = "")]
        body: String,
        /// Undo it again.
        #[arg(long)]
        dry_run: bool,
    },
    /// Check a record of a game and print its final board.
    Replay {
        /// The record.
        file: PathBuf,
        /// As one line of JSON.
        #[arg(long, conflicts_with = "display")]
        json: bool,
        /// Which board.
        #[arg(long, value_parser = ["small", "large"], default_value = "large")]
        display: String,
    },
    /// Draw the final board of a record as a picture.
    #[command(group(ArgGroup::new("pictures").args(["svg", "png"]).multiple(true).required(true)))]
    Show {
        /// The record.
        record: PathBuf,
        /// The SVG to write; - is standard output.
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
        /// The PNG to write; - is standard output.
        #[arg(long, value_name = "FILE")]
        png: Option<PathBuf>,
        /// How many pixels wide the PNG is.
        #[arg(long, value_name = "PIXELS", default_value_t = 800,
              value_parser = clap::value_parser!(u32).range(100..=4000))]
        width: u32,
    },
    /// Count the sequences of legal turns: depth, number, seconds, turns a second.
    Perft {
        /// The game.
        game: String,
        /// The greatest depth.
        depth: u32,
        /// The game's options.
        #[arg(allow_hyphen_values = true, trailing_var_arg = true)]
        options: Vec<String>,
    },
    /// Tell who wins a small position of a game: N, P, O or X.
    Solve {
        /// The game: Forms.
        game: String,
        /// Its rows, `/` between them; x, o, and - or . for an empty cell.
        #[arg(allow_hyphen_values = true)]
        position: String,
    },
    /// Look at the players, and mend their accounts.
    #[command(subcommand)]
    User(UserVerb),
    /// Look at the boards, and rule on them.
    #[command(subcommand)]
    Board(BoardVerb),
    /// Look at the mails to send and the mails taken.
    #[command(subcommand)]
    Queue(QueueVerb),
    /// Look at everything the server needs, and say what to do about each fault.
    Check,
    /// Write to all players. The text comes from standard input.
    Announce {
        #[command(flatten)]
        why: PerhapsWhy,
    },
    /// How much the server holds and has done in a day.
    Stats {
        /// As one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// What was changed by hand, newest first.
    Audit {
        /// About this player, board ("Pow2 101") or mail only.
        about: Option<String>,
        /// At most so many.
        #[arg(long, default_value_t = 50)]
        limit: u32,
        /// As one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print the completions for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write the manual pages into a folder, or print the first one.
    Man {
        /// The folder, which must be there.
        folder: Option<PathBuf>,
    },
    /// Copy the database and the key to a new folder below this one, while the server runs.
    Backup {
        /// The folder in which the copy is made.
        folder: PathBuf,
        /// Keep the newest so many copies there, and remove the others.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        keep: Option<u64>,
    },
    /// Put a backup in the place of the database. Only while no server runs.
    Restore {
        /// The backup: a folder that `backup` has made.
        folder: PathBuf,
    },
}

#[derive(Subcommand)]
pub(crate) enum UserVerb {
    /// All players.
    List {
        /// As one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// One player.
    Show {
        /// The userid.
        userid: String,
        /// As one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Make an account. The player is asked whether the address is theirs, unless you know that.
    Add {
        /// The userid.
        userid: String,
        /// The address.
        address: String,
        /// The address is the player's for certain: it is not asked.
        #[arg(long)]
        confirmed: bool,
        #[command(flatten)]
        password: PasswordArgs,
        #[command(flatten)]
        why: Why,
    },
    /// Give a player another password.
    Passwd {
        /// The userid.
        userid: String,
        #[command(flatten)]
        password: PasswordArgs,
        #[command(flatten)]
        why: Why,
    },
    /// Give a player another userid, on all boards.
    Rename {
        /// The userid.
        userid: String,
        /// The new one.
        to: String,
        #[command(flatten)]
        why: Why,
    },
    /// Close an account: it can do nothing and is not challenged. Its boards stay until you end or reseat them.
    Disable {
        /// The userid.
        userid: String,
        #[command(flatten)]
        why: Why,
    },
    /// Open an account again.
    Enable {
        /// The userid.
        userid: String,
        #[command(flatten)]
        why: Why,
    },
    /// Erase an account for good: its boards end, its finished games stay without a name.
    Erase {
        /// The userid.
        userid: String,
        #[command(flatten)]
        why: Why,
    },
    /// Add an address to an account, or take one from it.
    #[command(subcommand)]
    Address(AddressVerb),
}

#[derive(Subcommand)]
pub(crate) enum AddressVerb {
    /// One address more. The player is asked whether it is theirs, unless you know that.
    Add {
        /// The userid.
        userid: String,
        /// The address.
        address: String,
        /// It is the player's for certain: it is not asked.
        #[arg(long)]
        confirmed: bool,
        #[command(flatten)]
        why: Why,
    },
    /// One address fewer.
    Remove {
        /// The userid.
        userid: String,
        /// The address.
        address: String,
        #[command(flatten)]
        why: Why,
    },
}

#[derive(Args)]
pub(crate) struct PasswordArgs {
    /// Read the password from the first line of standard input; otherwise one is made up and printed.
    #[arg(long)]
    pub(crate) password_stdin: bool,
}

#[derive(Args)]
pub(crate) struct Why {
    /// Why: for the audit log, and for the players concerned.
    #[arg(long, value_name = "REASON")]
    pub(crate) why: String,
}

#[derive(Args)]
pub(crate) struct PerhapsWhy {
    /// Why: for the audit log.
    #[arg(long, value_name = "REASON", default_value = "")]
    pub(crate) why: String,
}

#[derive(Subcommand)]
pub(crate) enum BoardVerb {
    /// The running boards, of one game or of all.
    List {
        /// The game.
        game: Option<String>,
        /// The finished ones too.
        #[arg(long)]
        all: bool,
        /// As one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// One board with its turns.
    Show {
        /// The game.
        game: String,
        /// The number.
        number: u32,
        /// As one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Play a turn for a player.
    Turn {
        #[command(flatten)]
        board: BoardArgs,
        /// The userid.
        userid: String,
        /// The turn.
        #[arg(allow_hyphen_values = true)]
        turn: String,
        #[command(flatten)]
        why: Why,
    },
    /// Take the last turn back.
    Undo {
        #[command(flatten)]
        board: BoardArgs,
        #[command(flatten)]
        why: Why,
    },
    /// End a board so that it counts for nobody; also one that does not replay, or that is over.
    Void {
        #[command(flatten)]
        board: BoardArgs,
        #[command(flatten)]
        why: Why,
    },
    /// End a board by your decision. It counts for the ratings as any other.
    End {
        #[command(flatten)]
        board: BoardArgs,
        /// Who wins: the first or the second player, or nobody.
        result: Verdict,
        #[command(flatten)]
        why: Why,
    },
    /// Give the seat of a player to a substitute, with all its time.
    Reseat {
        #[command(flatten)]
        board: BoardArgs,
        /// The userid of the player who leaves it.
        from: String,
        /// That of the substitute.
        to: String,
        #[command(flatten)]
        why: Why,
    },
    /// Give the player to move more time.
    Clock {
        #[command(flatten)]
        board: BoardArgs,
        /// So many days from now.
        #[arg(long, value_name = "N")]
        days: u32,
        #[command(flatten)]
        why: Why,
    },
}

#[derive(Args)]
pub(crate) struct BoardArgs {
    /// The game.
    pub(crate) game: String,
    /// The number.
    pub(crate) number: u32,
}

#[derive(Subcommand)]
pub(crate) enum QueueVerb {
    /// Mails to send, or mails taken, newest first.
    List(QueueArgs),
    /// One mail to send with its text, or one taken with its commands, secrets masked.
    Show {
        /// The number of the mail.
        number: i64,
        /// A mail taken.
        #[arg(long)]
        inbox: bool,
        /// As one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Try a mail again now: one to send, or one taken whose handling failed.
    Retry {
        /// The number of the mail.
        number: i64,
        /// A mail taken.
        #[arg(long)]
        inbox: bool,
        #[command(flatten)]
        why: PerhapsWhy,
    },
    /// Take a mail out: one to send, or one taken whose handling failed.
    Drop {
        /// The number of the mail.
        number: i64,
        /// A mail taken.
        #[arg(long)]
        inbox: bool,
        #[command(flatten)]
        why: PerhapsWhy,
    },
    /// Keep a waiting mail back.
    Hold {
        /// The number of the mail.
        number: i64,
        #[command(flatten)]
        why: PerhapsWhy,
    },
}

#[derive(Args)]
pub(crate) struct QueueArgs {
    /// The mails taken, not those to send.
    #[arg(long)]
    pub(crate) inbox: bool,
    /// Those of this state only: waiting, held, sent, failed, dropped; taken ones: done, refused, ignored, dropped, failed.
    #[arg(long)]
    pub(crate) state: Option<String>,
    /// At most so many.
    #[arg(long, default_value_t = 50)]
    pub(crate) limit: u32,
    /// As one line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct InitArgs {
    /// The server's address, which players write to.
    #[arg(long)]
    pub(crate) address: Option<String>,
    /// The name beside it in From.
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// The data folder, such as /var/lib/pbmserv.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) data: Option<PathBuf>,
    /// The relay that answers leave through, such as smtps://user@host:465. Behind an MTA: this machine's.
    #[arg(long, value_name = "URL", conflicts_with = "sendmail")]
    pub(crate) relay: Option<String>,
    /// The file whose first line is the password of the relay, and of the mailbox.
    #[arg(long, value_name = "FILE")]
    pub(crate) password_file: Option<PathBuf>,
    /// Send by this program, not through a relay.
    #[arg(long, value_name = "PROGRAM", num_args = 0..=1, require_equals = true,
          default_missing_value = "/usr/sbin/sendmail")]
    pub(crate) sendmail: Option<PathBuf>,
    /// Where mail is taken: by LMTP behind an MTA (unix:PATH or HOST:PORT), otherwise by SMTP.
    #[arg(long, value_name = "PLACE")]
    pub(crate) listen: Option<String>,
    /// The mailbox that mail is fetched from, such as imaps://user@host/INBOX.
    #[arg(long, value_name = "URL")]
    pub(crate) imap: Option<String>,
    /// The userid of the first director.
    #[arg(long, value_name = "USERID")]
    pub(crate) director: Option<String>,
    /// The director's own mail address.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) director_address: Option<String>,
    /// What brings the mail.
    #[arg(long, value_parser = pbmserv::admin::init::Mta::NAMES)]
    pub(crate) mta: Option<String>,
    /// The account that pbmserv runs as; needed when this is run as root.
    #[arg(long, value_name = "ACCOUNT")]
    pub(crate) user: Option<String>,
    /// Replace a configuration that is there.
    #[arg(long)]
    pub(crate) force: bool,
}
