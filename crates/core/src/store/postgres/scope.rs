//! Which rows a statement reads or writes, as far as its text says so. `UPDATE players SET seen_at = $1 WHERE id = $2` changes
//! one column of one row: reads of other rows, and reads that do not name the column, are as good as before. Whatever is not
//! understood concerns all rows of its table.

use crate::store::memo;

/// A column that has the value of a parameter in all rows concerned, and the place of the parameter, from 0.
pub(super) type Pin = (String, usize);

/// What a statement writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Written {
    /// Empty if it is not known.
    pub(super) table: String,
    pub(super) pins: Vec<Pin>,
    /// The columns that it changes; `None`: any, or it adds or removes rows.
    pub(super) columns: Option<Vec<String>>,
}

impl Written {
    /// `None`: the statement only reads.
    pub(super) fn of(sql: &str) -> Option<Self> {
        let table = memo::written(sql)?.to_owned();
        let whole = Self {
            table,
            ..Self::default()
        };
        if whole.table.is_empty() || sql.contains("SELECT") {
            return Some(whole);
        }
        let (before, condition) = sql.split_once(" WHERE ").unwrap_or((sql, ""));
        let condition = before_any(condition, &[" RETURNING "]);
        Some(match sql.split(' ').next() {
            Some("INSERT") => Self {
                pins: inserted(sql).unwrap_or_default(),
                ..whole
            },
            Some("UPDATE") => {
                let columns = before.split_once(" SET ").and_then(|(_, set)| assigned(set));
                let mut pins = pins(condition, None);
                // A row that was not concerned may be concerned now.
                pins.retain(|(column, _)| columns.as_ref().is_some_and(|columns| !columns.contains(column)));
                Self {
                    pins,
                    columns,
                    ..whole
                }
            }
            _ => Self {
                pins: pins(condition, None),
                ..whole
            },
        })
    }
}

/// The tables that a statement reads, each with the pins of the rows that its result depends on. A table may be there several times.
/// `None`: this is not understood.
pub(super) fn read(sql: &str) -> Option<Vec<(String, Vec<Pin>)>> {
    let mut tables = Vec::new();
    for part in split(sql, " UNION ALL ") {
        tables.extend(read_part(part)?);
    }
    Some(tables)
}

fn read_part(sql: &str) -> Option<Vec<(String, Vec<Pin>)>> {
    if sql.matches("SELECT").count() != 1 || !sql.starts_with("SELECT ") {
        return None;
    }
    let (_, from) = sql.split_once(" FROM ")?;
    let from = before_any(from, &[" GROUP BY ", " HAVING ", " ORDER BY ", " LIMIT "]);
    let (from, condition) = from.split_once(" WHERE ").unwrap_or((from, ""));
    if from.contains([',', '(']) {
        return None;
    }
    let words: Vec<&str> = from.split_ascii_whitespace().collect();
    let is_joined = words.contains(&"JOIN");
    let is_table = |place: &usize| *place == 0 || words.get(*place - 1) == Some(&"JOIN");
    let table = |place: usize| {
        let table = words.get(place)?;
        let alias = words.get(place + 1).filter(|_| is_joined).unwrap_or(table);
        Some(((*table).to_owned(), pins(condition, is_joined.then_some(*alias))))
    };
    (0..words.len()).filter(is_table).map(table).collect()
}

fn before_any<'a>(text: &'a str, ends: &[&str]) -> &'a str {
    let found = ends.iter().filter_map(|end| text.find(end)).min();
    text.get(..found.unwrap_or(text.len())).unwrap_or(text)
}

/// Splits at a separator outside parentheses.
fn split<'a>(text: &'a str, separator: &str) -> Vec<&'a str> {
    let (mut parts, mut begun, mut depth) = (Vec::new(), 0, 0_u32);
    for (place, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 && place >= begun && text[place..].starts_with(separator) => {
                parts.push(&text[begun..place]);
                begun = place + separator.len();
            }
            _ => {}
        }
    }
    parts.push(&text[begun..]);
    parts
}

fn is_name(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}

/// The place of a parameter: 0 for `$1`.
fn parameter(word: &str) -> Option<usize> {
    word.strip_prefix('$')?.parse::<usize>().ok()?.checked_sub(1)
}

/// The pins of a condition, in which each column stands behind this alias.
fn pins(condition: &str, alias: Option<&str>) -> Vec<Pin> {
    if condition.contains("CASE") || split(condition, " OR ").len() > 1 {
        return Vec::new();
    }
    let pin = |part: &str| {
        let (column, value) = part.trim().split_once(" = ")?;
        let column = match alias {
            Some(alias) => column.strip_prefix(alias)?.strip_prefix('.')?,
            None => column,
        };
        Some((column.to_owned(), parameter(value)?)).filter(|_| is_name(column))
    };
    split(condition, " AND ").into_iter().filter_map(pin).collect()
}

/// The columns that are assigned to; `None`: this is not understood.
fn assigned(set: &str) -> Option<Vec<String>> {
    let column = |part: &str| {
        let (column, _) = part.trim().split_once(" = ")?;
        is_name(column).then(|| column.to_owned())
    };
    split(set, ", ").into_iter().map(column).collect()
}

/// What is inside the parentheses that this text begins with, and what is after them.
fn parentheses(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0_u32;
    for (place, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some((text.get(1..place)?, text.get(place + 1..)?));
        }
    }
    None
}

