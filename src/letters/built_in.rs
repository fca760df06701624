//! The built-in templates, embedded from `templates/`.

/// A file of `templates/` with its name there.
macro_rules! file {
    ($name:literal) => {
        ($name, include_str!(concat!("../../templates/", $name)))
    };
}

/// Every template; those of one mail are in one folder.
pub(super) const BUILT_IN: &[(&str, &str)] = &[
    file!("layout.html"),
    file!("parts.html"),
    file!("announcement/body.html"),
    file!("announcement/body.txt"),
    file!("announcement/subject.txt"),
    file!("apology/body.html"),
    file!("apology/body.txt"),
    file!("apology/subject.txt"),
    file!("board/body.html"),
    file!("board/body.txt"),
    file!("board/subject.txt"),
    file!("dead/body.html"),
    file!("dead/body.txt"),
    file!("dead/subject.txt"),
    file!("digest/body.html"),
    file!("digest/body.txt"),
    file!("digest/subject.txt"),
    file!("done/body.html"),
    file!("done/body.txt"),
    file!("done/subject.txt"),
    file!("forgot/body.html"),
    file!("forgot/body.txt"),
    file!("forgot/subject.txt"),
    file!("guesses/body.html"),
    file!("guesses/body.txt"),
    file!("guesses/subject.txt"),
    file!("help/body.html"),
    file!("help/body.txt"),
    file!("help/subject.txt"),
    file!("listing/body.html"),
    file!("listing/body.txt"),
    file!("listing/subject.txt"),
    file!("message/body.html"),
    file!("message/body.txt"),
    file!("message/subject.txt"),
    file!("notdone/body.html"),
    file!("notdone/body.txt"),
    file!("notdone/subject.txt"),
    file!("question/body.html"),
    file!("question/body.txt"),
    file!("question/subject.txt"),
    file!("transcript/body.html"),
    file!("transcript/body.txt"),
    file!("transcript/subject.txt"),
    file!("unreachable/body.html"),
    file!("unreachable/body.txt"),
    file!("unreachable/subject.txt"),
    file!("welcome/body.html"),
    file!("welcome/body.txt"),
    file!("welcome/subject.txt"),
];
