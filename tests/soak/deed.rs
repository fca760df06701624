//! The commands of the soak as data, and the line for each.

use std::collections::BTreeSet;

use pbmserv_core::command::COMMANDS;
use pbmserv_games::GAMES;

/// The userid and password in a command.
#[derive(Clone, Debug, Default)]
pub(crate) struct Who {
    pub(crate) userid: String,
    pub(crate) password: String,
}

/// A board as players name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct At {
    /// The index of its game in [`GAMES`].
    pub(crate) game: usize,
    pub(crate) number: u32,
}

impl At {
    /// `Pow2.101`, as in its `List-Id`.
    pub(crate) fn list(self) -> String {
        format!("{}.{}", name(self.game), self.number)
    }

    /// `Pow2 Board 101`.
    pub(crate) fn name(self) -> String {
        format!("{} Board {}", name(self.game), self.number)
    }
}

/// The name of a game.
pub(crate) fn name(game: usize) -> &'static str {
    GAMES[game].facts.name
}

/// The target of watching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Watched {
    Board(At),
    Game(usize),
}

impl Watched {
    pub(crate) const fn game(self) -> usize {
        match self {
            Self::Board(at) => at.game,
            Self::Game(game) => game,
        }
    }
}

/// The vacation asked for.
#[derive(Clone, Debug)]
pub(crate) enum Wish {
    Tell,
    Off,
    Days(u32),
}

/// A command on a board, by a player or somebody who claims to be one.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// A turn, `resign`, `propose`, `undo`, `accept` or `reject`.
    Move(String),
    /// Turns, or `off`.
    Queue(Vec<String>),
    Submit(String),
    Confirm,
    Resign,
    Rematch,
    Hint,
    Review,
    Chat,
    /// Only in a reply.
    Show,
}

/// One command.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    Help(&'static str),
    Signup(Who, Option<String>),
    Add(Who, String),
    Remove(Who, String),
    ChangePassword(Who, String),
    ChangeAddress(Who, String),
    Forgot(String),
    Reset {
        userid: String,
        token: String,
        new: String,
        is_good: bool,
    },
    Block(Who, String),
    Unblock(Who, String),
    Message(Who, Vec<String>),
    Broadcast(Who),
    Vacation(Who, Wish),
    Signoff(Who),
    Delete(Who),
    Set {
        who: Who,
        game: Option<usize>,
        words: String,
    },
    List(Option<usize>),
    Who(Option<usize>),
    /// The writer's own boards.
    MyGames,
    All {
        shows: bool,
        userid: String,
        selector: &'static str,
    },
    Challenge {
        game: usize,
        players: [String; 2],
        options: String,
    },
    Seek {
        game: usize,
        who: Who,
        count: u32,
        options: String,
    },
    Accept(usize, Who),
    Reject(usize, Who),
    /// A number, `none`, or nothing.
    Limit(usize, Who, String),
    /// The link to a player's page: whether all earlier links are to end.
    Page(Who, bool),
    On(At, Who, Act),
    Preview {
        game: usize,
        board: Option<u32>,
        turns: String,
    },
    Show(At),
    ShowAs(At, Who),
    Games(usize, String),
    History(usize, Vec<String>),
    Record(At),
    Standings(usize),
    Subscribe(Watched, Who),
    Unsubscribe(Watched, Who),
    /// Only the ends.
    Notify(Watched, Who),
    /// A line that is not a command.
    Garbled(String),
}

