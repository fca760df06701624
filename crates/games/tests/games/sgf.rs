//! SGF: what is written is read back, and files of other programs are read.

use pbmserv_games::record::Record;
use pbmserv_games::{Ending, GAMES, Options};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

fn read(text: &str) -> Record {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str) -> String {
    text.parse::<Record>().unwrap_err().to_string()
}

fn record(game: &str, options: &str, turns: &str) -> Record {
    let game = pbmserv_games::find(game).unwrap();
    let mut record = Record::new(
        game,
        Options::parse(game.facts, options.split_whitespace()).unwrap(),
    );
    record.turns = turns.split_whitespace().map(str::to_owned).collect();
    record
}

#[test]
fn a_record_is_written_as_custom_has_it() {
    let mut hex = record("Hex", "-size=5", "c2 swap d4");
    hex.board = Some("101".to_owned());
    hex.first = Some("alice".to_owned());
    hex.second = Some("b[o]b".to_owned());
    hex.date = Some("2026-11-20".to_owned());
    hex.ending = Some("Second wins by resignation".parse().unwrap());
    hex.comments.0 = vec![(3, "a \\ hint".to_owned())];
    let head = format!("(;FF[4]CA[UTF-8]AP[pbmserv:{}]", env!("CARGO_PKG_VERSION"));
    assert_eq!(
        hex.sgf().unwrap(),
        format!(
            "{head}GM[11]SZ[5]\nGN[Hex Board 101]PB[alice]PW[b[o\\]b]DT[2026-11-20]RE[W+R]\n\
             ;B[c2];W[swap-pieces];B[d4]C[a \\\\ hint]\n)\n"
        )
    );
    // A stone of the other colour takes the place of the first one.
    let gomoku = record("Gomoku", "-exact", "h8 swap i9");
    assert_eq!(
        gomoku.sgf().unwrap(),
        format!("{head}GM[4]SZ[15]\nGN[Gomoku]RU[-exact]\n;B[hh];W[hh];B[ig]\n)\n")
    );
    let reversi = record("Reversi", "", "d3 c3 c4");
    assert_eq!(
        reversi.sgf().unwrap(),
        format!("{head}GM[2]SZ[8]\nGN[Reversi]\n;B[d3];W[c3];B[c4]\n)\n")
    );
    assert_eq!(record("Amazons", "", "").sgf(), None);
}

#[test]
fn whole_games_are_read_back() {
    for game in GAMES.iter().filter(|game| game.sgf.is_some()) {
        for (seed, options) in (0..).zip([
            "",
            "-size=10",
            "-noswap -size=19",
            "-exact",
            "-size=6",
            "-size=9 -komi=0.5 -handicap=4",
        ]) {
            let Ok(options) = Options::parse(game.facts, options.split_whitespace()) else {
                continue;
            };
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut position = game.start(&options).unwrap();
            let mut record = Record::new(game, options);
            while let Some(turn) = position.random_turn(&mut rng) {
                record.turns.push(position.play(&turn).unwrap());
            }
            record.first = Some("a]b\\".to_owned());
            record.ending = position.outcome().map(Ending::by_rules);
            let again = read(&record.sgf().unwrap());
            assert_eq!(again.game.facts.name, game.facts.name);
            assert_eq!(again.options, record.options);
            assert_eq!(again.turns, record.turns);
            assert_eq!(again.ending, record.ending);
            assert_eq!(again.first, record.first);
        }
    }
}

#[test]
fn an_end_that_the_rules_do_not_know_is_read_back() {
    for result in [
        "First wins by resignation",
        "Second wins by forfeit",
        "First wins by adjudication",
        "Draw by agreement",
    ] {
        let mut gomoku = record("Gomoku", "", "h8 i9");
        gomoku.ending = Some(result.parse().unwrap());
        assert_eq!(read(&gomoku.sgf().unwrap()).ending, gomoku.ending, "{result}");
    }
    assert_eq!(read(&record("Hex", "", "a1").sgf().unwrap()).ending, None);
}

