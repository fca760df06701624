//! Takes a plain text apart into prose, lists, tables and drawings, so that HTML can set each as what it is: prose wraps
//! on a telephone, and only drawings keep a fixed width.

use serde::Serialize;

/// A part of a text. Templates tell them apart by `kind`.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Block {
    /// A paragraph.
    Prose { text: String },
    /// A command in a transcript, after `> `; what became of it follows.
    Command { text: String },
    /// A command with the part that is wrong between the other two.
    Fault {
        before: String,
        wrong: String,
        after: String,
    },
    /// Independent lines, such as commands.
    Lines { lines: Vec<String> },
    /// Paragraphs that begin with a dash.
    Items { items: Vec<String> },
    /// Terms, each with its explanation.
    Entries { entries: Vec<Entry> },
    /// Cells in columns.
    Table { has_head: bool, rows: Vec<Vec<String>> },
    /// A board, or anything else whose blanks matter.
    Drawing { text: String },
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    term: String,
    text: String,
}

/// The blocks of a text; empty lines separate them.
pub fn blocks(text: &str) -> Vec<Block> {
    paragraphs(text).flat_map(block).collect()
}

/// As [`blocks`], for a text known to have tables and no drawings: cells may be of any form.
pub(crate) fn tables(text: &str) -> Vec<Block> {
    let parsed = |paragraph| match table(&lines_of(paragraph)) {
        Some(table) => vec![table],
        None => block(paragraph),
    };
    paragraphs(text).flat_map(parsed).collect()
}

fn paragraphs(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n\n")
        .map(|paragraph| paragraph.trim_matches('\n'))
        .filter(|paragraph| !paragraph.trim().is_empty())
}

fn lines_of(paragraph: &str) -> Vec<&str> {
    paragraph
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty())
        .collect()
}

fn block(paragraph: &str) -> Vec<Block> {
    let lines = lines_of(paragraph);
    let (Some(first), first_indented) = (lines.first(), lines.iter().position(|line| indent(line) > 0))
    else {
        return Vec::new();
    };
    if first.starts_with("> ") {
        let command = Block::Command {
            text: (*first).to_owned(),
        };
        return std::iter::once(command)
            .chain(block(&lines[1..].join("\n")))
            .collect();
    }
    // A sentence may introduce an indented list without an empty line between them.
    if let Some(at) = first_indented
        && at > 0
        && let (head, list) = lines.split_at(at)
        && head.iter().all(|line| is_sentence(line))
        && list.iter().all(|line| indent(line) > 0)
    {
        return [head, list]
            .into_iter()
            .flat_map(|part| block(&part.join("\n")))
            .collect();
    }
    if is_prose(&lines) {
        return vec![Block::Prose {
            text: lines.join(" "),
        }];
    }
    let tabular = || {
        lines
            .iter()
            .all(|line| has_word(line))
            .then(|| table(&lines))
            .flatten()
    };
    let found = fault(&lines)
        .or_else(|| items(&lines))
        .or_else(|| entries(&lines))
        .or_else(tabular)
        .or_else(|| independent(&lines));
    vec![found.unwrap_or_else(|| Block::Drawing {
        text: paragraph.to_owned(),
    })]
}

/// The number of blanks at the beginning.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Whether the line has a word of three letters, which lines of a board have not.
fn has_word(line: &str) -> bool {
    line.split(|c: char| !c.is_ascii_alphabetic())
        .any(|word| word.len() > 2)
}

fn is_sentence(line: &str) -> bool {
    has_word(line) && !line.trim_start().contains("  ")
}

/// Whether this is one wrapped paragraph, in which all lines but the last are long.
fn is_prose(lines: &[&str]) -> bool {
    const SHORTEST_WRAPPED: usize = 45;
    let Some((_, wrapped)) = lines.split_last() else {
        return false;
    };
    wrapped
        .iter()
        .all(|line| line.chars().count() >= SHORTEST_WRAPPED)
        && lines.iter().all(|line| indent(line) == 0 && !line.contains("  "))
}

fn fault(lines: &[&str]) -> Option<Block> {
    let [line, caret] = lines else { return None };
    let wrong = caret.trim_start();
    if wrong.is_empty() || wrong.bytes().any(|byte| byte != b'^') {
        return None;
    }
    let (start, length) = (indent(caret), wrong.len());
    let part = |from: usize, count: usize| line.chars().skip(from).take(count).collect::<String>();
    Some(Block::Fault {
        before: part(0, start).trim_start().to_owned(),
        wrong: part(start, length),
        after: part(start + length, usize::MAX),
    })
}

