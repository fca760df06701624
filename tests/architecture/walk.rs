//! The walk through the source in `ARCHITECTURE.md`: each step links to a file and names a function that stands there.

use std::path::Path;

/// The steps of the walk: the file of the link and the function behind it.
fn steps(text: &str) -> Vec<(String, String)> {
    let walk = text.split("## The walk").nth(1).unwrap();
    let walk = walk.split("\n## ").next().unwrap();
    let mut steps = Vec::new();
    for link in walk.split("[`").skip(1) {
        let (function, rest) = link.split_once("`](").unwrap();
        let (file, _) = rest.split_once(')').unwrap();
        steps.push((file.to_owned(), function.to_owned()));
    }
    steps
}

#[test]
fn each_step_of_the_walk_is_a_function_that_is_there_and_is_called() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let steps = steps(&text);
    assert!(steps.len() >= 12, "the walk has {} steps", steps.len());
    let all = super::product();
    for (file, function) in steps {
        let source =
            std::fs::read_to_string(root.join(&file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let name = function.rsplit("::").next().unwrap();
        let is_defined = source.contains(&format!("fn {name}(")) || source.contains(&format!("fn {name}<"));
        assert!(is_defined, "{file} has no function {name}");
        let calls = all
            .iter()
            .filter(|(path, text)| {
                let called = [
                    format!(".{name}("),
                    format!("::{name}("),
                    format!(" {name}("),
                    format!("({name}("),
                    format!("{name},"),
                ];
                !super::is_test(path)
                    && called
                        .iter()
                        .any(|call| text.replace(&format!("fn {name}("), "").contains(call.as_str()))
            })
            .count();
        assert!(calls > 0, "nobody calls {name}");
    }
}

/// Files move; a page that names one moves with it.
#[test]
fn each_file_that_a_page_names_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![root.join("ARCHITECTURE.md"), root.join("tests/mutants.md")];
    pages.extend(
        std::fs::read_dir(root.join("docs"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_file()),
    );
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        for named in text.split('`').skip(1).step_by(2) {
            let is_file = named.contains('/') && named.ends_with(".rs") && !named.contains([' ', '{', '*']);
            let is_there = [
                root.join(named),
                root.join("src").join(named),
                root.join("crates/games/src").join(named),
                root.join("crates/mail/src").join(named),
                root.join("crates/core/src").join(named),
            ]
            .iter()
            .any(|path| path.exists());
            assert!(!is_file || is_there, "{}: {named} is not there", page.display());
        }
    }
}