#[test]
fn a_game_of_little_golem_is_read() {
    // White begins there, points are letters, and the game stands in the event.
    let text = "(;FF[4]EV[hex.mc.2011.feb.1.10]PB[first]PW[second]SZ[13]RE[W]GC[ game #1]\
                SO[http://www.littlegolem.com];W[ll];B[swap];W[gg];B[fi];W[resign])";
    let record = read(text);
    assert_eq!(record.game.facts.name, "Hex");
    assert_eq!(record.options.to_string(), "-size=13");
    assert_eq!(record.turns, ["l12", "swap", "g7", "f9"]);
    assert_eq!(record.first.as_deref(), Some("first"));
    let ending = record.ending.map(|ending| ending.to_string());
    assert_eq!(ending.as_deref(), Some("Second wins by resignation"));
}

/// A whole file of Little Golem, with other names.
const LITTLE_GOLEM: &str = "(;FF[4]EV[hex.mc.2010.oct.1.11]PB[First Player]PW[second]SZ[13]RE[B]GC[ game #1]SO[http://www.littlegolem.com];\
    W[mf];B[gg];W[de];B[df];W[ji];B[if];W[ld];B[jg];W[jf];B[ig];W[kg];B[kc];W[mb];B[ma];W[lb];B[la];W[kb];B[ka];W[jb];B[ja];\
    W[hc];B[hb];W[fd];B[fc];W[ib];B[ia];W[gc];B[gb];W[cd];B[da];W[eb];B[dd];W[ce];B[dc];W[cc];B[db];W[bb];B[le];W[kf];B[ke];\
    W[je];B[il];W[jj];B[kk];W[hk];B[resign])";

#[test]
fn in_hex_of_little_golem_black_is_the_name_of_the_player_who_begins() {
    let record = read(LITTLE_GOLEM);
    assert_eq!(record.first.as_deref(), Some("First Player"));
    assert_eq!(record.second.as_deref(), Some("second"));
    let ending = |record: &Record| record.ending.map(|ending| ending.to_string());
    assert_eq!(ending(&record).as_deref(), Some("First wins by resignation"));
    // Without the resignation RE says it.
    let unsaid = LITTLE_GOLEM.replace(";B[resign]", "");
    assert_eq!(ending(&read(&unsaid)), ending(&record));
    for host in ["littlegolem.net", "https://www.LittleGolem.net/jsp/"] {
        let there = LITTLE_GOLEM.replace("http://www.littlegolem.com", host);
        assert_eq!(read(&there).first, record.first, "{host}");
    }
    // Of a file from elsewhere nothing is guessed: names and result go by the colour, and here they contradict.
    for elsewhere in ["", "http://www.example.com/littlegolem.com"] {
        let text = LITTLE_GOLEM.replace("http://www.littlegolem.com", elsewhere);
        assert_eq!(
            refused(&text),
            "The result is \"Second wins by resignation\", but the turns end with \"First wins by resignation\"."
        );
        let text = text.replace("RE[B]", "");
        assert_eq!(read(&text).first.as_deref(), Some("second"), "{elsewhere}");
    }
}

