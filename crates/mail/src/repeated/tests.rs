use super::*;
use crate::Address;

const LETTER: &str = "\
Breakthrough Board 168 has begun: alice against bob.

Your turn, alice, until Thu 17 December, 10:54 UTC: in three weeks.
You are White.

Answer this mail with your turn alone on the first line; words below it
go to bob. For example

  a2-a3

Or play it here:

  http://127.0.0.1:31080/k/kae-ihsgvt7iyrjljn33kwfr6df5bm/board/Breakthrough/168/turn

8 | x | x | x |
7 | . | . | . |

You can write, as the subject of a mail to pbmserv@games.example:

  Pow2 challenge alice bot-easy
  Hex challenge alice bot-easy
";

fn kept(text: &str) -> String {
    let typed = |line: &str| line == "a2-a3" || line.starts_with("Pow2 ") || line.starts_with("Hex ");
    let mut words = LetterWords::new(typed);
    words.learn(LETTER);
    let own = Address::parse("pbmserv@games.example").unwrap().into();
    let lines: Vec<String> = text.lines().map(crate::visible).collect();
    let kept = words.without_letters(&lines, &own).unwrap_or(lines);
    kept.join("\n").trim().to_owned()
}

#[test]
fn a_letter_is_cut_behind_any_mark_and_in_any_width() {
    let letter = |mark: &str| -> String { LETTER.lines().map(|line| format!("{mark}{line}\n")).collect() };
    let in_one = LETTER.replace('\n', " ");
    for quoted in [
        letter(""),
        letter("| "),
        letter(": "),
        letter("* > "),
        in_one.clone(),
        in_one.to_uppercase(),
    ] {
        let text = format!("a2-a3\n\nGood luck, Bob!\n\n{quoted}");
        assert_eq!(kept(&text), "a2-a3\n\nGood luck, Bob!");
    }
}

#[test]
fn what_announces_it_is_cut_in_any_language() {
    for above in [
        "2026-11-26 11:00 GMT+01:00 pbmserv <pbmserv@games.example>:\n",
        "מאת: pbmserv <pbmserv@games.example>\nנשלח: 26 11 2026 11:00\nאל: alice@a.example\nנושא: Breakthrough Board 168\n",
        "-------- 원본 이메일 --------\n발신: pbmserv@games.example\n날짜: 2026/11/26 11:00 (GMT+09:00)\n",
        "-------- Original message --------From: pbmserv@games.example Date: 11/26/26  11:00 AM\n",
    ] {
        assert_eq!(
            kept(&format!("a2-a3\n\nSee you at 10:30\n\n{above}\n{LETTER}")),
            "a2-a3\n\nSee you at 10:30",
            "{above}"
        );
    }
}

#[test]
fn words_between_and_below_the_lines_of_a_letter_stay() {
    let (one, rest) = LETTER.split_at(LETTER.find("Your turn").unwrap());
    let text = format!("{one}\nHow nice!\n\n{rest}\nBye, Alice");
    let words: Vec<String> = kept(&text)
        .lines()
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect();
    assert_eq!(words, ["How nice!", "Bye, Alice"]);
}

#[test]
fn a_few_words_of_a_letter_are_the_writers() {
    for text in [
        "a2-a3\nYour turn, alice",
        "a2-a3",
        "I am White, you are White.\nno?",
        "You wrote \"Or play it here:\" and I did, but how?",
        "Pow2 challenge alice bot-easy\nHex challenge alice bot-easy",
    ] {
        assert_eq!(kept(text), text);
    }
}
