//! Pictures of every game: the contents of the SVG and the PNG.

use pbmserv_games::kit::picture::png;
use pbmserv_games::record::{Record, Replayed};
use pbmserv_games::{GAMES, Game, Options};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use resvg::tiny_skia::Pixmap;
use resvg::usvg::roxmltree::{Document, Node};
use resvg::usvg::{self, Tree};

/// The beginning of a random game, with at most this many turns.
fn record(game: &'static Game, options: Options, turns: usize) -> Record {
    let mut rng = ChaCha8Rng::seed_from_u64(turns as u64);
    let mut position = game.start(&options).unwrap();
    let mut record = Record::new(game, options);
    while record.turns.len() < turns
        && let Some(turn) = position.random_turn(&mut rng)
    {
        record.turns.push(position.play(&turn).unwrap());
    }
    record
}

/// Each game at its start, in its middle and at its end, with the smallest and the largest of its options.
fn each(mut look: impl FnMut(&Record, &Replayed, &str)) {
    for game in GAMES {
        let mut sets = vec![Options::none(game.facts)];
        for option in game.facts.options {
            let words = match option.range {
                None => vec![format!("-{}", option.name)],
                Some(range) => [range.min, range.max]
                    .map(|n| format!("-{}={}", option.name, range.written(n)))
                    .to_vec(),
            };
            sets.extend(
                words
                    .iter()
                    .map(|word| Options::parse(game.facts, [word.as_str()]).unwrap()),
            );
        }
        for options in sets {
            for turns in [0, 1, 12, usize::MAX] {
                let record = record(game, options.clone(), turns);
                let replayed = record.replay().unwrap();
                look(&record, &replayed, &replayed.picture().svg());
            }
        }
    }
}

fn of_class<'a>(svg: &'a Document<'_>, class: &str) -> Vec<Node<'a, 'a>> {
    let nodes = svg
        .descendants()
        .filter(|node| node.attribute("class") == Some(class));
    nodes.collect()
}

fn child<'a>(node: Node<'a, '_>, name: &str) -> &'a str {
    let found = node
        .children()
        .find(|child| child.has_tag_name(("http://www.w3.org/2000/svg", name)));
    found.and_then(|child| child.text()).unwrap_or_default()
}

fn place(node: Node<'_, '_>) -> (String, String) {
    let number = |name| node.attribute(name).unwrap().to_owned();
    (number("cx"), number("cy"))
}

#[test]
fn an_svg_has_a_title_a_description_and_a_piece_for_each_cell() {
    each(|record, replayed, svg| {
        let document = Document::parse(svg).unwrap();
        let root = document.root_element();
        assert!(child(root, "title").starts_with(record.game.facts.title));
        assert!(child(root, "desc").starts_with(&replayed.sentence()));
        let pieces = of_class(&document, "piece");
        let mut drawn: Vec<_> = pieces
            .iter()
            .map(|piece| child(*piece, "title").to_owned())
            .collect();
        let cells = replayed.position.cells();
        let mut wanted: Vec<_> = cells
            .iter()
            .map(|(name, letter)| format!("{name}: {letter}"))
            .collect();
        drawn.sort();
        wanted.sort();
        assert_eq!(drawn, wanted);
        let mut places: Vec<_> = pieces.into_iter().map(place).collect();
        places.sort();
        places.dedup();
        assert_eq!(places.len(), cells.len(), "two pieces in a place");
    });
}

#[test]
fn the_last_turn_is_marked_and_the_start_is_not() {
    each(|record, replayed, svg| {
        let document = Document::parse(svg).unwrap();
        let marks: Vec<_> = of_class(&document, "mark").into_iter().map(place).collect();
        if record.turns.is_empty() {
            assert!(marks.is_empty());
            return;
        }
        // Every piece that the last turn added or changed has a mark around it.
        let mut before = record.game.start(&record.options).unwrap();
        for turn in &record.turns[..record.turns.len() - 1] {
            before.play(turn).unwrap();
        }
        let (before, now) = (before.cells(), replayed.position.cells());
        let came: Vec<_> = now.iter().filter(|cell| !before.contains(cell)).collect();
        for (name, letter) in &came {
            let title = format!("{name}: {letter}");
            let pieces = of_class(&document, "piece");
            let piece = pieces
                .into_iter()
                .find(|piece| child(*piece, "title") == title)
                .unwrap();
            assert!(
                marks.contains(&place(piece)),
                "{title} in {}",
                record.game.facts.name
            );
        }
        let is_changed = !came.is_empty() || before.len() != now.len();
        assert!(!is_changed || !marks.is_empty(), "{record}");
    });
}

#[test]
fn nothing_stands_outside_the_frame() {
    each(|record, _, svg| {
        let tree = Tree::from_str(svg, &usvg::Options::default()).unwrap();
        let (all, size) = (tree.root().abs_stroke_bounding_box(), tree.size());
        let within = all.left() > -0.01
            && all.top() > -0.01
            && all.right() < size.width() + 0.01
            && all.bottom() < size.height() + 0.01;
        assert!(
            within,
            "{} {}: {all:?} in {size:?}",
            record.game.facts.name, record.options
        );
    });
}

#[test]
fn the_same_record_gives_the_same_bytes_and_none_too_many() {
    each(|record, _, svg| {
        assert_eq!(record.replay().unwrap().picture().svg(), svg);
        assert!(svg.is_ascii() && svg.len() < 100_000);
    });
}

#[test]
fn a_png_is_as_wide_as_asked_for_and_as_high_as_the_svg() {
    for game in GAMES {
        let svg = record(game, Options::none(game.facts), 12)
            .replay()
            .unwrap()
            .picture()
            .svg();
        let size = Tree::from_str(&svg, &usvg::Options::default()).unwrap().size();
        for width in [100, 600] {
            let pixels = Pixmap::decode_png(&png(&svg, width).unwrap()).unwrap();
            assert_eq!(pixels.width(), width);
            let height = width as f32 * size.height() / size.width();
            assert!((pixels.height() as f32 - height).abs() <= 1.0);
            // The corner is margin, and the board has many colours.
            let layout = pixels.pixel(0, 0).unwrap();
            assert_eq!((layout.red(), layout.green(), layout.blue()), (0xf3, 0xec, 0xdd));
            // The palette has no transparency: what the drawing left open would be black.
            let (right, bottom) = (width - 1, pixels.height() - 1);
            for corner in [(0, 0), (right, 0), (0, bottom), (right, bottom)] {
                assert_eq!(pixels.pixel(corner.0, corner.1), Some(layout), "{corner:?}");
            }
            let others = pixels.pixels().iter().filter(|pixel| **pixel != layout).count();
            assert!(others > pixels.pixels().len() / 20);
        }
        assert!(png(&svg, 0).is_err() && png(&svg, u32::MAX).is_err());
    }
}
