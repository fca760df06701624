//! Compares what is stored of each player, apart from boards, with the model.

use crate::check::{lines, same};
use crate::deed::name;
use crate::soak::Soak;

/// Seeking, watching, blocking, vacations.
pub(crate) fn same_interests(soak: &Soak) {
    let (look, model) = (&soak.world.look, &soak.model);
    let accounts = || model.accounts.iter().enumerate();
    let stored = lines(
        look,
        "SELECT player || ' ' || game || ' ' || left_over FROM seeks",
    );
    let seeks = accounts().flat_map(|(id, account)| {
        let of_game = account.seeks.iter().enumerate();
        of_game.filter_map(move |(game, seek)| {
            Some(format!("{} {} {}", id + 1, name(game), seek.as_ref()?.left))
        })
    });
    same("seeks", stored, seeks.collect());
    let stored = lines(look, "SELECT player || ' ' || blocked FROM blocks");
    let blocks = accounts().flat_map(|(id, account)| {
        account
            .blocks
            .iter()
            .map(move |other| format!("{} {}", id + 1, other + 1))
    });
    same("blocks", stored, blocks.collect());
    let stored = lines(
        look,
        "SELECT player || ' ' || board || ' ' || ends_only FROM watched_boards",
    );
    let watched = accounts().flat_map(|(id, account)| {
        let boards = account.watches.iter();
        boards.map(move |(board, ends)| format!("{} {} {}", id + 1, board + 1, u8::from(*ends)))
    });
    same("boards watched", stored, watched.collect());
    let stored = lines(
        look,
        "SELECT game || ' ' || player || ' ' || ends_only FROM watched_games",
    );
    let watched = model.watchers.iter().enumerate().flat_map(|(game, watchers)| {
        let name = name(game);
        watchers
            .iter()
            .map(move |(player, ends)| format!("{name} {} {}", player + 1, u8::from(*ends)))
    });
    same("games watched", stored, watched.collect());
    let stored = lines(
        look,
        "SELECT player || ' ' || begun_at || ' ' || ends_at FROM vacations WHERE is_over = 0",
    );
    let away = accounts().filter_map(|(id, account)| {
        let (begun, ends) = account.vacation?;
        Some(format!("{} {begun} {ends}", id + 1))
    });
    same("vacations", stored, away.collect());
    let stored = lines(
        look,
        "SELECT digests.player || ' ' || due_at || ' ' || (SELECT COUNT(*) FROM digest_news WHERE digest_news.player = digests.player) FROM digests",
    );
    let digests = accounts()
        .filter_map(|(id, account)| Some(format!("{} {} {}", id + 1, account.digest_due?, account.news)));
    same("digests", stored, digests.collect());
    same_settings(soak);
}

/// Preferences for mails, displays and taking boards.
fn same_settings(soak: &Soak) {
    let (look, model) = (&soak.world.look, &soak.model);
    let accounts = || model.accounts.iter().enumerate();
    // Default values may be stored or not.
    let unless = |ending: &'static str, lines: Vec<String>| -> Vec<String> {
        lines.into_iter().filter(|line| !line.ends_with(ending)).collect()
    };
    let stored = lines(
        look,
        "SELECT player || ' ' || html || ' ' || picture || ' ' || reminders || ' ' || digest || ' ' || broadcasts || ' ' || \
         news_subjects || ' ' || width \
         FROM preferences",
    );
    let wants = accounts().map(|(id, account)| {
        let wants = account.wants;
        let switches = [
            wants.html,
            wants.picture,
            wants.reminders,
            wants.digest,
            wants.broadcasts,
            wants.news_subjects,
        ];
        let switches = switches.map(|is_on| u8::from(is_on).to_string()).join(" ");
        format!("{} {switches} {}", id + 1, wants.width)
    });
    let at_first = " 1 1 1 0 1 0 72";
    same(
        "settings",
        unless(at_first, stored),
        unless(at_first, wants.collect()),
    );
    let stored = lines(
        look,
        "SELECT player || ' ' || game || ' ' || display FROM displays",
    );
    let displays = accounts().flat_map(|(id, account)| {
        let of_game = account.displays.iter().enumerate();
        of_game.filter_map(move |(game, display)| {
            Some(format!("{} {} {}", id + 1, name(game), display.as_ref()?))
        })
    });
    same("displays", stored, displays.collect());
    let stored = lines(
        look,
        "SELECT player || ' ' || game || ' ' || is_open || ' ' || COALESCE(most, '-') FROM taking",
    );
    let taking = accounts().flat_map(|(id, account)| {
        account
            .taking
            .iter()
            .enumerate()
            .map(move |(game, (is_open, most))| {
                let most = most.map_or_else(|| "-".to_owned(), |most| most.to_string());
                format!("{} {} {} {most}", id + 1, name(game), u8::from(*is_open))
            })
    });
    same(
        "boards taken",
        unless(" 1 -", stored),
        unless(" 1 -", taking.collect()),
    );
}
