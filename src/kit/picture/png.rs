//! Renders the SVG of a picture as PNG. A board has few colours, and a palette makes the file four times smaller.

use std::collections::HashMap;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use thiserror::Error;

/// Why no PNG was made.
#[derive(Debug, Error)]
pub enum NoPng {
    /// The width is 0 or too large.
    #[error("A picture {0} pixels wide cannot be drawn.")]
    Size(u32),
    /// The SVG is invalid, or the PNG encoder failed.
    #[error("The picture cannot be drawn: {0}")]
    Fault(String),
}

/// Renders the SVG of a [`Picture`](super::Picture) at this width in pixels; the height follows.
///
/// # Errors
/// The width is 0 or too large.
pub fn png(svg: &str, width: u32) -> Result<Vec<u8>, NoPng> {
    let tree = Tree::from_str(svg, &Options::default()).map_err(|error| NoPng::Fault(error.to_string()))?;
    let size = tree.size();
    let scale = width as f32 / size.width();
    let height = (size.height() * scale).round().max(1.0) as u32;
    let mut pixels = Pixmap::new(width, height).ok_or(NoPng::Size(width))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    encoded(&pixels).map_err(|error| NoPng::Fault(error.to_string()))
}

fn encoded(pixels: &Pixmap) -> Result<Vec<u8>, png::EncodingError> {
    let (palette, indices) = indexed(pixels);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette);
    encoder.set_compression(png::Compression::Balanced);
    // Filters predict a pixel from its neighbours, which does not help for palette indices.
    encoder.set_filter(png::Filter::NoFilter);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&indices)?;
    writer.finish()?;
    Ok(bytes)
}

/// At most 256 colours, and the palette index of each pixel. If blended edges have more colours, the nearest ones are
/// merged. The background covers the whole picture, so no pixel is transparent.
fn indexed(pixels: &Pixmap) -> (Vec<u8>, Vec<u8>) {
    (0..8)
        .find_map(|coarse| indexed_by(pixels, coarse))
        .unwrap_or_default()
}

/// The same, ignoring the last `coarse` bits of each colour; `None` if there are still too many.
fn indexed_by(pixels: &Pixmap, coarse: u32) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut numbers = HashMap::new();
    let mut palette = Vec::new();
    let mut indices = Vec::with_capacity(pixels.pixels().len());
    let mut last = None;
    for pixel in pixels.pixels() {
        let colour = [pixel.red(), pixel.green(), pixel.blue()];
        if let Some((of, number)) = last
            && of == colour
        {
            indices.push(number);
            continue;
        }
        let number = match numbers.get(&colour.map(|part| part >> coarse)) {
            Some(number) => *number,
            None => {
                let number = u8::try_from(numbers.len()).ok()?;
                numbers.insert(colour.map(|part| part >> coarse), number);
                palette.extend(colour);
                number
            }
        };
        last = Some((colour, number));
        indices.push(number);
    }
    Some((palette, indices))
}