fn items(lines: &[&str]) -> Option<Block> {
    let least = least_indent(lines);
    let mut items: Vec<String> = Vec::new();
    for line in lines {
        match (line.get(least..).unwrap_or_default(), items.last_mut()) {
            (first, _) if first.starts_with("- ") => items.push(first.to_owned()),
            (more, Some(item)) if more.starts_with("  ") => {
                item.push(' ');
                item.push_str(more.trim_start());
            }
            _ => return None,
        }
    }
    Some(Block::Items { items })
}

/// Terms at one indent, with explanations that are indented by four blanks more.
fn entries(lines: &[&str]) -> Option<Block> {
    const DEEPER: usize = 4;
    let least = least_indent(lines);
    let is_term = |line: &str| indent(line) == least;
    let is_well_formed = least > 0
        && lines.first().is_some_and(|line| is_term(line))
        && lines.iter().any(|line| !is_term(line))
        && lines.iter().all(|line| match is_term(line) {
            true => !line.trim_start().contains("  "),
            false => indent(line) == least + DEEPER && is_sentence(line),
        });
    if !is_well_formed {
        return None;
    }
    let mut entries: Vec<Entry> = Vec::new();
    for line in lines {
        match entries.last_mut() {
            Some(entry) if !is_term(line) => {
                entry.text.push_str(if entry.text.is_empty() { "" } else { " " });
                entry.text.push_str(line.trim_start());
            }
            _ => entries.push(Entry {
                term: line.trim_start().to_owned(),
                text: String::new(),
            }),
        }
    }
    Some(Block::Entries { entries })
}

/// Columns two blanks apart. In an indented table a row without a first cell continues the row above it; another table
/// has a heading.
fn table(lines: &[&str]) -> Option<Block> {
    let cells: Vec<Vec<char>> = lines.iter().map(|line| line.chars().collect()).collect();
    let width = cells.iter().map(Vec::len).max()?;
    let first = least_indent(lines);
    let is_start = |&at: &usize| {
        let longer = || cells.iter().filter(|line| line.len() > at);
        longer().all(|line| line[at - 2] == ' ' && line[at - 1] == ' ')
            && longer().any(|line| line[at] != ' ')
    };
    let starts: Vec<usize> = std::iter::once(first)
        .chain((first + 2..width).filter(is_start))
        .collect();
    if starts.len() < 2 || (lines.len() < 2 && first == 0) {
        return None;
    }
    let ends = starts.iter().skip(1).copied().chain([usize::MAX]);
    let spans: Vec<_> = starts.iter().copied().zip(ends).collect();
    let mut rows: Vec<Vec<String>> = Vec::new();
    for line in &cells {
        let cell = |&(start, end): &(usize, usize)| {
            let part = line.get(start..end.min(line.len())).unwrap_or_default();
            part.iter().collect::<String>().trim().to_owned()
        };
        let row: Vec<String> = spans.iter().map(cell).collect();
        match rows.last_mut() {
            Some(above) if first > 0 && row[0].is_empty() => {
                for (cell, more) in above.iter_mut().zip(row) {
                    cell.push_str(if cell.is_empty() || more.is_empty() {
                        ""
                    } else {
                        " "
                    });
                    cell.push_str(&more);
                }
            }
            _ => rows.push(row),
        }
    }
    Some(Block::Table {
        has_head: first == 0,
        rows,
    })
}

fn independent(lines: &[&str]) -> Option<Block> {
    // A turn stands alone on its line, and has no word.
    let is_alone = matches!(lines, [line] if !line.trim_start().contains("  "));
    let all = is_alone || lines.iter().all(|line| is_sentence(line));
    all.then(|| Block::Lines {
        lines: lines.iter().map(|line| line.trim().to_owned()).collect(),
    })
}

