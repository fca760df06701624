//! Small plots: bars that the templates draw as SVG.

use serde::Serialize;

/// The height of the tallest bar; each is this wide with the gap after it.
const HEIGHT: u32 = 80;
const STEP: u32 = 10;

/// One bar.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Bar {
    x: u32,
    y: u32,
    height: u32,
    /// What a pointer that rests on it says.
    title: String,
}

/// Bars side by side, the highest as high as there is room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Plot {
    width: u32,
    height: u32,
    bars: Vec<Bar>,
    all: u64,
    most: u32,
}

impl Plot {
    /// A bar for each count. One that is not zero is seen.
    pub(super) fn of(counts: impl IntoIterator<Item = (String, u32)>) -> Self {
        let counts: Vec<_> = counts.into_iter().collect();
        let most = counts.iter().map(|(_, count)| *count).max().unwrap_or_default();
        let all = counts.iter().map(|(_, count)| u64::from(*count)).sum();
        let bars = (0..).zip(counts).filter(|(_, (_, count))| *count > 0);
        let bars: Vec<_> = bars
            .map(|(at, (label, count))| {
                let height = u64::from(count) * u64::from(HEIGHT) / u64::from(most.max(1));
                let height = u32::try_from(height).unwrap_or(HEIGHT).max(2);
                Bar {
                    x: at * STEP,
                    y: HEIGHT - height,
                    height,
                    title: format!("{label}: {count}"),
                }
            })
            .collect();
        Self {
            width: 48 * STEP,
            height: HEIGHT,
            bars,
            all,
            most,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_bar_fills_the_plot_and_a_small_one_is_seen() {
        let plot = Plot::of([0, 1, u32::MAX].map(|count| (count.to_string(), count)));
        let shown: Vec<_> = plot.bars.iter().map(|bar| (bar.x, bar.y, bar.height)).collect();
        assert_eq!(shown, [(10, 78, 2), (20, 0, 80)]);
        assert_eq!((plot.all, plot.most), (1 << 32, u32::MAX));
        assert!(Plot::of([]).bars.is_empty());
    }
}
