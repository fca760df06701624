//! `challenge`: starts a board.

use pbmserv_games::Seat;

use crate::command::playing::beginning::{TERMS, begin, can_meet, can_sit, no_room, options, start, terms};
use crate::command::playing::computer::awaiting;
use crate::command::playing::proposals::{answered, propose};
use crate::command::verbs::seek::sought;
use crate::command::wording::news::News;
use crate::command::wording::sentence::begun;
use crate::command::{
    Addressee, Argument, Change, Command, Context, Decision, Letter, Line, Reason, Refused, Run, Scope,
    Undecided, WithoutPassword, Word,
};
use crate::letters::Comment;
use crate::store::{Awaits, RateLimit, Seek};
use crate::table::{Board, Player, PlayerId, Position};

pub(crate) static CHALLENGE: Command = Command {
    verb: "challenge",
    scope: Scope::Game,
    arguments: &[Argument::Userid, Argument::Userid],
    takes_game_options: true,
    options: &TERMS,
    syntax: "GAME challenge userid1 userid2 [-options] [--options]",
    summary: "begins a board between two players",
    help: "Begins a board between two players at once. The player named first has the first turn. Both get the \
           board with the text of your mail. You need no password if you write from an address of one of the \
           two. Otherwise the first player is asked by mail, and the board begins when that player confirms. \
           You can begin a few boards a day for two other players. To decline, resign before your first turn: \
           then the board is removed and does not count.\n\n\
           Without options, the board has the options with which the other player seeks a game (see help seek), \
           or else none. You cannot challenge a player who takes no boards of the game or has enough of them \
           (see help reject and help limit).\n\n\
           bot-easy, bot-medium and bot-hard are computers: they take every challenge at once, and answer each turn \
           within a minute. Their games do not count for the ratings.\n\n\
           Options with one hyphen belong to the game: see GAME help. Options with two hyphens: --unrated (the \
           result does not count), --nagtime=DAYS (days until a reminder, normally 7), --forfeittime=DAYS (days \
           for one turn, normally 21; then the game is lost), --totaltime=DAYS (days for all turns of a player \
           together, normally without limit). --days=14+1 is a bank of 14 days to which each turn adds one; --days=10/30 \
           is 30 days for each 10 turns. See help clocks.",
    examples: &[
        "GAME challenge alice bob",
        "GAME challenge alice bot-easy",
        "GAME challenge alice bob --unrated",
    ],
    without_password: WithoutPassword::Known,
    run: Run::Public(run),
    ..Command::USUAL
};

fn run(context: &Context<'_>, line: &Line) -> Result<Decision, Undecided> {
    challenge(context, line).map_err(|stop| match context.proven {
        [player, ..] => stop.proven_by(*player),
        [] => stop,
    })
}

fn challenge(context: &Context<'_>, line: &Line) -> Result<Decision, Undecided> {
    let game = context.game(line)?;
    let mut reasons = Reasons::default();
    let mut found = Vec::new();
    for word in &line.fixed {
        found.extend(
            reasons
                .take(opponent(context, word))?
                .map(|player| (player, word)),
        );
    }
    let players: Vec<Player> = found.iter().map(|(player, _)| player.clone()).collect();
    if let [a, b] = players.as_slice()
        && a.id == b.id
    {
        reasons.add(Refused::impossible("A player cannot play alone: name two.").about(&line.fixed[1]));
    }
    if let [a, b] = players.as_slice() {
        reasons.take(can_meet(context, a, b))?;
    }
    let writers = context.writers()?;
    let is_alone = matches!(players.as_slice(), [a, b] if a.id == b.id);
    for (player, word) in &found[..if is_alone { 1 } else { found.len() }] {
        if let Some(sentence) = no_room(context, game, player, 1, writers.contains(&player.id))? {
            reasons.add(Refused::impossible(sentence).about(word));
        }
    }
    let is_plain = line.game_options.is_empty() && line.server_options.is_empty();
    let seek = if is_plain && !is_alone {
        sought(context, game, &players, &writers)?
    } else {
        None
    };
    let (options, terms) = match &seek {
        Some(seek) => (Some(seek.options.clone()), Some(seek.terms)),
        None => (
            reasons.take(options(game, line))?,
            reasons.take(terms(&line.server_options))?,
        ),
    };
    let start = match &options {
        Some(options) => reasons.take(start(game, options, line))?,
        None => None,
    };
    let mut changes = Vec::new();
    let author = match players.as_slice() {
        [first, second] => author(context, [first, second], &writers)?,
        _ => None,
    };
    if let Some(author) = &author {
        for player in players.iter().filter(|player| !writers.contains(&player.id)) {
            if author.is_for_others {
                reasons.take(can_meet(context, &author.player, player))?;
            }
            let most = context.settings.challenges_a_day;
            let too_many = || Reason::EnoughBoards(&player.userid).to_string();
            let (by, to) = (&author.counted_as, player.id);
            changes.extend(reasons.take(context.count(RateLimit::Challenged, by, to, most, too_many))?);
        }
    }
    reasons.done()?;
    let (Some(options), Some(terms), Some(start), [first, second]) =
        (options, terms, start, players.as_slice())
    else {
        return Err(Refused::impossible("The board cannot be begun.").into());
    };
    let Some(author) = author else {
        return propose(context, line, [first, second]);
    };
    let (board, position) = begin(context, game, start, (options, terms), [first, second])?;
    let mut letters = letters(context, &board, &position, &author, seek.as_ref())?;
    if line.is_in_own_words {
        say_what_was_begun(context, &board, &position, &author, &mut letters)?;
    }
    let letters = awaiting(&board, letters, Awaits::Answer);
    changes.push(Change::Begin(Box::new(board)));
    changes.extend(author.counted);
    changes.extend(answered(context, line, [first, second])?);
    changes.extend(seek.map(|seek| Change::TakeSeek {
        player: seek.player,
        game,
    }));
    let by = author.player.id;
    Ok(Decision {
        changes,
        letters,
        proven: context.proven.contains(&by).then_some(by),
    })
}

