//! Files within a text, as from before MIME: uuencoded, in both forms that POSIX has for it.

use std::borrow::Cow;

/// The lines of a text without the files in it.
pub(super) fn without_files(lines: &[String]) -> Cow<'_, [String]> {
    let mut kept: Option<Vec<String>> = None;
    let mut at = 0;
    while at < lines.len() {
        match file_length(&lines[at..]) {
            0 => {
                if let Some(kept) = &mut kept {
                    kept.push(lines[at].clone());
                }
                at += 1;
            }
            length => {
                kept.get_or_insert_with(|| lines[..at].to_vec());
                at += length;
            }
        }
    }
    kept.map_or(Cow::Borrowed(lines), Cow::Owned)
}

/// The number of lines of the file that begins with the first line; 0 if none does. A line that is none of the file ends it, so
/// that words are lost at no place.
fn file_length(lines: &[String]) -> usize {
    let begins = |form: &str| {
        let mut words = lines[0]
            .strip_prefix(form)?
            .split(' ')
            .filter(|word| !word.is_empty());
        let mode = words.next()?;
        let is_mode = (3..=4).contains(&mode.len()) && mode.bytes().all(|c| matches!(c, b'0'..=b'7'));
        words.next().filter(|_| is_mode)
    };
    let (is_line, end): (fn(&str) -> bool, &str) = if begins("begin ").is_some() {
        (is_uuencoded, "end")
    } else if begins("begin-base64 ").is_some() {
        (is_base64, "====")
    } else {
        return 0;
    };
    let inside = lines[1..].iter().take_while(|line| is_line(line)).count();
    let is_ended = lines.get(1 + inside).is_some_and(|line| line == end);
    match inside > 0 || is_ended {
        true => 1 + inside + usize::from(is_ended),
        false => 0,
    }
}

/// Whether a line has the length that its first character says. Blanks at its end may be lost on the way.
fn is_uuencoded(line: &str) -> bool {
    let Some((&first, rest)) = line.as_bytes().split_first() else {
        // The line of length 0 with a blank for it.
        return true;
    };
    if !(b' '..=b'`').contains(&first) || line == "end" {
        return false;
    }
    let bytes = usize::from((first - b' ') & 0x3f);
    let is_character = |c: &u8| (b' '..=b'`').contains(c);
    let length = bytes.div_ceil(3) * 4;
    rest.len() <= length + 1 && rest.len() + 4 >= length.min(8) && rest.iter().all(is_character)
}

fn is_base64(line: &str) -> bool {
    let is_character = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'+' | b'/' | b'=');
    line.len() >= 4 && line != "====" && line.bytes().all(is_character)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str) -> String {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        without_files(&lines).join("\n")
    }

    #[test]
    fn a_file_is_left_out_and_the_words_around_it_stay() {
        let file =
            "begin 664 test.txt\nM4U123$9203(P,C0Q,3$W,3,R.3(P,C0Q,3$W3$@@,#$S,\"`Q,3!,2\"!$04E.\n`\nend";
        assert_eq!(
            kept(&format!("a2-a3\n\n{file}\nGood luck!")),
            "a2-a3\n\nGood luck!"
        );
        assert_eq!(kept(&format!("{file}\n{file}\na2-a3")), "a2-a3");
        let blank = "begin 644 a b.txt\n#86)C\n\nend\na2-a3";
        assert_eq!(kept(blank), "a2-a3");
        assert_eq!(kept("begin-base64 644 x\nYTItYTM=\n====\na2-a3"), "a2-a3");
    }

    #[test]
    fn words_are_no_file() {
        for text in [
            "begin 664 of these games with me",
            "begin with a2\nend",
            "begin 10 x\nend",
            "begin\nend",
            "begin 644 x\nYou win this one, I think\nend",
        ] {
            assert_eq!(kept(text), text);
        }
        // Without its end it goes on only as long as its lines have the form.
        assert_eq!(
            kept("begin 644 x\n#86)C\nGood luck, and see you!"),
            "Good luck, and see you!"
        );
    }
}
