use super::position;
use crate::families::backgammon::draw::draw;
use crate::families::backgammon::{Game, Variant};
use crate::{Display, Seat};

fn start(variant: Variant, length: u8) -> Game {
    Game::new(variant, length).unwrap()
}

#[test]
fn the_large_board_stands_as_players_know_it() {
    let mut game = start(Variant::Backgammon, 5);
    game.roll([3, 1]).unwrap();
    let expected = "\
+13-14-15-16-17-18------19-20-21-22-23-24-+   Black x: pips 167
| o           x    |   | x              o |   off 0
| o           x    |   | x              o |   score 0
| o           x    |   | x                |
| o                |   | x                |
| o                |   | x                |   Match to 5: White 0, Black 0
|                  |BAR|                  |   Cube 1, in the middle
| x                |   | o                |   White to play 3-1
| x                |   | o                |
| x           o    |   | o                |
| x           o    |   | o              x |   White o: pips 167
| x           o    |   | o              x |   off 0
+12-11-10--9--8--7-------6--5--4--3--2--1-+   score 0
";
    assert_eq!(draw(&game, Seat::First, Display::Large), expected);
}

#[test]
fn the_small_board_has_the_bar_next_to_the_sides() {
    let expected = "\
Black x: pips 167, bar 0, off 0
+13-14-15-16-17-18-+19-20-21-22-23-24-+
| o           x    | x              o |
| o           x    | x              o |
| o           x    | x                |
| o                | x                |
| o                | x                |
|                  |                  |
| x                | o                |
| x                | o                |
| x           o    | o                |
| x           o    | o              x |
| x           o    | o              x |
+12-11-10--9--8--7-+-6--5--4--3--2--1-+
White o: pips 167, bar 0, off 0
Match to 5: White 0, Black 0
Cube 1, in the middle
The opening roll is due
";
    let game = start(Variant::Backgammon, 5);
    assert_eq!(draw(&game, Seat::First, Display::Small), expected);
}

#[test]
fn each_side_sees_its_home_below() {
    let mut game = start(Variant::Nackgammon, 5);
    game.roll([1, 3]).unwrap();
    let expected = "\
White o: pips 194, bar 0, off 0
+13-14-15-16-17-18-+19-20-21-22-23-24-+
| x           o    | o           x  x |
| x           o    | o           x  x |
| x           o    | o                |
| x                | o                |
|                  |                  |
|                  |                  |
|                  |                  |
| o                | x                |
| o           x    | x                |
| o           x    | x           o  o |
| o           x    | x           o  o |
+12-11-10--9--8--7-+-6--5--4--3--2--1-+
Black x: pips 194, bar 0, off 0
Match to 5: White 0, Black 0
Cube 1, in the middle
Black to play 3-1
";
    assert_eq!(draw(&game, Seat::Second, Display::Small), expected);
    let expected = "\
+13-14-15-16-17-18------19-20-21-22-23-24-+   White o: pips 69
|                  |   |          x  x  x |   off 0
|                  |   |                  |
|                  |   |                  |
|                  |   |                  |
|                  |   |                  |   One game, without a cube
|                  |BAR|                  |   The opening roll is due
|                  |   |                  |
|                  |   |                  |
|                  |   |                  |
|                  |   |                  |
|                  |   |          o  o  o |   Black x: pips 69
+12-11-10--9--8--7-------6--5--4--3--2--1-+   off 0
";
    let game = start(Variant::Hypergammon, 1);
    assert_eq!(draw(&game, Seat::Second, Display::Large), expected);
}

#[test]
fn more_than_five_checkers_are_a_number() {
    let mut game = start(Variant::Backgammon, 5);
    game.roll([3, 1]).unwrap();
    game.position = position(&[(25, 2), (6, 12)], &[(25, 7), (5, 6), (0, 2)]);
    (game.cube, game.owner) = (4, Some(Seat::Second));
    let expected = "\
+13-14-15-16-17-18------19-20-21-22-23-24-+   White o: pips 122
|                  | o | o                |   off 0
|                  | o | o                |   score 0
|                  |   | o                |
|                  |   | o                |
|                  |   |12                |   Match to 5: White 0, Black 0
|                  |BAR|                  |   Cube 4, owned by Black
|                  | 7 |    6             |   White to play 3-1
|                  | x |    x             |
|                  | x |    x             |
|                  | x |    x             |   Black x: pips 205
|                  | x |    x             |   off 2
+12-11-10--9--8--7-------6--5--4--3--2--1-+   score 0
";
    assert_eq!(draw(&game, Seat::Second, Display::Large), expected);
}
