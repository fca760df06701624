//! Templates, limits and settings, built from the configuration.

use crate::config::Config;
use pbmserv_core::command::{CompanySettings, ComputerSettings, GuessLimits, Settings};
use pbmserv_core::dispatch::{Limits, Witness};
use pbmserv_core::letters::Letters;
use pbmserv_mail::outbox::Reach;
use pbmserv_mail::{Address, OwnAddresses};

use super::meters::Meters;

/// Confirmation requests to one address in a day, with those that repeat one after an unclear answer; and so many to one player, of
/// games that others ask for.
const QUESTIONS_A_DAY: u32 = 3;

/// The letters, with those of the operator's templates that fit.
///
/// # Errors
/// Their folder is missing. The message names the key and where it is set.
pub fn letters(config: &Config, address: &Address) -> anyhow::Result<Letters> {
    let folder = config.templates.folder.as_path();
    if folder.as_os_str().is_empty() {
        return Ok(Letters::load(None, address)?);
    }
    let shown = folder.display();
    if !folder.is_dir() {
        anyhow::bail!(config.placed(&format!(
            "templates.folder: {shown} is not a folder: create it, or name none"
        )));
    }
    Ok(Letters::load(Some(folder), address)?)
}

/// The counters of the monitoring pages, if these are served.
pub(super) fn meters(config: &Config) -> anyhow::Result<Meters> {
    Ok(match config.http.listen.is_empty() {
        true => Meters::off()?,
        false => Meters::on()?,
    })
}

/// Who says whether senders are authenticated.
pub(super) fn witness(config: &Config) -> Witness {
    match config.auth.authserv_id() {
        _ if config.auth.verify => Witness::Own,
        Some(name) => Witness::ServerBefore(name.to_owned()),
        None => Witness::Nobody,
    }
}

pub(super) const fn limits(config: &Config) -> Limits {
    Limits {
        mails_an_hour: config.limits.mails_an_hour,
        refusals_a_day: config.limits.refusals_a_day,
        answers_a_day: config.limits.answers_a_day,
        strangers_answers_a_day: config.limits.strangers_answers_a_day,
        strangers_mails_an_hour: config.limits.strangers_mails_an_hour,
    }
}

pub(super) fn settings(config: &Config, own: &OwnAddresses) -> Settings {
    Settings {
        reach: Reach::default(),
        own: own.clone(),
        confirm: config.accounts.confirm,
        guesses: GuessLimits {
            from_one: config.limits.wrong_passwords_from_one,
            from_all: config.limits.wrong_passwords_from_all,
            over_all: config.limits.wrong_passwords_over_all,
        },
        questions_a_day: QUESTIONS_A_DAY,
        digest_hour: config.accounts.digest_hour,
        has_pages: config.web.base().is_some(),
        has_web_notices: config.delivery.web_notices,
        asks_a_day: config.limits.asks_a_day,
        challenges_a_day: config.limits.challenges_a_day,
        challenges_for_others_a_day: config.limits.challenges_for_others_a_day,
        messages_a_day: config.limits.messages_a_day,
        computers: ComputerSettings {
            players: config.bots.players.clone(),
            without: config.bots.without.clone(),
            rated: config.bots.rated,
            hints_a_day: config.bots.hints_a_day,
        },
        company: CompanySettings {
            seasons: config.leagues.days(),
            league_days: config.leagues.forfeit_days,
            league_total_days: config.leagues.total_days,
            ladder_days: config.leagues.ladder_days,
        },
        server_name: config.server.name.clone(),
        directors: config.server.directors.clone(),
    }
}
