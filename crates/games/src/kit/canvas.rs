//! Drawings made of characters.

/// Lines of characters that grow where something is written.
#[derive(Clone, Debug, Default)]
pub struct Canvas(Vec<Vec<char>>);

impl Canvas {
    /// Writes a character over what was there.
    pub fn put(&mut self, line: usize, column: usize, letter: char) {
        if self.0.len() <= line {
            self.0.resize(line + 1, Vec::new());
        }
        let line = &mut self.0[line];
        if line.len() <= column {
            line.resize(column + 1, ' ');
        }
        line[column] = letter;
    }

    /// Writes a word.
    pub fn write(&mut self, line: usize, column: usize, word: &str) {
        for (place, letter) in word.chars().enumerate() {
            self.put(line, column + place, letter);
        }
    }

    /// The drawing without trailing blanks, every line ended by a line feed.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for line in &self.0 {
            text.push_str(line.iter().collect::<String>().trim_end());
            text.push('\n');
        }
        text
    }
}