fn least_indent(lines: &[&str]) -> usize {
    lines.iter().map(|line| indent(line)).min().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prose(text: &str) -> Block {
        Block::Prose { text: text.into() }
    }

    fn cells(rows: &[&[&str]]) -> Vec<Vec<String>> {
        let row = |row: &&[&str]| row.iter().map(|cell| (*cell).to_owned()).collect();
        rows.iter().map(row).collect()
    }

    #[test]
    fn a_wrapped_paragraph_is_prose() {
        assert_eq!(blocks("One line."), [prose("One line.")]);
        let wrapped = "A paragraph that was wrapped at seventy-two columns, as all of them\nare, ends soon.";
        assert_eq!(blocks(wrapped), [prose(&wrapped.replace('\n', " "))]);
    }

    #[test]
    fn a_list_of_games_is_no_drawing() {
        let entry = |term: &str, text: &str| Entry {
            term: term.into(),
            text: text.into(),
        };
        let games = "  Pow2 (The Power of Two)\n      Slide, form triangles, and be the first on\n      the board.\n  Forms\n      Capture.";
        let entries = vec![
            entry(
                "Pow2 (The Power of Two)",
                "Slide, form triangles, and be the first on the board.",
            ),
            entry("Forms", "Capture."),
        ];
        assert_eq!(blocks(games), [Block::Entries { entries }]);
    }

    #[test]
    fn a_table_has_cells_and_a_long_cell_goes_on_below() {
        let options = "Options. The game begins with a piece.\n  -fast      adds Dark e5\n  -noborder  no piece moves; they still\n             count for neighbours";
        let rows = cells(&[
            &["-fast", "adds Dark e5"],
            &["-noborder", "no piece moves; they still count for neighbours"],
        ]);
        let table = Block::Table {
            has_head: false,
            rows,
        };
        assert_eq!(
            blocks(options),
            [prose("Options. The game begins with a piece."), table]
        );
        let overlong = "  text             plain text alone\n  broadcasts on|off\n                   what the directors write";
        let rows = cells(&[
            &["text", "plain text alone"],
            &["broadcasts on|off", "what the directors write"],
        ]);
        assert_eq!(
            blocks(overlong),
            [Block::Table {
                has_head: false,
                rows
            }]
        );
    }

    #[test]
    fn cells_may_be_empty_and_a_table_known_as_one_may_hold_numbers_only() {
        let rows = cells(&[&["No", "A", "B"], &["1", "", "2"]]);
        assert_eq!(
            tables("No  A  B\n1      2\n\nMore."),
            [Block::Table { has_head: true, rows }, prose("More.")]
        );
    }

    #[test]
    fn the_wrong_part_of_a_command_is_marked() {
        let fault = Block::Fault {
            before: "Pow2 ".into(),
            wrong: "mvoe".into(),
            after: " 101".into(),
        };
        assert_eq!(blocks("  Pow2 mvoe 101\n       ^^^^"), [fault]);
    }

    #[test]
    fn a_transcript_is_commands_with_prose() {
        let command = Block::Command {
            text: "> Pow2 set bob ****** small".into(),
        };
        assert_eq!(
            blocks("> Pow2 set bob ****** small\nYou will now get the small board."),
            [command, prose("You will now get the small board.")]
        );
    }

    #[test]
    fn dashes_begin_items_and_commands_are_lines() {
        let items = ["- Capture: it takes the stone beside it.", "- Slide."]
            .map(str::to_owned)
            .into();
        assert_eq!(
            blocks("  - Capture: it takes the stone\n    beside it.\n  - Slide."),
            [Block::Items { items }]
        );
        let turn = vec!["m13-m5:l4".to_owned()];
        assert_eq!(blocks("  m13-m5:l4"), [Block::Lines { lines: turn }]);
        let lines = ["Pow2 show 101", "Pow2 games"].map(str::to_owned).into();
        assert_eq!(blocks("  Pow2 show 101\n  Pow2 games"), [Block::Lines { lines }]);
    }

    #[test]
    fn the_board_of_every_game_is_a_drawing() {
        use pbmserv_games::{Display, GAMES, Options};
        for game in GAMES {
            let position = game.start(&Options::none(game.facts)).unwrap();
            for display in [Display::Small, Display::Large] {
                let drawn = position.draw(display);
                let found = blocks(&drawn);
                let (drawn, told): (Vec<_>, Vec<_>) = found
                    .iter()
                    .partition(|block| matches!(block, Block::Drawing { .. }));
                assert_eq!(drawn.len(), 1, "{found:?}");
                let is_told = |block: &&Block| matches!(block, Block::Prose { .. } | Block::Lines { .. });
                assert!(told.iter().all(is_told), "{found:?}");
            }
        }
    }
}