impl Deed {
    /// The verb in `COMMANDS`; `None` for a line that is not a command.
    pub(crate) fn verb(&self) -> Option<&'static str> {
        Some(match self {
            Self::Help(_) => "help",
            Self::Signup(..) => "signup",
            Self::Add(..) => "add",
            Self::Remove(..) => "remove",
            Self::ChangePassword(..) | Self::ChangeAddress(..) => "change",
            Self::Forgot(_) => "forgot",
            Self::Reset { .. } => "reset",
            Self::Block(..) => "block",
            Self::Unblock(..) => "unblock",
            Self::Message(..) => "message",
            Self::Broadcast(_) => "broadcast",
            Self::Vacation(..) => "vacation",
            Self::Signoff(_) => "signoff",
            Self::Delete(_) => "delete",
            Self::Set { .. } => "set",
            Self::List(_) => "list",
            Self::Who(_) => "who",
            Self::MyGames => "games",
            Self::All { .. } => "all",
            Self::Challenge { .. } => "challenge",
            Self::Seek { .. } => "seek",
            Self::Accept(..) => "accept",
            Self::Reject(..) => "reject",
            Self::Limit(..) => "limit",
            Self::Page(..) => "page",
            Self::On(_, _, Act::Move(_)) => "move",
            Self::On(_, _, Act::Queue(_)) => "queue",
            Self::On(_, _, Act::Submit(_)) => "submit",
            Self::On(_, _, Act::Confirm) => "confirm",
            Self::On(_, _, Act::Resign) => "resign",
            Self::On(_, _, Act::Rematch) => "rematch",
            Self::On(_, _, Act::Hint) => "hint",
            Self::On(_, _, Act::Review) => "review",
            Self::On(_, _, Act::Chat) => "chat",
            Self::On(_, _, Act::Show) | Self::Show(_) => "show",
            Self::Preview { .. } => "preview",
            Self::ShowAs(..) => "showas",
            Self::Games(..) => "games",
            Self::History(..) => "history",
            Self::Record(_) => "record",
            Self::Standings(_) => "standings",
            Self::Subscribe(..) => "subscribe",
            Self::Unsubscribe(..) => "unsubscribe",
            Self::Notify(..) => "notify",
            Self::Garbled(_) => return None,
        })
    }

    /// The line as it is typed.
    pub(crate) fn line(&self) -> String {
        let by = |who: &Who| format!("{} {}", who.userid, who.password);
        let of = |watched: &Watched| match watched {
            Watched::Board(at) => at.number.to_string(),
            Watched::Game(_) => "all".to_owned(),
        };
        let line = match self {
            Self::Help(topic) => format!("help {topic}"),
            Self::Signup(who, address) => {
                format!("signup {} {}", by(who), address.as_deref().unwrap_or_default())
            }
            Self::Add(who, address) => format!("add {} {address}", by(who)),
            Self::Remove(who, address) => format!("remove {} {address}", by(who)),
            Self::ChangePassword(who, new) => format!("change password {} {new}", by(who)),
            Self::ChangeAddress(who, address) => format!("change address {} {address}", by(who)),
            Self::Forgot(userid) => format!("forgot {userid}"),
            Self::Reset {
                userid, token, new, ..
            } => format!("reset {userid} {token} {new}"),
            Self::Block(who, other) => format!("block {} {other}", by(who)),
            Self::Unblock(who, other) => format!("unblock {} {other}", by(who)),
            Self::Message(who, to) => format!("message {} {}", by(who), to.join(" ")),
            Self::Broadcast(who) => format!("broadcast {}", by(who)),
            Self::Vacation(who, wish) => match wish {
                Wish::Tell => format!("vacation {}", by(who)),
                Wish::Off => format!("vacation {} off", by(who)),
                Wish::Days(days) => format!("vacation {} {days}", by(who)),
            },
            Self::Signoff(who) => format!("signoff {}", by(who)),
            Self::Delete(who) => format!("delete {} really", by(who)),
            Self::Set { who, game, words } => {
                format!("{} set {} {words}", game.map_or("", name), by(who))
            }
            Self::List(game) => format!("list {}", game.map_or("", name)),
            Self::Who(game) => format!("who {}", game.map_or("", name)),
            Self::MyGames => "my games".to_owned(),
            Self::All {
                shows,
                userid,
                selector,
            } => {
                format!(
                    "all {} {userid} {selector}",
                    if *shows { "show" } else { "games" }
                )
            }
            Self::Challenge {
                game,
                players,
                options,
            } => {
                format!("{} challenge {} {options}", name(*game), players.join(" "))
            }
            Self::Seek {
                game,
                who,
                count,
                options,
            } => {
                format!("{} seek {} {count} {options}", name(*game), by(who))
            }
            Self::Accept(game, who) => format!("{} accept {}", name(*game), by(who)),
            Self::Reject(game, who) => format!("{} reject {}", name(*game), by(who)),
            Self::Limit(game, who, most) => format!("{} limit {} {most}", name(*game), by(who)),
            Self::Page(who, is_new) => format!("page {} {}", by(who), if *is_new { "new" } else { "" }),
            Self::On(at, who, act) => {
                let on = |verb: &str, rest: &str| {
                    format!("{} {verb} {} {} {rest}", name(at.game), at.number, by(who))
                };
                match act {
                    Act::Move(turn) => on("move", turn),
                    Act::Queue(turns) => on("queue", &turns.join(" then ")),
                    Act::Submit(turn) => on("submit", turn),
                    Act::Confirm => on("confirm", ""),
                    Act::Resign => on("resign", ""),
                    Act::Rematch => on("rematch", ""),
                    Act::Hint => on("hint", ""),
                    Act::Review => on("review", ""),
                    Act::Chat => on("chat", ""),
                    Act::Show => format!("{} show {}", name(at.game), at.number),
                }
            }
            Self::Preview { game, board, turns } => {
                let board = board.map_or_else(|| "new".to_owned(), |board| board.to_string());
                format!("{} preview {board} {turns}", name(*game))
            }
            Self::Show(at) => format!("{} show {}", name(at.game), at.number),
            Self::ShowAs(at, who) => format!("{} showas {} {}", name(at.game), by(who), at.number),
            Self::Games(game, words) => format!("{} games {words}", name(*game)),
            Self::History(game, userids) => format!("{} history {}", name(*game), userids.join(" ")),
            Self::Record(at) => format!("{} record {}", name(at.game), at.number),
            Self::Standings(game) => format!("{} standings", name(*game)),
            Self::Subscribe(what, who) => format!("{} subscribe {} {}", name(what.game()), of(what), by(who)),
            Self::Unsubscribe(what, who) => {
                format!("{} unsubscribe {} {}", name(what.game()), of(what), by(who))
            }
            Self::Notify(what, who) => {
                let board = if matches!(what, Watched::Board(_)) {
                    of(what)
                } else {
                    String::new()
                };
                format!("{} notify {} {board}", name(what.game()), by(who))
            }
            Self::Garbled(line) => line.clone(),
        };
        line.trim_end().to_owned()
    }

    /// The line in a reply to a mail of its board.
    pub(crate) fn answer(&self) -> String {
        match self {
            Self::On(_, _, act) => match act {
                // A capital at the beginning of a line is asked about.
                Act::Move(turn) if turn.starts_with(|c: char| c.is_ascii_uppercase()) => {
                    format!("move {turn}")
                }
                Act::Move(turn) => turn.clone(),
                Act::Queue(turns) => format!("queue {}", turns.join(" then ")),
                Act::Submit(turn) => format!("submit {turn}"),
                Act::Confirm => "confirm".to_owned(),
                Act::Resign => "resign".to_owned(),
                Act::Rematch => "rematch".to_owned(),
                Act::Hint => "hint".to_owned(),
                Act::Review => "review".to_owned(),
                Act::Chat => "chat".to_owned(),
                Act::Show => "show".to_owned(),
            },
            Self::Seek {
                game, count, options, ..
            } => format!("seek {} {count} {options}", name(*game)),
            _ => self.line(),
        }
    }
}

