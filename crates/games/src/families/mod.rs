//! Families: code that games share whose rules are alike. A game brings its rule, its words and its weights.

pub mod draughts;