#[test]
fn the_charset_is_the_one_that_is_named_or_latin_1() {
    let named = |charset: &str, name: &[u8]| {
        let head = format!("(;FF[4]{charset}GM[11]PB[");
        let bytes = [head.as_bytes(), name, b"];B[a1])"].concat();
        Record::read(&bytes).unwrap().first.unwrap()
    };
    for (charset, name, expected) in [
        ("", &b"Lo\xefc"[..], "Lo\u{ef}c"),
        ("CA[ISO-8859-1]", b"Lo\xefc", "Lo\u{ef}c"),
        ("CA[iso8859-1]", "Lo\u{ef}c".as_bytes(), "Lo\u{c3}\u{af}c"),
        ("CA[UTF-8]", "Lo\u{ef}c".as_bytes(), "Lo\u{ef}c"),
        ("", "Lo\u{ef}c".as_bytes(), "Lo\u{ef}c"),
        ("CA[UTF-8]", b"Lo\xefc", "Lo\u{ef}c"),
        (
            "CA[windows-1251]",
            b"\xc8\xe2\xe0\xed",
            "\u{418}\u{432}\u{430}\u{43d}",
        ),
        // The second byte of this sign is ] in ASCII.
        ("CA[Shift_JIS]", b"\x83\x5d", "\u{30be}"),
        ("CA[GB2312]", b"\xc1\xaa\xcd\xa8", "\u{8054}\u{901a}"),
        ("CA[klingon]", b"Lo\xefc", "Lo\u{ef}c"),
    ] {
        assert_eq!(named(charset, name), expected, "{charset}");
    }
    assert_eq!(
        Record::read(b"[Game \"Hex\"][First \"Lo\xefc\"]")
            .unwrap_err()
            .to_string(),
        "A record is text in UTF-8."
    );
}

#[test]
fn words_before_the_game_are_skipped_and_lines_are_counted_from_the_top() {
    let text = "From: [a@x.example] (ann)\nHere is our game:\n\n( ;GM[11]PB[ann]\n;B[a1]\n;B[a2])";
    assert_eq!(refused(text), "Line 6: It is not the turn of B.");
    assert_eq!(read(&text.replace("B[a2]", "W[a2]")).turns, ["a1", "a2"]);
    // A record of ours may speak of SGF.
    for ours in [
        "[Game \"Hex\"]\n{see (;FF[4]GM[4])} a1 b2",
        "{see (;FF[4]GM[4])}\n[Game \"Hex\"]\na1 b2",
        "[Site \"(;FF[4])\"]\n[Game \"Hex\"]\na1 b2",
    ] {
        assert_eq!(read(ours).turns, ["a1", "b2"], "{ours}");
    }
}

#[test]
fn older_versions_are_read() {
    for text in [
        "(;FF[1]GM[4]SZ[15];B[hh];W[ig])",
        "(;GaMe[4]SiZe[15]PlayerBlack[ann];Black[hh];White[ig])",
        "(;ff[2]gm[4]sz[15];b[hh];w[ig])",
        "(;FF[3]GM[4]VW[]SZ[15]M1[x];B[hh]W[ig])",
    ] {
        let record = read(text);
        assert_eq!(
            (record.game.facts.name, record.turns.len()),
            ("Gomoku", 2),
            "{text}"
        );
    }
}

#[test]
fn a_collection_is_refused_and_variations_are_no_collection() {
    let one = "(;GM[4]FF[4]SZ[15]DT[2018-04-15]PB[one]PW[two]RE[0]B[hh]W[ig]B[gj])";
    assert_eq!(read(one).turns.len(), 3);
    assert_eq!(
        refused(&one.repeat(5)),
        "Line 1: The file has 5 games; a record is that of one game."
    );
    assert_eq!(
        refused(&format!("{one}\n\n({})", &one[1..one.len() - 1])),
        refused(&one.repeat(2))
    );
    let branched = "(;GM[4];B[hh](;W[ig]C[a (;FF[4\\])])(;W[gj](;B[aa])(;B[bb])))\nbye (ann) :(";
    assert_eq!(read(branched).turns.len(), 2);
}

#[test]
fn a_result_that_the_moves_contradict_is_refused() {
    let five = ";B[hd];W[aa];B[he];W[oa];B[hf];W[ao];B[hg];W[oo];B[hh]";
    let of = |head: &str| format!("(;GM[4]{head}{five})");
    assert!(read(&of("RE[B+]")).ending.is_some());
    assert!(read(&of("RE[Void]RU[Gomoku]")).ending.is_some());
    assert_eq!(
        refused(&of("RE[W+F]RU[Other]")),
        "The result is \"Second wins by adjudication\", but the turns end with \"First wins\" by our rules, and the file says RU[Other]."
    );
    assert!(refused(&of("RE[0]")).contains("but the turns end with"));
    assert!(refused("(;GM[11]RE[B+R];B[a1];W[b2];B[resign])").contains("but the turns end with"));
    // An overline is forbidden to Black there.
    assert_eq!(
        refused("(;FF[4]GM[4]SZ[15]RU[Renju]PB[a]PW[b]RE[W+F];B[hd];W[aa])"),
        "Line 1: These are other rules than ours: RU[Renju]."
    );
}

