//! Boards by the hundred thousand, through the store: mails for each of them would take hours.

use pbmserv_core::letters::LetterKind;
use pbmserv_core::store::{NewMail, Outcome, Purpose, Received, Result, State, Store};
use pbmserv_core::table::{Board, NewBoard, Played, PlayerId, Position, Presence, Seated, Terms};
use pbmserv_games::{Game, Options};
use pbmserv_mail::Address;

use super::{Town, address, start};

/// Boards written in one commit: a SQLite statement takes longer the more pages its savepoint has.
const A_COMMIT: u32 = 250;

/// The turns with which every board begins.
pub(crate) const BEGINNING: [&str; 2] = ["m13-m5:l4", "a1-e1"];

impl Town {
    /// Adds boards of a game, each with two turns, the mails that brought them and the letters about them. The
    /// players take part in rotation.
    pub(crate) async fn add_boards(&self, game: &'static Game, boards: u32, players: usize) {
        let reader = self.server.reader().unwrap();
        let players: Vec<PlayerId> = (0..players)
            .map(|number| {
                let userid = super::userid(number);
                reader.player(&userid).unwrap().unwrap().id
            })
            .collect();
        let first = reader.next_number(game).unwrap();
        let players = std::sync::Arc::new(players);
        for from in (first..first + boards).step_by(A_COMMIT as usize) {
            let players = players.clone();
            let until = (from + A_COMMIT).min(first + boards);
            let added = self.server.engine.write(move |store, now| {
                (from..until).try_for_each(|number| add(store, game, number, &players, now))
            });
            added.await.unwrap();
        }
    }
}

/// The numbers of the players at a board of this number.
pub(crate) const fn players_of(number: u32, players: usize) -> [usize; 2] {
    let first = number as usize % players;
    // The opponents change from round to round.
    let distance = 1 + number as usize / players % (players - 1);
    [first, (first + distance) % players]
}

fn add(
    store: &Store,
    game: &'static Game,
    number: u32,
    players: &[PlayerId],
    now: chrono::DateTime<chrono::Utc>,
) -> Result<()> {
    let seats = players_of(number, players.len());
    let new = NewBoard {
        game,
        number,
        options: Options::none(game.facts),
        players: seats.map(|seat| Seated {
            id: players[seat],
            userid: super::userid(seat),
        }),
        terms: Terms::default(),
        dice: None,
    };
    let mut position = Position {
        game: start(game),
        turns: Vec::new(),
    };
    let mut board = Board::begun(new, position.to_move(), [Presence::HERE; 2], now);
    board.id = store.add_board(&board)?;
    for text in BEGINNING {
        let seat = position.to_move().unwrap();
        position.game.play_all(text).unwrap();
        position.turns.push(Played {
            seat,
            text: text.to_owned(),
            at: now,
            event: board.events.next(),
        });
        board.played(&position, 1, [Presence::HERE; 2], now);
    }
    store.save_board(&board)?;
    for (ordinal, turn) in (1..).zip(&position.turns) {
        let (seat, text) = (turn.seat, &turn.text);
        let mover = address(seats[seat.index()]);
        let received = Received {
            received_at: now,
            door: "smtp",
            sender: Some(mover.clone()),
            recipient: super::SERVER.into(),
            header_from: Some(mover.clone()),
            message_id: Some(format!("{number}.{ordinal}@players.example")),
            commands: format!("{} move {number} somebody ****** {text}", game.facts.name),
        };
        let outcome = Outcome {
            state: State::Done,
            reason: None,
            is_proven: true,
            identity: Some(rand::random()),
        };
        let inbox = store.add_received(&received, &outcome)?;
        for seat in seats {
            let recipient = Address::parse(&address(seat)).unwrap();
            let mail = store.add_mail(&NewMail {
                inbox: Some(inbox),
                kind: LetterKind::Board,
                player: Some(players[seat]),
                board: Some(board.id),
                about: None,
                recipient: &recipient,
                message_id: format!("{:x}@games.example", rand::random::<u128>()),
                in_reply_to: None,
                references: &[],
                is_reply: seat == seats[0],
                list: None,
                reply_to: Some(Purpose::Seat),
                sender_name: "",
                subject: "Pow2 Board",
                letter: b"",
                unsubscribe: None,
                is_watching: false,
                is_last: false,
                awaits: None,
                created_at: now,
                is_unproven: false,
                cause: 0,
            })?;
            store.mail_sent(mail, now)?;
        }
    }
    Ok(())
}
