//! The pictures in the rules.

use crate::Pictured;

// TO DO: positions that show what sentences of the rules say.
pub(super) const PICTURED: &[Pictured] = &[];
