//! What games of one kind share: the frame of the rules, notation, drawing, picture and search. A game brings its rule and its
//! words.

pub mod backgammon;
pub mod chess;
pub mod draughts;
pub mod liberties;
pub mod placement;
pub mod steps;