/// One of each kind: the server reads the line of each as the intended command, and no command is missing.
#[test]
fn every_command_is_a_deed() {
    let who = || Who {
        userid: "alice".into(),
        password: "fig7elk".into(),
    };
    let (at, other) = (At { game: 0, number: 101 }, || "bob".to_owned());
    let turn = "m13-j7".to_owned();
    let acts = [
        Act::Move(turn.clone()),
        Act::Queue(vec![turn.clone()]),
        Act::Submit(turn.clone()),
        Act::Confirm,
        Act::Resign,
        Act::Rematch,
        Act::Hint,
        Act::Review,
        Act::Chat,
        Act::Show,
    ];
    let address = || "alice@example.org".to_owned();
    let deeds = [
        Deed::Help("commands"),
        Deed::Signup(who(), None),
        Deed::Add(who(), address()),
        Deed::Remove(who(), address()),
        Deed::ChangePassword(who(), "oak4jay".into()),
        Deed::ChangeAddress(who(), address()),
        Deed::Forgot(other()),
        Deed::Reset {
            userid: other(),
            token: "aa-bbbb".into(),
            new: "oak4jay".into(),
            is_good: false,
        },
        Deed::Block(who(), other()),
        Deed::Unblock(who(), other()),
        Deed::Message(who(), vec![other()]),
        Deed::Broadcast(who()),
        Deed::Vacation(who(), Wish::Days(3)),
        Deed::Signoff(who()),
        Deed::Delete(who()),
        Deed::Set {
            who: who(),
            game: None,
            words: "text".into(),
        },
        Deed::List(None),
        Deed::Who(Some(0)),
        Deed::MyGames,
        Deed::All {
            shows: true,
            userid: other(),
            selector: "next",
        },
        Deed::Challenge {
            game: 0,
            players: ["alice".into(), other()],
            options: String::new(),
        },
        Deed::Seek {
            game: 0,
            who: who(),
            count: 1,
            options: String::new(),
        },
        Deed::Accept(0, who()),
        Deed::Reject(0, who()),
        Deed::Limit(0, who(), "3".into()),
        Deed::Page(who(), true),
        Deed::Preview {
            game: 0,
            board: None,
            turns: turn,
        },
        Deed::Show(at),
        Deed::ShowAs(at, who()),
        Deed::Games(0, other()),
        Deed::History(0, vec![other()]),
        Deed::Record(at),
        Deed::Standings(0),
        Deed::Subscribe(Watched::Board(at), who()),
        Deed::Unsubscribe(Watched::Game(0), who()),
        Deed::Notify(Watched::Board(at), who()),
    ];
    let acts = acts.map(|act| Deed::On(at, who(), act));
    let mut verbs = BTreeSet::new();
    for deed in deeds.into_iter().chain(acts) {
        let line = deed.line();
        let read = COMMANDS
            .read_line(&line)
            .unwrap_or_else(|misread| panic!("{line}: {misread:?}"));
        assert_eq!(Some(read.command.verb), deed.verb(), "{line}");
        verbs.insert(read.command.verb);
    }
    let all: BTreeSet<_> = COMMANDS.iter().map(|command| command.verb).collect();
    assert_eq!(
        verbs, all,
        "a new command has to be written by somebody of the soak"
    );
}
