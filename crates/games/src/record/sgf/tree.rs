//! The syntax of SGF: the properties on the main line of the first game in a file.

use crate::record::{Error, wrong};

/// The value of a property: `B[c5]`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Property {
    /// The line where it stands.
    pub(super) line: usize,
    /// In capitals.
    pub(super) name: String,
    /// Unescaped, on one line.
    pub(super) value: String,
}

/// Reads the properties on the main line: each node's first variation. It is written first, so it ends at the first
/// closing parenthesis. `line` is the number of the text's first line.
///
/// # Errors
/// The text is not SGF; the error names the line.
pub(super) fn main_line(text: &str, mut line: usize) -> Result<Vec<Property>, Error> {
    let (mut properties, mut name) = (Vec::new(), String::new());
    // Whether a value has followed the name: then a further one may follow, and a letter begins another name.
    let mut has_value = false;
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '\n' => line += 1,
            ')' => return Ok(properties),
            '(' | ';' => {
                name.clear();
                has_value = false;
            }
            '[' if name.is_empty() => return Err(wrong(line, "A value has no property before it.")),
            '[' => {
                let begun = line;
                let value = value(&mut signs, &mut line).ok_or_else(|| {
                    wrong(
                        begun,
                        format!("The value of the property {name} has no ] at its end."),
                    )
                })?;
                has_value = true;
                properties.push(Property {
                    line: begun,
                    name: capitals(&name),
                    value,
                });
            }
            c if c.is_ascii_alphabetic() || c.is_ascii_digit() && !name.is_empty() => {
                if std::mem::take(&mut has_value) {
                    name.clear();
                }
                name.push(c);
            }
            c if c.is_whitespace() => {}
            _ => return Err(wrong(line, "This is not SGF.")),
        }
    }
    Err(wrong(line, "The game that begins with ( has no ) at its end."))
}

/// The name of a property in capitals. Versions before FF\[4\] had small letters between them: `Black[c5]`, `GaMe[4]`.
fn capitals(name: &str) -> String {
    let capitals: String = name.chars().filter(|c| !c.is_ascii_lowercase()).collect();
    match capitals.is_empty() {
        true => name.to_ascii_uppercase(),
        false => capitals,
    }
}

/// How many games the file has.
pub(super) fn games(text: &str) -> usize {
    let (mut games, mut depth, mut line) = (0, 0_usize, 0);
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '(' if depth == 0 && !signs.as_str().trim_start().starts_with(';') => {}
            '(' => {
                games += usize::from(depth == 0);
                depth += 1;
            }
            ')' => depth = depth.saturating_sub(1),
            '[' if depth > 0 && value(&mut signs, &mut line).is_none() => break,
            _ => {}
        }
    }
    games
}

/// The text up to the next `]` that is not escaped; `None` if there is none.
fn value(signs: &mut std::str::Chars<'_>, line: &mut usize) -> Option<String> {
    let mut value = String::new();
    while let Some(sign) = signs.next() {
        match sign {
            ']' => return Some(value),
            '\\' => match signs.next()? {
                // A line break that is escaped is not part of the text.
                '\n' => *line += 1,
                c => value.push(c),
            },
            '\n' => {
                *line += 1;
                value.push(' ');
            }
            c if c.is_control() => value.push(' '),
            c => value.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_line_is_read_and_variations_are_not() {
        let text = "(;FF[4]\nC[a \\] \\\\ b\\\nc\nd];B[a1]AB[b1][c1](;W[a2](;Black[a3])(;B[c3]))(;W[b2]))";
        let read: Vec<_> = main_line(text, 1)
            .unwrap()
            .into_iter()
            .map(|property| (property.line, property.name, property.value))
            .collect();
        let expected = [
            (1, "FF", "4"),
            (2, "C", "a ] \\ bc d"),
            (4, "B", "a1"),
            (4, "AB", "b1"),
            (4, "AB", "c1"),
            (4, "W", "a2"),
            (4, "B", "a3"),
        ];
        assert_eq!(
            read,
            expected.map(|(line, name, value)| (line, name.to_owned(), value.to_owned()))
        );
    }

    #[test]
    fn what_is_no_sgf_is_refused_with_its_line() {
        let refused = |text: &str| main_line(text, 1).unwrap_err().to_string();
        assert_eq!(refused("(;[4])"), "Line 1: A value has no property before it.");
        assert_eq!(
            refused("(;FF[4]\nC[ab\n"),
            "Line 2: The value of the property C has no ] at its end."
        );
        assert_eq!(
            refused("(;FF[4]\n"),
            "Line 2: The game that begins with ( has no ) at its end."
        );
        assert_eq!(refused("(;FF[4]\n*)"), "Line 2: This is not SGF.");
    }
}
