//! Which path is which page.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use tower_http::compression::CompressionLayer;

use super::fault::Fault;
use super::site::Site;
use super::{
    access, answer, api, board, calendar, company, data, dice, feed, files, gazette, guard, guest, home,
    house, join, player, reached, rules, tries, turn, unsubscribe,
};

/// The longest form, in bytes.
const MAX_FORM: usize = 64 * 1024;

/// All pages, below the path of the site.
pub(super) fn router(site: Arc<Site>) -> Router {
    let base = site.base.path().to_owned();
    let own = format!("{base}k/{{token}}/");
    let leave = get(unsubscribe::ask).post(unsubscribe::leave);
    pages(&base)
        .route(&base, get(house::show))
        .route(&format!("{base}u/{{leave}}"), leave)
        .route(&format!("{base}join"), get(join::show).post(join::ask))
        .route(&format!("{base}dice"), get(dice::show).post(dice::check))
        .route(
            &format!("{base}j/{{joining}}"),
            get(join::choose).post(join::join),
        )
        .merge(guest::routes(&base))
        .merge(company::pages(&base))
        .merge(pages(&own))
        .merge(company::pages(&own))
        .merge(company::of_a_player(&own))
        .merge(of_a_player(&own))
        .route(&format!("{own}data"), get(data::ask).post(data::fetch))
        .merge(files::routes(&base))
        .merge(api::routes(&base))
        .fallback(|| async { Fault::not_found() })
        .method_not_allowed_fallback(|| async { Fault::no_method() })
        .layer(from_fn_with_state(site.clone(), guard::guard))
        .layer(DefaultBodyLimit::max(MAX_FORM))
        .layer(from_fn_with_state(site.clone(), access::watch))
        .layer(from_fn_with_state(site.clone(), answer::finish))
        .layer(CompressionLayer::new())
        .with_state(site)
}

/// The pages for everybody, which a player has below the own link too.
fn pages(at: &str) -> Router<Arc<Site>> {
    let [game, of_player] = [format!("{at}games/{{game}}"), format!("{at}players/{{userid}}")];
    let board = format!("{at}board/{{game}}/{{number}}");
    let mut router = Router::new()
        .route(&format!("{at}feed.atom"), get(feed::house))
        .route(&game, get(house::game))
        .route(&format!("{game}/picture.svg"), get(house::game_picture))
        .route(&format!("{game}/rules/{{number}}"), get(rules::picture))
        .route(&format!("{game}/feed.atom"), get(feed::house))
        .route(&format!("{at}players"), get(house::players))
        .route(&of_player, get(player::show))
        .route(&format!("{of_player}/feed.atom"), get(feed::player))
        .route(&format!("{at}gazette"), get(gazette::show))
        .route(&format!("{at}gazette/{{number}}"), get(gazette::show))
        .route(
            &format!("{at}gazette/{{number}}/position.svg"),
            get(gazette::position),
        )
        .route(&format!("{at}gazette.atom"), get(feed::gazette))
        .route(&format!("{at}help"), get(house::help))
        .route(&format!("{at}help/{{topic}}"), get(house::help))
        .route(&format!("{board}/record.txt"), get(board::record))
        .route(&format!("{board}/record.sgf"), get(board::sgf))
        .route(&format!("{board}/record.pgn"), get(board::pgn))
        .route(&format!("{board}/record.mat"), get(board::mat))
        .route(&format!("{board}/feed.atom"), get(feed::board));
    for place in [board.clone(), format!("{board}/{{turn}}")] {
        router = router
            .route(&place, get(board::show))
            .route(&format!("{place}/words"), get(board::words))
            .route(&format!("{place}/picture.svg"), get(board::svg))
            .route(&format!("{place}/small.svg"), get(board::small))
            .route(&format!("{place}/picture.png"), get(board::png_of))
            .route(&format!("{place}/oembed.json"), get(board::embed));
    }
    router.merge(tries::routes(at))
}

/// The pages that only a player has.
fn of_a_player(at: &str) -> Router<Arc<Site>> {
    let mut router = Router::new();
    for (place, verb) in [
        ("begin", "challenge"),
        ("seek", "seek"),
        ("invite", "invite"),
        ("vacation", "vacation"),
    ] {
        let ask = post(move |site, client, owner, form| home::ask(verb, site, client, owner, form));
        router = router.route(&format!("{at}{place}"), ask);
    }
    router
        .route(at, get(reached::show))
        .route(&format!("{at}page"), post(reached::mail_page))
        .route(&format!("{at}house"), get(house::show))
        .route(&format!("{at}turns.atom"), get(feed::turns))
        .route(&format!("{at}deadlines.ics"), get(calendar::deadlines))
        .route(&format!("{at}set"), post(home::set))
        .route(&format!("{at}no"), post(home::say_no))
        .route(&format!("{at}players/{{userid}}/note"), post(player::note))
        .route(
            &format!("{at}board/{{game}}/{{number}}/follow"),
            post(board::follow),
        )
        .merge(tries::of_a_player(at))
        .merge(turn::routes(at))
}
