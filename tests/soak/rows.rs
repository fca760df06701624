//! Rows of the database, and their changes.

use std::fmt;

use pbmserv_games::Seat;
use serde_json::Value;

use crate::foreseen::End;
use crate::view::place;

/// The tables whose changes are written down; columns that say only when somebody was there are left out.
pub(crate) const TABLES: &str = "players addresses preferences displays blocks vacations page_links taking seeks boards turns \
                                 warnings watched_boards watched_games digests digest_news";
pub(crate) const LEFT_OUT: [&str; 2] = ["seen_at", "estimate"];

/// A row, by the names of its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row(pub(crate) Value);

impl Row {
    pub(crate) fn int(&self, column: &str) -> Option<i64> {
        self.0.get(column)?.as_i64()
    }

    pub(crate) fn text(&self, column: &str) -> Option<&str> {
        self.0.get(column)?.as_str()
    }

    pub(crate) fn has(&self, column: &str) -> bool {
        self.0.get(column).is_some_and(|value| !value.is_null())
    }

    pub(crate) fn seat(&self, column: &str) -> Option<Seat> {
        let seat = usize::try_from(self.int(column)?).unwrap();
        Some(Seat::BOTH[seat])
    }

    /// What is offered on a board, and by whom.
    pub(crate) fn offer(&self) -> Option<(&str, Seat)> {
        Some((self.text("offer")?, self.seat("offer_by")?))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.has("ended_at")
    }

    pub(crate) fn used(&self) -> [i64; 2] {
        ["first_used", "second_used"].map(|used| self.int(used).unwrap())
    }

    pub(crate) fn thinking(&self, now: i64) -> i64 {
        let running = self.int("clock_since").map_or(0, |since| (now - since).max(0));
        self.int("thought").unwrap() + running
    }

    pub(crate) fn players(&self) -> [usize; 2] {
        ["first_player", "second_player"].map(|player| place(self.int(player).unwrap()))
    }

    pub(crate) fn end(&self) -> Option<End> {
        let hows = ["rules", "resignation", "forfeit", "agreement", "adjudication"];
        let by = self.text("result_by").unwrap_or_default();
        let how = || hows[hows.iter().position(|how| *how == by).unwrap()];
        Some(match self.text("result")? {
            "first" => End::Finished(Some(Seat::First), how()),
            "second" => End::Finished(Some(Seat::Second), how()),
            "draw" => End::Finished(None, how()),
            "removed" if by == "first" => End::Removed(Seat::First),
            "removed" if by == "second" => End::Removed(Seat::Second),
            "void" => End::Void,
            other => panic!("no board ends like that: {other}"),
        })
    }
}

/// A change of a row.
#[derive(Clone)]
pub(crate) struct Change {
    pub(crate) table: String,
    pub(crate) old: Option<Row>,
    pub(crate) new: Option<Row>,
}

impl fmt::Debug for Change {
    /// The columns that have changed, before and after.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |row: &Option<Row>| {
            let columns = row.iter().flat_map(|row| row.0.as_object()).flatten();
            let columns = columns.filter(|(name, _)| self.alters(name) || name.ends_with("id"));
            columns
                .map(|(name, value)| format!("{name} {value}, "))
                .collect::<String>()
        };
        write!(f, "{}: {}-> {}", self.table, of(&self.old), of(&self.new))
    }
}

impl Change {
    /// The row, as it was before if it was there.
    pub(crate) fn row(&self) -> &Row {
        self.old.as_ref().or(self.new.as_ref()).unwrap()
    }

    pub(crate) fn number(&self, column: &str) -> Option<i64> {
        self.row().int(column)
    }

    pub(crate) fn text(&self, column: &str) -> Option<&str> {
        self.row().text(column)
    }

    /// A column after the change.
    pub(crate) fn after(&self, column: &str) -> Option<i64> {
        self.new.as_ref()?.int(column)
    }

    /// Whether a column is another than before; NULL is as no row.
    pub(crate) fn alters(&self, column: &str) -> bool {
        let of = |row: &Option<Row>| {
            row.as_ref()
                .and_then(|row| row.0.get(column).cloned())
                .unwrap_or_default()
        };
        of(&self.old) != of(&self.new)
    }

    /// The account that owns the row.
    pub(crate) fn owner(&self) -> Option<usize> {
        let column = if self.table == "players" { "id" } else { "player" };
        self.number(column).map(place)
    }

    /// The board that it is about, if it changes one.
    pub(crate) fn board(&self) -> Option<usize> {
        let column = match self.table.as_str() {
            "boards" => "id",
            "turns" | "warnings" | "watched_boards" => "board",
            _ => return None,
        };
        self.number(column).map(place)
    }

    /// Whether a board begins.
    pub(crate) fn begins(&self) -> bool {
        self.table == "boards" && self.old.is_none()
    }
}
