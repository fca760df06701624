//! `set notify`: where a player hears of turns besides the usual mails.
//!
//! A player who names a place must show that they read there: a code goes to it, and nothing else until the code has come back.

use chrono::TimeDelta;
use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use crate::command::accounts::addresses::{check_can_be_written_to, ours};
use crate::command::{
    Addressee, Change, Context, Decision, InternalError, Letter, Reason, Refused, Undecided, Word,
};
use crate::letters::{Done, Short};
use crate::store::{NoticeForm, NoticeTarget, RateLimit};
use crate::table::Player;
use pbmserv_mail::Address;
use pbmserv_mail::outbox::{BadWebhook, Webhook, WebhookForm};

/// How long a code can come back.
const CODE_FOR: TimeDelta = TimeDelta::days(1);

/// The characters of a code: 40 bits in base32, so that a day is too short to guess it.
pub(crate) const CODE_CHARS: usize = 8;

/// Codes in a day that one player has sent, and that one place gets.
const CODES_A_DAY: u32 = 3;

/// What a player writes after `notify`.
const SYNTAX: &str =
    "After notify stands a web address, a mail address, the code that has come there, or off.";

/// Whether these words may follow `notify`, and none is a password.
pub(crate) fn fits(words: &[&str]) -> bool {
    match words {
        [] => true,
        [word] => word.eq_ignore_ascii_case("off") || is_web(word) || word.contains('@') || is_code(word),
        [form, url] => form_of(form).is_some() && is_web(url),
        _ => false,
    }
}

fn is_web(word: &str) -> bool {
    word.contains("://")
}

fn is_code(word: &str) -> bool {
    word.len() == CODE_CHARS
        && word
            .bytes()
            .all(|c| matches!(c.to_ascii_uppercase(), b'A'..=b'Z' | b'2'..=b'7'))
}

fn form_of(word: &str) -> Option<NoticeForm> {
    let mut forms = [NoticeForm::Text, NoticeForm::Json].into_iter();
    forms.find(|form| form.word().eq_ignore_ascii_case(word))
}

/// How a place is called where others may read it too: a web address by its host alone.
fn place(target: &NoticeTarget) -> String {
    match target.form {
        NoticeForm::Mail => target.target.clone(),
        NoticeForm::Text | NoticeForm::Json => match Webhook::parse(&target.target) {
            Ok(webhook) => webhook.host().to_owned(),
            Err(_) => "a web address".to_owned(),
        },
    }
}

/// Shows, names, confirms or ends the place.
pub(crate) fn notify(context: &Context<'_>, player: &Player, words: &[Word]) -> Result<Decision, Undecided> {
    let before = context.store.notice_target(player.id)?;
    match words {
        [] => Ok(said(player, shown(before.as_ref()), "", Vec::new())),
        [off] if off.text.eq_ignore_ascii_case("off") => match before {
            None => {
                Err(Refused::impossible("No notices of your turns are sent: there are none to end.").into())
            }
            Some(target) => {
                let sentence = format!("No more notices of your turns go to {}.", place(&target));
                Ok(said(player, sentence, "", vec![Change::EndNotices(player.id)]))
            }
        },
        [form, url] => match form_of(&form.text) {
            Some(form) => to_web(context, player, url, Some(form)),
            None => Err(Refused::unreadable(SYNTAX).hiding(form).into()),
        },
        [word] if is_web(&word.text) => to_web(context, player, word, None),
        [word] if word.text.contains('@') => to_mail(context, player, word),
        [word] if is_code(&word.text) => confirmed(context, player, before, word),
        [word, ..] => Err(Refused::unreadable(SYNTAX).hiding(word).into()),
    }
}

/// Where notices go, as a sentence.
#[must_use]
pub fn shown(target: Option<&NoticeTarget>) -> String {
    match target {
        None => "No notices of your turns are sent.".to_owned(),
        Some(target) if target.is_on => format!("Notices of your turns go to {}.", place(target)),
        Some(target) => format!(
            "A code went to {}: set notify to that code, and notices of your turns go there.",
            place(target)
        ),
    }
}

fn to_web(
    context: &Context<'_>,
    player: &Player,
    url: &Word,
    form: Option<NoticeForm>,
) -> Result<Decision, Undecided> {
    if !context.settings.has_web_notices {
        let sentence = "This server sends no notices to web addresses: name a mail address.";
        return Err(Refused::impossible(sentence).into());
    }
    let webhook = Webhook::parse(&url.text)
        .map_err(|bad: BadWebhook| Refused::unreadable(bad.to_string()).pointing_at(url))?;
    let form = form.unwrap_or(match webhook.form {
        WebhookForm::Text => NoticeForm::Text,
        WebhookForm::Json => NoticeForm::Json,
    });
    asked(context, player, webhook.as_str(), form)
}

