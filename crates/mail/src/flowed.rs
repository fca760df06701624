//! Undoes `format=flowed` (RFC 3676): paragraphs that a client wrapped become single lines again.

/// The lines before wrapping; quoted ones keep their depth as `>`.
pub(super) fn unflow(lines: &[&str], delsp: bool) -> Vec<String> {
    let mut whole: Vec<String> = Vec::new();
    // The quote depth of the previous line, if that line flows on.
    let mut flowing: Option<usize> = None;
    for line in lines {
        let depth = line.bytes().take_while(|&c| c == b'>').count();
        let content = &line[depth..];
        let content = content.strip_prefix(' ').unwrap_or(content);
        let is_signature = content == "-- ";
        let flows = content.ends_with(' ') && !is_signature;
        let kept = match content.strip_suffix(' ') {
            Some(shorter) if flows && delsp => shorter,
            _ => content,
        };
        match whole.last_mut() {
            Some(last) if flowing == Some(depth) && !is_signature => last.push_str(kept),
            _ => {
                let mut line = ">".repeat(depth);
                if depth > 0 {
                    line.push(' ');
                }
                line.push_str(kept);
                whole.push(line);
            }
        }
        flowing = flows.then_some(depth);
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flowing_lines_are_joined_within_one_quote_depth() {
        let lines = ["a ", "b", "> q ", "> r ", "c ", ">> s", "-- ", "sig"];
        assert_eq!(
            unflow(&lines, false),
            ["a b", "> q r ", "c ", ">> s", "-- ", "sig"]
        );
    }

    #[test]
    fn delsp_takes_the_blank_away_and_stuffing_is_undone() {
        assert_eq!(
            unflow(&["ab ", "cd", " >not quoted", "  two"], true),
            ["abcd", ">not quoted", " two"]
        );
    }

    #[test]
    fn a_signature_line_is_never_joined() {
        assert_eq!(unflow(&["words ", "-- ", "me"], false), ["words ", "-- ", "me"]);
    }
}
