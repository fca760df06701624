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
    let tree = tree(svg)?;
    let height = height(&tree, width);
    let size = tree.size();
    let scale = width as f32 / size.width();
    let mut pixels = Pixmap::new(width, height).ok_or(NoPng::Size(width))?;
    // The height is rounded, and the drawing is stretched by the rest of a pixel: its background covers every pixel.
    let stretch = height as f32 / size.height();
    resvg::render(&tree, Transform::from_scale(scale, stretch), &mut pixels.as_mut());
    encoded(&pixels).map_err(|error| NoPng::Fault(error.to_string()))
}

/// The height in pixels of what [`png()`] renders at this width.
///
/// # Errors
/// The SVG is invalid.
pub fn png_height(svg: &str, width: u32) -> Result<u32, NoPng> {
    Ok(height(&tree(svg)?, width))
}

fn tree(svg: &str) -> Result<Tree, NoPng> {
    Tree::from_str(svg, &Options::default()).map_err(|error| NoPng::Fault(error.to_string()))
}

fn height(tree: &Tree, width: u32) -> u32 {
    let size = tree.size();
    (size.height() * width as f32 / size.width()).round().max(1.0) as u32
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
    let (colours, runs) = runs(pixels);
    let merged = (0..8).find_map(|coarse| merged(&colours, coarse));
    let (palette, index_of) = merged.unwrap_or_default();
    let mut indices = Vec::with_capacity(pixels.pixels().len());
    for run in runs {
        let index = index_of.get(run.colour).copied().unwrap_or_default();
        indices.resize(indices.len() + run.pixels, index);
    }
    (palette, indices)
}

/// Neighbours in a row that have one colour.
#[derive(Clone, Copy)]
struct Run {
    /// The number of the colour.
    colour: usize,
    pixels: usize,
}

/// The colours, and the pixels as runs, of which some are empty. A row often repeats the one above it, and is then not
/// looked at.
fn runs(pixels: &Pixmap) -> (Vec<[u8; 3]>, Vec<Run>) {
    let mut number_of = HashMap::new();
    let mut colours = Vec::new();
    let mut runs: Vec<Run> = Vec::new();
    let (mut above, mut start_of_above) = ([].as_slice(), 0);
    for row in pixels.data().chunks_exact(pixels.width() as usize * 4) {
        let start = runs.len();
        if row == above {
            runs.extend_from_within(start_of_above..);
        } else {
            let mut run = Run { colour: 0, pixels: 0 };
            let mut before = 0;
            for &pixel in row.as_chunks().0 {
                let pixel = u32::from_le_bytes(pixel);
                if run.pixels > 0 && pixel == before {
                    run.pixels += 1;
                    continue;
                }
                runs.push(run);
                let colour = *number_of.entry(pixel).or_insert_with(|| {
                    let [red, green, blue, _] = pixel.to_le_bytes();
                    colours.push([red, green, blue]);
                    colours.len() - 1
                });
                run = Run { colour, pixels: 1 };
                before = pixel;
            }
            runs.push(run);
        }
        (above, start_of_above) = (row, start);
    }
    (colours, runs)
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