fn to_mail(context: &Context<'_>, player: &Player, word: &Word) -> Result<Decision, Undecided> {
    let refused = |sentence: &str| Undecided::from(Refused::impossible(sentence).pointing_at(word));
    let Ok(address) = Address::parse(&word.text) else {
        return Err(Refused::unreadable(SYNTAX).pointing_at(word).into());
    };
    if context.settings.own.has(&address) {
        return Err(ours().into());
    }
    check_can_be_written_to(context, &address, word)?;
    if context.store.is_confirmed_of(&address, player.id)? {
        return Err(refused("All your mails go to that address already."));
    }
    if context.store.complaint(&address)?.is_some() {
        return Err(refused("That address wants no mail from this server."));
    }
    let mut decision = asked(context, player, address.as_str(), NoticeForm::Mail)?;
    let target = target(context, player, address.as_str(), NoticeForm::Mail);
    let code = Short {
        code: context.tokens.notice_code(&target),
        userid: player.userid.clone(),
        line: String::new(),
    };
    decision.letters.push(Letter {
        to: Addressee::Elsewhere {
            player: player.id,
            address,
        },
        ..Letter::news(player.id, code.into())
    });
    Ok(decision)
}

fn target(context: &Context<'_>, player: &Player, target: &str, form: NoticeForm) -> NoticeTarget {
    NoticeTarget {
        player: player.id,
        target: target.to_owned(),
        form,
        asked_at: context.now,
        is_on: false,
        failures: 0,
    }
}

/// A place is named: it gets a code.
fn asked(
    context: &Context<'_>,
    player: &Player,
    text: &str,
    form: NoticeForm,
) -> Result<Decision, Undecided> {
    let target = target(context, player, text, form);
    let hash = Sha256::digest(text.to_lowercase().as_bytes());
    let keys = [
        (
            format!("player {}", player.id.0),
            "You have had enough codes sent today",
        ),
        (
            format!("place {}", HEXLOWER.encode(&hash)),
            "Enough codes went there today",
        ),
    ];
    let mut changes = Vec::new();
    for (key, what) in keys {
        if context.store.tally(RateLimit::Codes, &key, context.now)? >= CODES_A_DAY {
            return Err(Refused::impossible(Reason::EnoughToday(what)).into());
        }
        changes.push(Change::Count {
            what: RateLimit::Codes,
            key,
            more: 1,
        });
    }
    changes.push(Change::NotifyAt {
        player: player.id,
        target: text.to_owned(),
        form,
    });
    let sentence = format!("A code is on its way to {}.", place(&target));
    let hint = "Write set notify and the code within a day. Until then nothing else goes there, and notices go nowhere.";
    Ok(said(player, sentence, hint, changes))
}

fn confirmed(
    context: &Context<'_>,
    player: &Player,
    before: Option<NoticeTarget>,
    code: &Word,
) -> Result<Decision, Undecided> {
    let refused = |sentence: &str| Err(Refused::impossible(sentence).hiding(code).into());
    let Some(target) = before else {
        return refused("No code is awaited: write set notify and an address first.");
    };
    if target.is_on {
        return refused("No code is awaited: notices of your turns are on.");
    }
    if context.now - target.asked_at >= CODE_FOR {
        return refused("The code has expired: write set notify and the address again.");
    }
    if !context
        .tokens
        .notice_code(&target)
        .eq_ignore_ascii_case(&code.text)
    {
        return refused("That is not the code that went there.");
    }
    let sentence = format!("Notices of your turns go to {} from now on.", place(&target));
    let hint =
        "One line comes when it is your turn against a person: the board, until when, and its public page.";
    Ok(said(
        player,
        sentence,
        hint,
        vec![Change::BeginNotices(player.id)],
    ))
}

fn said(player: &Player, sentence: String, hint: &str, changes: Vec<Change>) -> Decision {
    let done = Done {
        subject: format!("set {}", player.userid),
        sentence,
        hint: hint.to_owned(),
    };
    Decision {
        changes,
        letters: vec![Letter::answer_to(player, done)],
        proven: Some(player.id),
    }
}

/// What a place hears when no more goes there: `why` is what its last answer was.
pub(crate) fn given_up(target: &NoticeTarget, why: &str) -> Letter {
    let place = place(target);
    let sentence = match target.is_on {
        true => format!(
            "No more notices of your turns go to {place}: several in a row were not taken. The last time {why}."
        ),
        false => format!("The code could not be brought to {place}: {why}. Nothing is sent there."),
    };
    let done = Done {
        subject: "Your notices".to_owned(),
        sentence,
        hint: "To begin again, write set notify and the address.".to_owned(),
    };
    Letter::news(target.player, done.into())
}

/// How the place is shown in the list of settings.
pub(crate) fn setting(context: &Context<'_>, player: &Player) -> Result<String, InternalError> {
    let target = context.store.notice_target(player.id)?;
    Ok(match target {
        None => "off".to_owned(),
        Some(target) if target.is_on => place(&target),
        Some(_) => "a code is awaited".to_owned(),
    })
}
