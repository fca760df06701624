use super::position;
use crate::families::backgammon::{Game, Variant, draw::draw};
use crate::{Display, Seat};

fn start(variant: Variant, length: u8) -> Game {
    Game::new(variant, length).unwrap()
}

#[test]
fn x() {
    println!(
        "{}",
        draw(&start(Variant::Backgammon, 5), Seat::First, Display::Large)
    );
    println!(
        "{}",
        draw(&start(Variant::Backgammon, 5), Seat::First, Display::Small)
    );
    println!(
        "{}",
        draw(&start(Variant::Hypergammon, 1), Seat::Second, Display::Large)
    );
    let mut g = start(Variant::Nackgammon, 5);
    g.roll([3, 1]).unwrap();
    println!("{}", draw(&g, Seat::Second, Display::Small));
    g.position = position(&[(25, 2), (6, 12)], &[(25, 7), (5, 6), (0, 2)]);
    println!("{}", draw(&g, Seat::Second, Display::Large));
    println!("{}", draw(&g, Seat::First, Display::Small));
}
