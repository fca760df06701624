//! The built-in templates, embedded from `templates/`.

use super::LetterKind;

/// A file of `templates/` with its name there.
macro_rules! file {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../../templates/", $name)))
    };
}

/// How blocks are printed.
const PRINTERS: [(&str, &str); 3] = [file!("parts.txt"), file!("parts.html"), file!("layout.html")];

/// Every template with the name of its file: how blocks are printed, then the letters.
pub(super) fn built_in() -> impl Iterator<Item = (&'static str, &'static str)> {
    let letters = LetterKind::ALL.iter();
    PRINTERS
        .into_iter()
        .chain(letters.map(|kind| (kind.file(), kind.template())))
}
