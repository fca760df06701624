//! Pictures as PNG. Drawing one takes longer than all else that a page needs, and the programs of a chat that unfold a link ask
//! for it together.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use axum::body::Bytes;
use sha2::{Digest, Sha256};

use crate::kit::picture::{NoPng, png};

use super::fault::Fault;

/// The width in pixels: what programs show that unfold a link.
const WIDTH: u32 = 720;

/// The pictures that are kept, of some twenty kilobytes each.
const MOST_KEPT: usize = 64;

/// A picture, once it is drawn; `None` if it cannot be.
type Drawn = OnceLock<Option<Bytes>>;

/// The pictures that were asked for last, the newest last.
#[derive(Default)]
pub(super) struct Pictures(Mutex<VecDeque<([u8; 32], Arc<Drawn>)>>);

impl Pictures {
    /// The picture of this SVG text. Who asks while it is being drawn waits for it.
    pub(super) fn png(&self, svg: &str) -> Result<Bytes, Fault> {
        self.drawn(svg, |svg| png(svg, WIDTH))
    }

    /// The width and the height of the PNG in pixels, as its header says them.
    pub(super) fn size(&self, svg: &str) -> Result<[u32; 2], Fault> {
        let bytes = self.png(svg)?;
        let number = |at: usize| {
            let four = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
            four.map_or(0, u32::from_be_bytes)
        };
        Ok([number(16), number(20)])
    }

    fn drawn(&self, svg: &str, draw: impl FnOnce(&str) -> Result<Vec<u8>, NoPng>) -> Result<Bytes, Fault> {
        let picture = self.place(Sha256::digest(svg).into());
        let mut fault = None;
        let drawn = picture.get_or_init(|| match draw(svg) {
            Ok(bytes) => Some(bytes.into()),
            Err(error) => {
                fault = Some(Fault::internal(&error));
                None
            }
        });
        let failed = || fault.unwrap_or_else(|| Fault::internal(&"the picture cannot be drawn"));
        drawn.clone().ok_or_else(failed)
    }

    fn place(&self, digest: [u8; 32]) -> Arc<Drawn> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.iter().position(|(of, _)| *of == digest);
        let place = match known.and_then(|at| kept.remove(at)) {
            Some((_, place)) => place,
            None => Arc::default(),
        };
        if kept.len() >= MOST_KEPT {
            kept.pop_front();
        }
        kept.push_back((digest, place.clone()));
        place
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_picture_is_drawn_once_while_it_is_kept_and_few_are_kept() {
        let (pictures, drawn) = (Pictures::default(), Cell::new(0));
        let ask = |svg: &str| {
            let bytes = pictures.drawn(svg, |svg| {
                drawn.set(drawn.get() + 1);
                Ok(svg.as_bytes().to_vec())
            });
            assert_eq!(bytes.unwrap(), svg.as_bytes());
        };
        for _ in 0..1000 {
            ask("one");
        }
        assert_eq!(drawn.get(), 1);
        // The one that is asked for again and again outlives all others.
        for number in 0..10 * MOST_KEPT {
            ask(&number.to_string());
            ask("one");
        }
        assert_eq!(drawn.get(), 1 + 10 * MOST_KEPT);
        assert_eq!(pictures.0.lock().unwrap().len(), MOST_KEPT);
        ask("0");
        assert_eq!(drawn.get(), 2 + 10 * MOST_KEPT);
    }
}