#[test]
fn the_empty_cells_of_reversi_count_for_the_winner() {
    let wipeout = record("Reversi", "", "e6 f4 e3 f6 g5 d6 e7 f5 c5");
    assert!(wipeout.sgf().unwrap().contains("RE[B+64]"));
}

#[test]
fn a_game_of_a_program_for_othello_is_read() {
    // Its root has the start position and the first move, and a pass may be left out.
    let text = "(;FF[4]GM[2]AP[edax:4.6]\nPC[Edax]DT[2026-11-20]\nPB[a]PW[b]\n\
                SZ[8]AB[e4][d5]AW[d4][e5]PL[B]\nRE[Void]\nB[d3];W[c3];\nB[c4];)";
    assert_eq!(read(text).turns, ["d3", "c3", "c4"]);
    let other = text.replace("AB[e4]", "AB[e4][a1]");
    assert_eq!(
        refused(&other),
        "Line 4: The stones that are set up are not the start position of the game."
    );
}

#[test]
fn a_pass_that_is_left_out_is_found_again() {
    let game = pbmserv_games::find("Reversi").unwrap();
    let mut found = false;
    for seed in 0..200 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut record = record("Reversi", "", "");
        let mut position = game.start(&record.options).unwrap();
        while let Some(turn) = position.random_turn(&mut rng) {
            record.turns.push(position.play(&turn).unwrap());
        }
        if record.turns.iter().any(|turn| turn == "pass") {
            let text = record.sgf().unwrap();
            let without = text.replace(";B[PA]", "").replace(";W[PA]", "");
            assert_ne!(text, without);
            assert_eq!(read(&without).turns, record.turns);
            found = true;
        }
    }
    assert!(found);
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let cases: &[(&str, &str)] = &[
        (
            "(;FF[4]GM[3]SZ[19];B[aa])",
            "Line 1: SGF is read of these games: GM[2] (Reversi), GM[11] (Hex), GM[4] (Gomoku)",
        ),
        ("(;FF[4]SZ[19];B[aa])", "Line 1: SGF is read of these games:"),
        ("(;GM[11]\nSZ[20])", "Line 2: -size takes"),
        ("(;GM[11]SZ[11:12])", "Line 1: The board is a square"),
        ("(;GM[11]\n;B[a1]\n;B[a2])", "Line 3: It is not the turn of B."),
        ("(;GM[11]\n;B[a1]\n;W[z9])", "Turn 2 on line 3, z9, is refused: "),
        (
            "(;GM[11];B[a1];W[b2];B[swap-pieces])",
            "Turn 3 on line 1, swap, is refused: ",
        ),
        (
            "(;GM[11];B[a1];W[swap-sides])",
            "Turn 2 on line 1, swap-sides, is refused: ",
        ),
        (
            "(;GM[11]AB[c3];W[a1])",
            "Line 1: The stones that are set up are not",
        ),
        ("(;GM[11];B[a1]", "Line 1: The game that begins with ( has no )"),
    ];
    for &(text, reason) in cases {
        let error = refused(text);
        assert!(error.starts_with(reason), "{error}");
    }
}

