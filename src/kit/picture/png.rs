//! A picture as PNG, drawn from its SVG.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use thiserror::Error;

/// Why there is no PNG.
#[derive(Debug, Error)]
pub enum NoPng {
    /// It would be too large, or have no size.
    #[error("A picture {0} pixels wide cannot be drawn.")]
    Size(u32),
    /// The SVG cannot be read, or the PNG not be made.
    #[error("The picture cannot be drawn: {0}")]
    Fault(String),
}

/// Draws the SVG of a [`Picture`](super::Picture) so many pixels wide, and as high as its shape asks for.
///
/// # Errors
/// A width of 0 or too large to be drawn.
pub fn png(svg: &str, width: u32) -> Result<Vec<u8>, NoPng> {
    let tree = Tree::from_str(svg, &Options::default()).map_err(|error| NoPng::Fault(error.to_string()))?;
    let size = tree.size();
    let scale = width as f32 / size.width();
    let height = (size.height() * scale).round().max(1.0) as u32;
    let mut pixels = Pixmap::new(width, height).ok_or(NoPng::Size(width))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels
        .encode_png()
        .map_err(|error| NoPng::Fault(error.to_string()))
}
