//! What of a text or a drawing is different from the one that is known.

use std::collections::BTreeSet;

use super::parts::Part;

/// A line of more characters may be shown in part.
const LONG: usize = 136;

/// What a reader who knows `before` is shown of a text: the lines that are different, and of a single long one the words between
/// commas that are.
pub(crate) fn changed(before: &[String], part: &Part) -> Vec<String> {
    let rows = rows_of(before, &part.plain, &part.lines);
    let [row] = rows.as_slice() else {
        return rows;
    };
    // A list of what can be answered, of which a little is different.
    let place = part.lines.iter().position(|line| line == row).unwrap_or_default();
    if part.is_drawn || row.chars().count() <= LONG || before.len() != part.plain.len() {
        return rows;
    }
    let (now, shown) = (listed(&part.plain[place]), listed(row));
    let (kept, gone): (Vec<_>, Vec<_>) = listed(&before[place])
        .into_iter()
        .partition(|item| now.iter().any(|other| first(other) == first(item)));
    let mut items = if kept == now {
        Vec::new()
    } else {
        rows_of(&kept, &now, &shown)
    };
    if items.len() == shown.len() {
        return rows;
    }
    if !gone.is_empty() {
        items.push(format!("(without: {})", gone.join(" ").trim_end_matches(',')));
    }
    vec![items.join(" ... ")]
}

/// The words between the commas of a text; commas in brackets do not count.
fn listed(line: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut depth = 0;
    for piece in line.split_inclusive(", ") {
        depth += piece.matches('(').count();
        depth = depth.saturating_sub(piece.matches(')').count());
        out.last_mut().unwrap().push_str(piece);
        if depth == 0 {
            out.push(String::new());
        }
    }
    out.retain(|piece| !piece.is_empty());
    out.iter().map(|piece| piece.trim_end().to_owned()).collect()
}

/// The rows of `now` that suffice to make it of `before`; all of `now` if they do not.
fn rows_of(before: &[String], now: &[String], shown: &[String]) -> Vec<String> {
    let rows = (1..=2)
        .find_map(|words| some_rows(before, now, words))
        .filter(|_| shown.len() == now.len());
    rows.map_or(shown.to_vec(), |rows| {
        rows.into_iter().map(|nth| shown[nth].clone()).collect()
    })
}

/// A row is known by so many of its first words.
fn some_rows(before: &[String], now: &[String], words: usize) -> Option<Vec<usize>> {
    let label = |line: &String| {
        line.split_whitespace()
            .take(words)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let of = |lines: &[String], known: &[String]| lines.iter().filter(|line| label(line) == known).count();
    let differs: BTreeSet<_> = now
        .iter()
        .filter(|line| !before.contains(line))
        .map(label)
        .collect();
    let rows: Vec<_> = (0..now.len())
        .filter(|nth| differs.contains(&label(&now[*nth])))
        .collect();
    // Read back: a row stands for that of the same label, and new ones follow the last.
    let mut again = before.to_vec();
    for known in &differs {
        let new = now.iter().filter(|line| label(line) == *known);
        match of(before, known) {
            0 => again.extend(new.cloned()),
            count if count == of(now, known) => {
                for (old, new) in again.iter_mut().filter(|line| label(line) == *known).zip(new) {
                    old.clone_from(new);
                }
            }
            _ => return None,
        }
    }
    (again == now && !rows.is_empty() && rows.len() < now.len()).then_some(rows)
}

fn first(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

/// A drawing for who knows one with this first line, which says that it is a drawing of this kind.
pub(crate) fn known_drawing(before: &[String], part: &Part) -> Vec<String> {
    if before == part.plain {
        return vec![format!("{} ...", part.lines[0])];
    }
    let mut rows = changed(before, part);
    if rows.len() < part.lines.len() && rows[0] != part.lines[0] {
        rows.insert(0, part.lines[0].clone());
    }
    rows
}
