//! Smaller attacks.
