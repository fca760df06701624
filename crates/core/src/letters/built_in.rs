//! The built-in templates, embedded from `templates/`.

/// A file of `templates/` with its name there.
macro_rules! file {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../../templates/", $name)))
    };
}

/// Every template: how blocks are printed, then the letters.
pub(super) const BUILT_IN: &[(&str, &str)] = &[
    file!("parts.txt"),
    file!("parts.html"),
    file!("layout.html"),
    file!("announcement.letter"),
    file!("apology.letter"),
    file!("board.letter"),
    file!("dead.letter"),
    file!("digest.letter"),
    file!("done.letter"),
    file!("forgot.letter"),
    file!("guesses.letter"),
    file!("help.letter"),
    file!("join.letter"),
    file!("listing.letter"),
    file!("message.letter"),
    file!("notdone.letter"),
    file!("page.letter"),
    file!("postmaster.letter"),
    file!("proposal.letter"),
    file!("question.letter"),
    file!("transcript.letter"),
    file!("unreachable.letter"),
    file!("welcome.letter"),
];
