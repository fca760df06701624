//! Reads the text of a message: finds the end of data and removes stuffed dots (RFC 5321, 4.5.2).

/// Finds the end of data, removes stuffed dots and detects bare CR and LF.
///
/// The end is `<CRLF>.<CRLF>` and nothing else; the CRLF of the DATA command counts as its first half. The
/// receiver of `smtp-proto` cannot be used: it accepts `<CRLF>.<CR><CRLF>` as an end, and does not treat the
/// start of the data as the start of a line.
#[derive(Debug, Default)]
pub(super) struct DataReader {
    state: State,
    bare: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// After CRLF, or before the first byte.
    #[default]
    LineStart,
    /// Within a line.
    Text,
    /// After a CR within the text.
    Cr,
    /// After a dot at the start of a line; it is not part of the text.
    Dot,
    /// After that dot and a CR.
    DotCr,
}

/// The result of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Consumed {
    /// How many bytes of the input were consumed.
    pub(super) taken: usize,
    /// Whether they end with the end of data.
    pub(super) ended: bool,
}

impl DataReader {
    /// Consumes bytes up to the end of data or of the input, and appends the text among them.
    ///
    /// After a bare CR or LF the appended bytes are meaningless: see [`is_bare`](Self::is_bare).
    pub(super) fn take(&mut self, input: &[u8], text: &mut Vec<u8>) -> Consumed {
        // The text from here on was not appended yet.
        let mut from = 0;
        let mut at = 0;
        while let Some(&byte) = input.get(at) {
            let next = match (self.state, byte) {
                (State::Text, b'\r') | (State::LineStart, b'\r') => State::Cr,
                (State::Text | State::LineStart, b'\n') => {
                    self.bare = true;
                    State::Text
                }
                (State::LineStart, b'.') => {
                    text.extend_from_slice(&input[from..at]);
                    from = at + 1;
                    State::Dot
                }
                (State::Text | State::LineStart, _) => {
                    // The fast path: everything up to the next CR or LF is text.
                    let rest = &input[at..];
                    let run = rest.iter().position(|&byte| matches!(byte, b'\r' | b'\n'));
                    at += run.unwrap_or(rest.len());
                    self.state = State::Text;
                    continue;
                }
                (State::Cr, b'\n') => State::LineStart,
                (State::Cr | State::DotCr, b'\r') => {
                    self.bare = true;
                    State::Cr
                }
                (State::Cr, _) => {
                    self.bare = true;
                    State::Text
                }
                (State::Dot, b'\r') => {
                    from = at + 1;
                    State::DotCr
                }
                (State::Dot, b'\n') => {
                    self.bare = true;
                    State::Text
                }
                (State::Dot, _) => State::Text,
                (State::DotCr, b'\n') => {
                    return Consumed {
                        taken: at + 1,
                        ended: true,
                    };
                }
                (State::DotCr, _) => {
                    self.bare = true;
                    State::Text
                }
            };
            self.state = next;
            at += 1;
        }
        text.extend_from_slice(&input[from..]);
        Consumed {
            taken: input.len(),
            ended: false,
        }
    }

    /// Whether there was a CR without LF or an LF without CR (forbidden by RFC 5321, 2.3.8).
    pub(super) fn is_bare(&self) -> bool {
        self.bare
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Reads in pieces of these lengths, repeated; returns the text, whether it is bare, and the length up to
    /// the end.
    fn read(input: &[u8], lengths: &[usize]) -> (Vec<u8>, bool, Option<usize>) {
        let mut reader = DataReader::default();
        let mut text = Vec::new();
        let mut at = 0;
        let mut lengths = lengths.iter().cycle();
        while at < input.len() {
            let end = input.len().min(at + lengths.next().unwrap());
            let step = reader.take(&input[at..end], &mut text);
            at += step.taken;
            if step.ended {
                return (text, reader.is_bare(), Some(at));
            }
            assert_eq!(at, end);
        }
        (text, reader.is_bare(), None)
    }

    #[test]
    fn dots_are_taken_out_at_the_start_of_a_line_only() {
        let (text, bare, end) = read(b"..a.b\r\n...\r\n.x\r\n.\r\nQUIT", &[100]);
        assert_eq!(text, b".a.b\r\n..\r\nx\r\n");
        assert_eq!((bare, end), (false, Some(19)));
    }

    #[test]
    fn an_empty_message_ends_at_once() {
        assert_eq!(read(b".\r\n", &[1]), (Vec::new(), false, Some(3)));
    }

    #[test]
    fn no_other_line_end_ends_the_data() {
        for hidden in [
            "\n.\n",
            "\n.\r\n",
            "\r\n.\n",
            "\r.\r",
            "\r\n.\r",
            "\r\n.\r\r\n",
            "\r.\r\n",
            "\n.\r",
            "\n\n.\n",
            "\r\n\n.\r\n",
        ] {
            let input = format!("a{hidden}MAIL FROM:<x@y>\r\n.\r\n");
            let (_, bare, end) = read(input.as_bytes(), &[100]);
            assert_eq!((bare, end), (true, Some(input.len())), "{hidden:?}");
        }
    }

    proptest! {
        #[test]
        fn the_end_is_the_first_crlf_dot_crlf_however_the_bytes_are_cut(
            input in proptest::collection::vec(proptest::sample::select(&b"\r\n.a"[..]), 0..40),
            lengths in proptest::collection::vec(1_usize..6, 1..5),
        ) {
            let whole = [b"\r\n", &input[..]].concat();
            let expected_end = whole.windows(5).position(|five| five == b"\r\n.\r\n").map(|at| at + 3);
            let seen = &whole[..expected_end.map_or(whole.len(), |end| end + 2)];
            let lone_cr = |at: usize| seen[at] == b'\r' && seen.get(at + 1).is_some_and(|&next| next != b'\n');
            let lone_lf = |at: usize| seen[at] == b'\n' && seen[at - 1] != b'\r';
            let expected_bare = (0..seen.len()).any(|at| lone_cr(at) || lone_lf(at));
            let (_, bare, end) = read(&input, &lengths);
            prop_assert_eq!(end, expected_end);
            prop_assert_eq!(bare, expected_bare);
        }

        #[test]
        fn a_stuffed_text_comes_out_as_it_was(
            lines in proptest::collection::vec("[.a\u{0}]{0,4}", 0..8),
            lengths in proptest::collection::vec(1_usize..9, 1..5),
        ) {
            let text: String = lines.iter().map(|line| format!("{line}\r\n")).collect();
            let stuffed: String = lines
                .iter()
                .map(|line| format!("{}{line}\r\n", if line.starts_with('.') { "." } else { "" }))
                .collect();
            let sent = format!("{stuffed}.\r\n");
            prop_assert_eq!(
                read(sent.as_bytes(), &lengths),
                (text.into_bytes(), false, Some(sent.len()))
            );
        }
    }
}