/// Who begins a board.
struct Author {
    player: Player,
    /// Whether the board is for two others.
    is_for_others: bool,
    /// The key for the daily limits.
    counted_as: String,
    /// Counts the board against the daily limit on those for others.
    counted: Option<Change>,
}

/// The writer who may begin this board at once: one of its players, else a director, else any player within the daily
/// limit. `None`: the first player must be asked.
fn author(
    context: &Context<'_>,
    players: [&Player; 2],
    writers: &[PlayerId],
) -> Result<Option<Author>, Undecided> {
    let among = |ids: &[PlayerId]| players.into_iter().find(|player| ids.contains(&player.id));
    if let Some(player) = among(context.proven).or_else(|| among(writers)) {
        return Ok(Some(Author {
            counted_as: context.counted_as(player.id)?,
            player: player.clone(),
            is_for_others: false,
            counted: None,
        }));
    }
    let mut others = Vec::new();
    for writer in writers {
        let player = context.store.player_by_id(*writer)?;
        others.extend(player.filter(|player| player.disabled_at.is_none()));
    }
    let director = others.iter().find(|player| context.settings.is_director(player));
    let Some(player) = director.or(others.first()).cloned() else {
        return Ok(None);
    };
    let counted_as = context.counted_as(player.id)?;
    let begun = context
        .store
        .tally(RateLimit::ForOthers, &counted_as, context.now)?;
    let counted = match director {
        Some(_) => None,
        None if begun >= context.settings.challenges_for_others_a_day => return Ok(None),
        None => Some(Change::Count {
            what: RateLimit::ForOthers,
            key: counted_as.clone(),
            more: 1,
        }),
    };
    Ok(Some(Author {
        player,
        is_for_others: true,
        counted_as,
        counted,
    }))
}

/// The text of the mail for the other player. It is attributed to its writer only if that is proven.
fn words(context: &Context<'_>, author: &Author) -> Result<Option<Comment>, Undecided> {
    if author.is_for_others {
        return Ok(None);
    }
    let by = match context.is_proven(author.player.id)? {
        true => Some(author.player.userid.clone()),
        false => None,
    };
    Ok(context.clean_comment().map(|text| Comment { by, text }))
}

fn letters(
    context: &Context<'_>,
    board: &Board,
    position: &Position,
    author: &Author,
    seek: Option<&Seek>,
) -> Result<Vec<Letter>, Undecided> {
    let writer = (!author.is_for_others).then_some(author.player.id);
    let seeker = seek.and_then(|seek| {
        Seat::BOTH
            .into_iter()
            .find(|seat| board.at(*seat).userid == seek.userid)
    });
    let sentence = begun(board, |names| {
        seeker.map_or_else(String::new, |seeker| {
            format!(", as {} sought", names.name(seeker))
        })
    });
    let news = News {
        board,
        position,
        sentence,
        comment: words(context, author)?,
    };
    let mut letters = news.to_all(context, writer)?;
    if writer.is_none() {
        letters.push(Letter {
            is_answer: true,
            is_urgent: false,
            ..news.to(context, Addressee::Sender, None)?
        });
    }
    Ok(letters)
}

/// Says to who asked in own words what was understood: `You are playing Reversi against bot-easy.`
fn say_what_was_begun(
    context: &Context<'_>,
    board: &Board,
    position: &Position,
    author: &Author,
    letters: &mut [Letter],
) -> Result<(), Undecided> {
    let Some(seat) = board.seat_of(author.player.id) else {
        return Ok(());
    };
    let (title, other) = (board.game.facts.title, &board.at(seat.other()).userid);
    let news = News {
        board,
        position,
        sentence: format!("You are playing {title} against {other}.").into(),
        comment: words(context, author)?,
    };
    let own = news.to_players(context, Some(author.player.id))?;
    let place = letters.iter_mut().find(|letter| letter.is_answer);
    if let (Some(place), Some(own)) = (place, own.into_iter().find(|letter| letter.is_answer)) {
        place.content = own.content;
    }
    Ok(())
}

/// Collects everything that is wrong with a challenge, for one refusal.
#[derive(Default)]
struct Reasons(Vec<Refused>);

impl Reasons {
    fn add(&mut self, refused: Refused) {
        self.0.push(refused);
    }

    fn take<T>(&mut self, result: Result<T, Undecided>) -> Result<Option<T>, Undecided> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(Undecided::Refused(refused)) => {
                self.0.push(*refused);
                Ok(None)
            }
            Err(other) => Err(other),
        }
    }

    /// Refuses with the first reason and the sentences of all; passes if there is none.
    fn done(self) -> Result<(), Undecided> {
        let mut reasons = self.0.into_iter();
        let Some(mut first) = reasons.next() else {
            return Ok(());
        };
        for other in reasons {
            if !first.reason.contains(&other.reason) {
                first.reason.push(' ');
                first.reason.push_str(&other.reason);
            }
            first.near.extend(other.near);
        }
        Err(first.into())
    }
}

/// The other player, who must be open to challenges.
fn opponent(context: &Context<'_>, word: &Word) -> Result<Player, Undecided> {
    if word.text.eq_ignore_ascii_case("anyone") {
        let sentence = "A challenge names two players: who seeks a game stands in the standings.";
        return Err(Refused::impossible(sentence).about(word).into());
    }
    let player = context.player(word)?;
    can_sit(context, &player, word)?;
    Ok(player)
}
