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
    // The height is rounded, and the drawing is stretched by the rest of a pixel: its background covers every pixel.
    let stretch = height as f32 / size.height();
    resvg::render(&tree, Transform::from_scale(scale, stretch), &mut pixels.as_mut());
    encoded(&pixels).map_err(|error| NoPng::Fault(error.to_string()))
}

fn encoded(pixels: &Pixmap) -> Result<Vec<u8>, png::EncodingError> {
    let (palette, indices) = indexed(pixels);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette);
    // Level 6 takes more than twice the time and makes a board 2 % smaller.
    encoder.set_deflate_compression(png::DeflateCompression::Level(2));
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
    let (colours, numbers) = numbered(pixels);
    let merged = (0..8).find_map(|coarse| merged(&colours, coarse));
    let (palette, index_of) = merged.unwrap_or_default();
    let index = |&number: &u32| index_of.get(number as usize).copied().unwrap_or_default();
    (palette, numbers.iter().map(index).collect())
}

/// The colours, and the number of each pixel's colour among them.
fn numbered(pixels: &Pixmap) -> (Vec<[u8; 3]>, Vec<u32>) {
    let mut number_of = HashMap::new();
    let mut colours = Vec::new();
    let mut numbers = Vec::with_capacity(pixels.pixels().len());
    let mut last = None;
    for pixel in pixels.pixels() {
        let colour = [pixel.red(), pixel.green(), pixel.blue()];
        // Most pixels have the colour of their neighbour.
        let number = match last {
            Some((of, number)) if of == colour => number,
            _ => *number_of.entry(colour).or_insert_with(|| {
                colours.push(colour);
                colours.len() as u32 - 1
            }),
        };
        last = Some((colour, number));
        numbers.push(number);
    }
    (colours, numbers)
}

/// A palette, and the index in it of each colour, when the last `coarse` bits of each part are ignored; `None` if there
/// are more than 256.
fn merged(colours: &[[u8; 3]], coarse: u32) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut index_of = HashMap::new();
    let mut palette = Vec::new();
    let mut indices = Vec::with_capacity(colours.len());
    for colour in colours {
        let next = index_of.len();
        let index = *index_of
            .entry(colour.map(|part| part >> coarse))
            .or_insert_with(|| {
                palette.extend(colour);
                next
            });
        indices.push(u8::try_from(index).ok()?);
    }
    Some((palette, indices))
}
