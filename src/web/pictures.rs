//! Pictures as PNG. Drawing one takes longer than all else that a page needs, and the programs of a chat that unfold a link ask
//! for it together. So pictures have a lane of their own: one is drawn at a time, by a thread that holds up no page, and those
//! that were asked for last are kept.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use pbmserv_games::kit::picture::{NoPng, png, png_height};
use sha2::{Digest, Sha256};
use tokio::sync::{OnceCell, Semaphore};

use super::fault::Fault;

/// The width in pixels: what programs show that unfold a link.
const WIDTH: u32 = 720;

/// The pictures that are kept, of some twenty kilobytes each.
const MAX_KEPT: usize = 256;

/// The most that wait to be drawn; more are turned away.
const MAX_WAITING: usize = 64;

/// A picture, once it is drawn.
type Drawn = OnceCell<Bytes>;

/// The pictures that were asked for last, the newest last.
pub(super) struct Pictures {
    kept: Mutex<VecDeque<([u8; 32], Arc<Drawn>)>>,
    waiting: Semaphore,
    drawing: Semaphore,
}

impl Default for Pictures {
    fn default() -> Self {
        Self {
            kept: Mutex::default(),
            waiting: Semaphore::new(MAX_WAITING),
            drawing: Semaphore::new(1),
        }
    }
}

impl Pictures {
    /// The picture of this SVG text. Who asks while it is being drawn waits for it.
    pub(super) async fn png(&self, svg: String) -> Result<Bytes, Fault> {
        self.drawn(svg, |svg| png(svg, WIDTH)).await
    }

    /// The width and the height of the PNG in pixels.
    pub(super) fn size(svg: &str) -> Result<[u32; 2], Fault> {
        let height = png_height(svg, WIDTH).map_err(|error| Fault::internal(&error))?;
        Ok([WIDTH, height])
    }

    async fn drawn(
        &self,
        svg: String,
        draw: impl FnOnce(&str) -> Result<Vec<u8>, NoPng> + Send + 'static,
    ) -> Result<Bytes, Fault> {
        let picture = self.place(Sha256::digest(&svg).into());
        if let Some(drawn) = picture.get() {
            return Ok(drawn.clone());
        }
        let _waiting = self.waiting.try_acquire().map_err(|_| Fault::hurried())?;
        let drawn = picture.get_or_try_init(|| async {
            let _alone = self.drawing.acquire().await;
            let drawn = tokio::task::spawn_blocking(move || draw(&svg)).await;
            let drawn = drawn.map_err(|error| Fault::internal(&error))?;
            Ok(drawn.map_err(|error| Fault::internal(&error))?.into())
        });
        drawn.await.cloned()
    }

    fn place(&self, digest: [u8; 32]) -> Arc<Drawn> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.iter().position(|(of, _)| *of == digest);
        let place = match known.and_then(|at| kept.remove(at)) {
            Some((_, place)) => place,
            None => Arc::default(),
        };
        if kept.len() >= MAX_KEPT {
            kept.pop_front();
        }
        kept.push_back((digest, place.clone()));
        place
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn a_picture_is_drawn_once_while_it_is_kept_and_few_are_kept() {
        let (pictures, drawn) = (Pictures::default(), Arc::new(AtomicUsize::new(0)));
        let ask = async |svg: &str| {
            let count = drawn.clone();
            let bytes = pictures.drawn(svg.to_owned(), move |svg| {
                count.fetch_add(1, Ordering::SeqCst);
                Ok(svg.as_bytes().to_vec())
            });
            assert_eq!(bytes.await.ok().as_deref(), Some(svg.as_bytes()));
        };
        let count = || drawn.load(Ordering::SeqCst);
        for _ in 0..1000 {
            ask("one").await;
        }
        assert_eq!(count(), 1);
        // The one that is asked for again and again outlives all others.
        for number in 0..4 * MAX_KEPT {
            ask(&number.to_string()).await;
            ask("one").await;
        }
        assert_eq!(count(), 1 + 4 * MAX_KEPT);
        assert_eq!(pictures.kept.lock().unwrap().len(), MAX_KEPT);
        ask("0").await;
        assert_eq!(count(), 2 + 4 * MAX_KEPT);
    }

    #[test]
    fn the_size_is_that_of_the_picture() {
        let svg = r#"<svg xmlns="http://www.w3.org/2000/svg" width="300" height="217"><rect width="300" height="217"/></svg>"#;
        let [width, height] = Pictures::size(svg).ok().unwrap();
        let bytes = png(svg, WIDTH).unwrap();
        let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!([width, height], [number(16), number(20)]);
    }
}
