//! Laws of the command layer, tested for every command and every limit.

mod accounts;
mod boards;
mod bounces;
mod changes;
mod company;
mod complaints;
mod computers;
mod confirming;
pub(crate) mod database;
mod dice;
mod digests;
mod expiry;
pub(crate) mod exports;
mod first_hours;
mod forgotten;
mod gazette;
mod helping;
mod invitations;
mod invited;
mod inviting;
mod joined;
mod limits;
mod mails;
mod named;
mod notes;
mod notices;
mod older;
mod people;
mod plans;
mod proven;
mod queues;
mod refusals;
mod registry;
mod replies;
mod secrets;
mod senders;
mod stored;
mod strangers;
mod telling;
mod threads;

use crate::stage::{Mail, SERVER, Stage};
use pbmserv_core::command::{COMMANDS, Command, Scope};
use pbmserv_core::dispatch::Handled;
use pbmserv_core::store::Outgoing;
use pbmserv_games::{GAMES, Game};
use pbmserv_mail::Address;

/// A mail with this subject and text, and its own Message-ID.
fn mail<'a>(from: &'a str, subject: &str, body: &'a str) -> Mail<'a> {
    let id = {
        use std::sync::atomic::{AtomicU32, Ordering};
        static SENT: AtomicU32 = AtomicU32::new(0);
        SENT.fetch_add(1, Ordering::Relaxed)
    };
    Mail {
        from,
        to: Address::parse(SERVER).unwrap(),
        header: format!("Message-ID: <law-{id}@players.example>\r\nSubject: {subject}\r\n"),
        body,
    }
}

/// The letters caused by a command with a text.
async fn say(stage: &Stage, from: &str, subject: &str, body: &str) -> Vec<Outgoing> {
    let (handled, letters) = stage.send(&mail(from, subject, body)).await;
    assert!(matches!(handled, Handled::Recorded(_)), "{subject}: {handled:?}");
    letters
}

/// The letters caused by a command.
async fn ask(stage: &Stage, from: &str, subject: &str) -> Vec<Outgoing> {
    say(stage, from, subject, "").await
}

/// A server with the players alice and bob, whose addresses need no confirmation.
async fn alice_and_bob() -> Stage {
    let stage = Stage::open(|config| config.accounts.confirm = false);
    sign_up_both(&stage).await;
    stage
}

async fn sign_up_both(stage: &Stage) {
    ask(stage, ALICE, "signup alice fig7elk").await;
    ask(stage, BOB, "signup bob oak4jay").await;
}

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

/// The examples of a command, filled in for a game.
fn examples(command: &Command, game: &Game) -> Vec<String> {
    let turn = game.facts.example[0];
    let fill = |example: &&str| example.replace("GAME", game.facts.name).replace("MOVE", turn);
    command.examples.iter().map(fill).collect()
}

/// Every example of every command for every game, with its command.
fn all_examples() -> Vec<(&'static Command, String)> {
    let mut all = Vec::new();
    for game in GAMES {
        for command in COMMANDS.iter() {
            all.extend(examples(command, game).into_iter().map(|line| (*command, line)));
        }
    }
    all
}

/// The verb and the aliases of a command.
fn names(command: &'static Command) -> impl Iterator<Item = &'static str> {
    std::iter::once(command.verb).chain(command.aliases.iter().copied())
}

/// A line that has only this name of the command.
fn called(name: &str, scope: Scope) -> String {
    match scope {
        Scope::Server => name.to_owned(),
        Scope::Game | Scope::Both => format!("{} {name}", GAMES[0].facts.name),
    }
}