#[test]
fn go_is_written_as_custom_has_it() {
    let head = format!("(;FF[4]CA[UTF-8]AP[pbmserv:{}]", env!("CARGO_PKG_VERSION"));
    let go = record("Go", "-size=9 -komi=0.5 -handicap=2", "e5 j9 pass h8");
    assert_eq!(
        go.sgf().unwrap(),
        format!("{head}GM[1]SZ[9]\nGN[Go]KM[0.5]HA[2]AB[gc][cg]\n;W[ee];B[ia];W[];B[hb]\n)\n")
    );
    let wall = "a5 a6 b5 b6 c5 c6 d5 d6 e5 e6 f5 f6 g5 g6 h5 h6 j5 j6 pass pass";
    assert!(
        record("Go", "-size=9", wall)
            .sgf()
            .unwrap()
            .contains("RE[B+1.5]KM[7.5]")
    );
    assert!(
        record("Go", "-size=9 -komi=12", wall)
            .sgf()
            .unwrap()
            .contains("RE[W+3]KM[12]")
    );
    assert!(
        record("Go", "-size=9 -komi=9", wall)
            .sgf()
            .unwrap()
            .contains("RE[0]KM[9]")
    );
}

/// The heads and moves of files as other programs write them.
#[test]
fn files_of_programs_for_go_are_read() {
    let cgoban = "(;GM[1]FF[4]CA[UTF-8]AP[CGoban:3]ST[2]\nRU[Japanese]SZ[19]KM[0.50]HA[2]TM[1800]OT[5x30 byo-yomi]\n\
                  PW[whit]PB[blac]WR[5k]BR[7k]DT[2026-11-20]PC[The KGS Go Server]AB[pd][dp]RE[W+Resign]\n\
                  ;W[dd]WL[1795.2]\n;B[pq]BL[1790.1]\n;W[jj]WL[1780])";
    let sabaki = "(;GM[1]FF[4]CA[UTF-8]AP[Sabaki:0.52.2]KM[6.5]SZ[9]DT[2026-11-20]\n;B[ee];W[gc];B[cg];W[])";
    let gnugo = "(;GM[1]FF[4]\nRU[Japanese]SZ[13]HA[0]KM[5.5]\nPW[GNU Go 3.8]PB[black]GN[GNU Go 3.8 load and print]DT[2026-11-20]AP[GNU Go:3.8]\n;B[dd];W[jj];B[jd])";
    let old = "(;FF[3]GM[1]SZ[19]KM[7.5]PB[a]PW[b];B[pd];W[tt];B[dp])";
    for (text, options, turns) in [
        (cgoban, "-size=19 -komi=0.5 -handicap=2", "d16 q3 k10"),
        (sabaki, "-size=9 -komi=6.5", "e5 g7 c3 pass"),
        (gnugo, "-komi=5.5", "d10 k4 k10"),
        (old, "-size=19", "q16 pass d4"),
    ] {
        let record = read(text);
        assert_eq!(record.game.facts.name, "Go");
        assert_eq!(record.options.to_string(), options);
        assert_eq!(record.turns.join(" "), turns);
    }
    let record = read(cgoban);
    assert_eq!(record.first.as_deref(), Some("blac"));
    let ending = record.ending.map(|ending| ending.to_string());
    assert_eq!(ending.as_deref(), Some("Second wins by resignation"));
    assert!(refused("(;GM[1]SZ[9]\nKM[3.75];B[ee])").starts_with("Line 2: -komi takes"));
    assert!(refused("(;GM[1]SZ[7];B[cc])").starts_with("Line 1: -size takes 9, 13 or 19."));
    assert!(refused("(;GM[1]SZ[9]HA[2]AB[aa][bb];W[ee])").contains("not the start position"));
}

proptest::proptest! {
    #[test]
    fn junk_is_no_game_and_never_a_panic(
        text in "\\(;(GM\\[11\\]|GM\\[4\\]|;B\\[a1\\]|;W\\[a1\\]|\\[|\\]|\\(|\\)|SZ\\[|5|RU\\[-exact\\]|AB\\[b2\\]|\\\\|\n|RE\\[B\\+R\\]){0,20}",
    ) {
        let _ = text.parse::<Record>();
    }
}
