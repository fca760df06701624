//! The cost of a letter about a board: its facts in the engine, its text, HTML and picture when it is sent.
//!
//! `cargo bench --bench letters`; the items are letters.
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark that cannot begin has nothing to say"
)]

use divan::Bencher;
use divan::counter::ItemsCount;
use pbmserv_core::letters::{
    BoardMail, Button, Content, Draft, Frame, Head, LastTurns, LetterKind, Letters, Status, Step, TurnRow,
};
use pbmserv_games::kit::picture::png;
use pbmserv_games::record::Record;
use pbmserv_mail::Address;

fn main() {
    divan::main();
}

const RECORD: &str = "[Game \"Pow2\"]\n m13-m5:l4 a1-e1";

fn content() -> Content {
    let position = RECORD.parse::<Record>().unwrap().replay().unwrap().position;
    let mail = BoardMail {
        earlier: Vec::new(),
        subject: "Pow2 Board 101 alice".into(),
        head: Head {
            game: "The Power of Two".into(),
            place: "board 101, with bob".into(),
        },
        preheader: "Your turn until Sat 12 December: bob played a1-e1.".into(),
        result: String::new(),
        sentence: "bob played a1-e1 on Pow2 Board 101.".into(),
        choices: Vec::new(),
        saying: None,
        said: String::new(),
        board: position.draw(pbmserv_games::Display::Large),
        goal: String::new(),
        status: Status {
            line: "Your turn, alice, until Sat 12 December,".into(),
            when: "23:56 UTC: in three weeks.".into(),
            more: "You have Light.".into(),
            brief: "Your turn until Sat 12 December".into(),
            is_mine: true,
        },
        turns: LastTurns {
            players: ["alice (Light)", "bob (Dark)"].map(str::to_owned),
            rows: vec![TurnRow {
                number: 1,
                turns: ["m13-m5:l4", "a1-e1"].map(str::to_owned),
                newest: Some(1),
            }],
            text: "  No.  alice (Light)  bob (Dark)\n  1    m13-m5:l4      a1-e1".into(),
        },
        can_answer: true,
        turn: "m1-g1:e3".into(),
        action: Some(Button {
            label: "Play your turn".into(),
            word: String::new(),
        }),
        hint:
            "Answer this mail with your turn alone on the first line; words below it go to bob. For example"
                .into(),
        example: "m1-g1:e3".into(),
        other: "bob".into(),
        verbs: Vec::new(),
        steps: vec![Step {
            line: "Pow2 move 101 alice PASSWORD m1-g1:e3".into(),
            does: "your password stands for PASSWORD".into(),
        }],
        about: "Pow2 Board 101: alice (Light, 1500) against bob (Dark, 1500).".into(),
        is_removed: false,
        fewer: vec![Step {
            line: "set alice PASSWORD digest on".into(),
            does: "one mail a day".into(),
        }],
    };
    Content::from(mail).showing(RECORD.to_owned())
}

fn letters() -> Letters {
    Letters::load(None, &Address::parse("pbmserv@games.example").unwrap()).unwrap()
}

fn packed(content: &Content) -> Vec<u8> {
    let draft = Draft {
        has_html: true,
        record: content.picture.clone(),
        ..Draft::of(content.facts().unwrap(), 72)
    };
    draft.packed().unwrap()
}

fn draft() -> Draft {
    Draft::unpacked(&packed(&content())).unwrap()
}

#[divan::bench]
fn subject_in_the_engine(bencher: Bencher<'_, '_>) {
    let (letters, content) = (letters(), content());
    bencher
        .counter(ItemsCount::new(1_u32))
        .bench_local(|| letters.subject(&content).unwrap());
}

#[divan::bench]
fn packed_in_the_engine(bencher: Bencher<'_, '_>) {
    let content = content();
    bencher
        .counter(ItemsCount::new(1_u32))
        .bench_local(|| packed(&content));
}

#[divan::bench]
fn unpacked_at_sending(bencher: Bencher<'_, '_>) {
    let packed = packed(&content());
    bencher
        .counter(ItemsCount::new(1_u32))
        .bench_local(|| Draft::unpacked(&packed).unwrap());
}

#[divan::bench]
fn text_at_sending(bencher: Bencher<'_, '_>) {
    let (letters, draft) = (letters(), draft());
    bencher
        .counter(ItemsCount::new(1_u32))
        .bench_local(|| letters.text(LetterKind::Board, &draft).unwrap());
}

#[divan::bench]
fn html_at_sending(bencher: Bencher<'_, '_>) {
    let (letters, draft) = (letters(), draft());
    let frame = Frame {
        subject: "Pow2 Board 101 alice".into(),
        answer: "pbmserv+2k-mfzwizdfmzsgk3lqn5xgk4tfmy@games.example".into(),
        picture: "cid:board.1@games.example".into(),
        description: "The Power of Two after 2 turns.".into(),
        thumbnails: Vec::new(),
    };
    bencher
        .counter(ItemsCount::new(1_u32))
        .bench_local(|| letters.page(LetterKind::Board, &draft, &frame).unwrap());
}

/// A position of each game, since a full board of Forms costs three times as much as others.
#[divan::bench(sample_count = 10, args = [RECORD, "[Game \"Forms\"]", "[Game \"ShapeChess\"]", "[Game \"Ringworm\"]\n i1"])]
fn picture_at_sending(bencher: Bencher<'_, '_>, record: &str) {
    bencher.counter(ItemsCount::new(1_u32)).bench_local(|| {
        let replayed = record.parse::<Record>().unwrap().replay().unwrap();
        png(&replayed.picture().svg(), 640).unwrap()
    });
}