/// The pins of an added row, or of the row that stands in its place.
fn inserted(sql: &str) -> Option<Vec<Pin>> {
    let (columns, rest) = parentheses(sql.get(sql.find('(')?..)?)?;
    let (values, rest) = parentheses(rest.strip_prefix(" VALUES ")?)?;
    let (columns, values) = (split(columns, ", "), split(values, ", "));
    if columns.len() != values.len() {
        return None;
    }
    let named = match rest.split_once("ON CONFLICT ") {
        Some((_, conflict)) => Some(split(parentheses(conflict)?.0, ", ")),
        None => None,
    };
    let pin = |(column, value): (&&str, &str)| Some(((*column).to_owned(), parameter(value)?));
    let mut pins: Vec<Pin> = columns.iter().zip(values).filter_map(pin).collect();
    if let Some(named) = named {
        pins.retain(|(column, _)| named.contains(&column.as_str()));
    }
    Some(pins)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pinned(pins: &[Pin]) -> String {
        let pins = pins
            .iter()
            .map(|(column, place)| format!("{column}={}", place + 1));
        pins.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_rows_that_a_statement_writes_are_known_or_all_of_its_table() {
        for (sql, pins, columns) in [
            (
                "INSERT INTO turns (board, ordinal, turn) VALUES ($1, $2, $3)",
                "board=1 ordinal=2 turn=3",
                None,
            ),
            (
                "INSERT INTO inbox (door, at) VALUES ($1, COALESCE($2, 7))",
                "door=1",
                None,
            ),
            (
                "INSERT INTO players (id, seen_at) VALUES ($1, $2) RETURNING id",
                "id=1 seen_at=2",
                None,
            ),
            (
                "INSERT INTO tallies (day, what, key, count) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT (day, what, key) DO UPDATE SET count = excluded.count",
                "day=1 what=2 key=3",
                None,
            ),
            (
                "INSERT INTO turns (board) SELECT board FROM thoughts WHERE board = $1",
                "",
                None,
            ),
            (
                "DELETE FROM warnings WHERE board = $1 AND total = 0",
                "board=1",
                None,
            ),
            ("DELETE FROM warnings WHERE board = $1 OR total = $2", "", None),
            (
                "DELETE FROM warnings WHERE (board = $1 AND seat = $2 AND total = 0)",
                "",
                None,
            ),
            (
                "DELETE FROM warnings WHERE NOT (seat = 0 AND board = $1 AND total = 0)",
                "",
                None,
            ),
            (
                "DELETE FROM seeks WHERE player IN ($1, $2) AND game = $3",
                "game=3",
                None,
            ),
            ("DELETE FROM begun WHERE at < $1", "", None),
            ("DELETE FROM guesses", "", None),
            (
                "UPDATE players SET seen_at = $1 WHERE id = $2 AND seen_at < $3",
                "id=2",
                Some("seen_at"),
            ),
            (
                "UPDATE players SET userid = $1, userid_key = $2 WHERE userid_key = $3",
                "",
                Some("userid userid_key"),
            ),
            (
                "UPDATE vacations SET is_over = 1, ends_at = CASE WHEN ends_at > $1 THEN $1 ELSE ends_at END WHERE id = $2",
                "id=2",
                Some("is_over ends_at"),
            ),
            (
                "UPDATE boards SET turns = MAX($1, 2), offer = NULL WHERE id = $2",
                "id=2",
                Some("turns offer"),
            ),
            ("UPDATE boards SET due_at = $1", "", Some("due_at")),
            (
                "UPDATE boards SET (turns, offer) = ($1, $2) WHERE id = $3",
                "",
                None,
            ),
            ("UPDATE boards SET turns = (SELECT 1) WHERE id = $1", "", None),
        ] {
            let written = Written::of(sql).unwrap();
            assert_eq!(pinned(&written.pins), pins, "{sql}");
            assert_eq!(
                written.columns.map(|columns| columns.join(" ")).as_deref(),
                columns,
                "{sql}"
            );
        }
        assert_eq!(Written::of("SELECT 1 FROM boards WHERE id = $1"), None);
    }

    #[test]
    fn the_rows_that_a_statement_reads_are_known_or_all_of_its_tables() {
        for (sql, tables) in [
            (
                "SELECT turn FROM turns WHERE board = $1 ORDER BY ordinal",
                "turns: board=1",
            ),
            (
                "SELECT MAX(id) FROM outbox WHERE board = $2 AND kind <> 'x' AND player = $1 LIMIT 1",
                "outbox: board=2 player=1",
            ),
            (
                "SELECT b.id, p.userid FROM boards b JOIN players p ON p.id = b.first_player WHERE b.game = $1 \
                 AND p.id = $2 AND x = $3",
                "boards: game=1, players: id=2",
            ),
            (
                "SELECT 1 FROM players JOIN seeks ON x = y WHERE players.id = $1",
                "players: , seeks: ",
            ),
            (
                "SELECT 1 FROM seeks s JOIN seeks t ON s.game = t.game WHERE s.player = $1",
                "seeks: player=1, seeks: ",
            ),
            ("SELECT 1 FROM boards b, players p WHERE b.id = $1", "unknown"),
            ("SELECT 1 FROM players WHERE id = $1 OR userid = $2", "players: "),
            (
                "SELECT 1 FROM players WHERE id = $1 UNION ALL SELECT 1 FROM seeks WHERE player = $2 LIMIT 1",
                "players: id=1, seeks: player=2",
            ),
            ("SELECT EXISTS (SELECT 1 FROM seeks WHERE player = $1)", "unknown"),
            (
                "SELECT 1 FROM (SELECT player FROM seeks UNION ALL SELECT id FROM players) x WHERE y = $1",
                "unknown",
            ),
            ("SELECT turns FROM boards ORDER BY id LIMIT 1", "boards: "),
        ] {
            let found = read(sql).map_or("unknown".to_owned(), |found| {
                let found = found
                    .iter()
                    .map(|(table, pins)| format!("{table}: {}", pinned(pins)));
                found.collect::<Vec<_>>().join(", ")
            });
            assert_eq!(found, tables, "{sql}");
        }
    }
}
