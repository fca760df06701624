use super::*;

fn server() -> Address {
    Address::parse("pbmserv@localhost").unwrap()
}

#[test]
fn every_letter_is_loaded_and_every_sample_written() {
    let letters = Letters::load(None, &server()).unwrap();
    let mut names: Vec<_> = samples().iter().map(|sample| sample.kind.name()).collect();
    names.sort_unstable();
    let all: Vec<_> = LetterKind::ALL.iter().map(|kind| kind.name()).collect();
    assert_eq!(names, all, "each has a sample");
    for sample in samples() {
        let written = letters.write(&sample, 72).unwrap();
        assert!(!written.subject.is_empty(), "{}", sample.kind.name());
        for line in written.text.lines() {
            assert!(
                line.len() <= 80 && line.trim_end() == line,
                "{}: {line}",
                sample.kind.name()
            );
        }
        assert!(
            !written.text.contains("\n\n\n"),
            "{}:\n{}",
            sample.kind.name(),
            written.text
        );
    }
}

/// Letters with these files of an operator.
fn overridden(files: &[(&str, &str)]) -> Letters {
    let folder = tempfile::tempdir().unwrap();
    for (name, source) in files {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, source).unwrap();
    }
    Letters::load(Some(folder.path()), &server()).unwrap()
}

#[test]
fn a_file_of_the_operator_takes_the_place_of_a_template_in_text_and_html() {
    let letter =
        "Subject: Sorry about {{ number }}\r\nPlace: here & now\r\n\r\n{{ parts.news('So < sorry.') }}\r\n";
    let letters = overridden(&[("apology.letter", letter), (".git/config", "")]);
    assert!(letters.faults().is_empty(), "{:?}", letters.faults());
    let apology = Content::from(Apology::sample());
    let written = letters.write(&apology, 72).unwrap();
    assert_eq!(
        (written.subject.as_str(), written.text.as_str()),
        ("Sorry about 1", "So < sorry.\n")
    );
    let draft = Draft::of(serde_json::json!({"number": 1}), 72);
    let page = letters
        .page(LetterKind::Apology, &draft, &Frame::default())
        .unwrap();
    assert!(
        page.contains("here & now") && page.contains("So &lt; sorry."),
        "{page}"
    );
}

#[test]
fn a_file_that_does_not_fit_is_named_and_the_built_in_one_stays() {
    let letters = overridden(&[
        (
            "apology.letter",
            "Subject: Sorry\n\n\n{{ parts.news(nowhere) }}\n",
        ),
        ("done.letter", "Dear\n"),
        ("forgot.letter", "Subject: Forgot\n\n{% if %}\n"),
        ("guesses.letter", "Place: here\n\nGuesses.\n"),
        ("help.letter", "Subject: Help\n\n{{ parts.nothing(text) }}\n"),
        ("help/body.txt", "Help"),
        ("parts.txt", "{% macro news(text) %}{{ text }}{% endmacro %}"),
    ]);
    let faults: Vec<_> = letters.faults().iter().map(ToString::to_string).collect();
    let named = [
        "template parts.txt, ",
        "template apology.letter, line 4: this letter has no nowhere",
        "template done.letter, line 1: only Subject, ",
        "template forgot.letter, line 3: ",
        "template guesses.letter, line 1: it has no Subject",
        "template help.letter, line 3: ",
        "template help/body.txt: there is none of this name",
    ];
    assert_eq!(faults.len(), named.len(), "{faults:?}");
    for (fault, named) in faults.iter().zip(named) {
        assert!(fault.starts_with(named), "{fault}: {named}");
    }
    let built_in = Letters::load(None, &server()).unwrap();
    for sample in samples() {
        assert_eq!(
            letters.write(&sample, 72).unwrap(),
            built_in.write(&sample, 72).unwrap()
        );
    }
}
