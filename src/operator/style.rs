//! The style sheet of the pages.

use std::sync::LazyLock;

use axum::response::Response;

use crate::web::answer::{Kind, answer};
use crate::web::style::{STYLE, version};

/// That of the players' pages, and what these have more.
static SHEET: LazyLock<String> =
    LazyLock::new(|| format!("{STYLE}\n{}", include_str!("../../templates/operator/style.css")));

/// The version of the style sheet, in its address.
pub(super) static STYLE_VERSION: LazyLock<String> = LazyLock::new(|| version(&SHEET));

pub(super) async fn style() -> Response {
    answer(Kind::Style, SHEET.as_str())
}
