//! Which file uses which: the rooms stand in an order, each uses only those before it, and the files of a room need
//! each other in circles only where a reason is given.
//!
//! An edge goes to the file that defines a name, not to one that exports it again. Known limits: what stands inside the
//! arguments of a macro is not seen, nor a method that is called without its type's name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use syn::visit::Visit;

use super::{is_test, sources};

/// The boxes of more than one room: the folder, and its rooms in the order in which they may use each other, each only those
/// before it. What stands in no room stands where "" does, or before all. The order of the boxes is Cargo's.
const BOXES: [(&str, &[&str]); 4] = [
    ("crates/games/src", &["kit", "", "bots"]),
    ("crates/mail/src", &["login", "authentication", "outbox", "doors"]),
    (
        "crates/core/src",
        &["table", "seasons", "letters", "store", "command", "dispatch"],
    ),
    (
        "src",
        &["config", "engine", "web", "admin", "operator", "daemon", "demo"],
    ),
];

/// The rooms inside `crates/core/src/command/`, in the same sense. Its other files stand before them, but for `mod`, whose list of
/// commands stands after the verbs, and `decide`.
const ROOMS_OF_COMMAND: [&str; 7] = [
    "reading", "wording", "accounts", "playing", "verbs", "operator", "events",
];

/// Files that need each other, and why. At most three.
const CIRCLES: [(&[&str], &str); 1] = [(
    &[
        "command/context",
        "command/proofs",
        "command/reading/echo",
        "command/reading/hidden",
        "command/reading/line",
        "command/vocabulary",
    ],
    "what a command does takes a line and a context, a line names its command, and what of a line may be shown depends \
     on all commands",
)];

/// A module: the segments of its path, without the crate.
type Module = Vec<String>;

/// What a file imports, and the paths that it names.
#[derive(Default)]
struct File {
    /// The paths behind the names that it imports or exports.
    names: BTreeMap<String, Vec<String>>,
    /// The names that it only exports again.
    exported: BTreeSet<String>,
    /// Every path in its code.
    paths: Vec<Vec<String>>,
}

impl File {
    fn read(text: &str) -> Self {
        let mut file = Self::default();
        file.visit_file(&syn::parse_file(text).unwrap());
        file
    }

    fn import(&mut self, tree: &syn::UseTree, before: &[String], is_public: bool) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.import(&path.tree, &with(&path.ident), is_public),
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, before, is_public);
                }
            }
            syn::UseTree::Name(name) if name.ident == "self" => {
                self.name(before.last().unwrap().clone(), before.to_vec(), is_public);
            }
            syn::UseTree::Name(name) => self.name(name.ident.to_string(), with(&name.ident), is_public),
            syn::UseTree::Rename(rename) => {
                self.name(rename.rename.to_string(), with(&rename.ident), is_public);
            }
            syn::UseTree::Glob(_) => self.paths.push(before.to_vec()),
        }
    }

    fn name(&mut self, name: String, path: Vec<String>, is_public: bool) {
        if is_public {
            self.exported.insert(name.clone());
        }
        self.names.insert(name, path);
    }
}

fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes
        .iter()
        .any(|attribute| matches!(&attribute.meta, syn::Meta::List(list) if list.path.is_ident("cfg") && list.tokens.to_string() == "test"))
}

impl<'a> Visit<'a> for File {
    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        if !is_for_tests(&item.attrs) {
            syn::visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        if !is_for_tests(&item.attrs) {
            let is_public = !matches!(item.vis, syn::Visibility::Inherited);
            self.import(&item.tree, &[], is_public);
        }
    }

    /// The path of `pub(super)` is no use of what is above.
    fn visit_visibility(&mut self, _: &'a syn::Visibility) {}

    fn visit_attribute(&mut self, _: &'a syn::Attribute) {}

    fn visit_path(&mut self, path: &'a syn::Path) {
        let segments = path.segments.iter().map(|segment| segment.ident.to_string());
        self.paths.push(segments.collect());
        syn::visit::visit_path(self, path);
    }
}

/// All files of a library but its tests.
struct Library(BTreeMap<Module, File>);

impl Library {
    fn read(folder: &str) -> Self {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let mut files = BTreeMap::new();
        for (path, text) in sources(folder) {
            let relative = path.strip_prefix(&root).unwrap().with_extension("");
            let mut module: Module = relative
                .iter()
                .map(|part| part.to_string_lossy().into_owned())
                .collect();
            if is_test(&path) || relative.as_os_str() == "main" {
                continue;
            }
            if module.last().is_some_and(|last| last == "mod" || last == "lib") {
                module.pop();
            }
            files.insert(module, File::read(&text));
        }
        Self(files)
    }

    /// A path as it stands in a module, from the root of the crate; `None` for what is not ours.
    fn absolute(&self, module: &Module, path: &[String]) -> Option<Vec<String>> {
        let file = &self.0[module];
        let first = path.first()?;
        match first.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "self" => Some([module, &path[1..]].concat()),
            "super" => {
                let up = path.iter().take_while(|segment| *segment == "super").count();
                let above = module.get(..module.len().checked_sub(up)?)?;
                Some([above, &path[up..]].concat())
            }
            // One segment alone is a variable more often than a module.
            _ if path.len() > 1
                && self
                    .0
                    .contains_key(&[module.as_slice(), std::slice::from_ref(first)].concat()) =>
            {
                Some([module, path].concat())
            }
            name => {
                let behind = file
                    .names
                    .get(name)
                    .filter(|behind| behind.as_slice() != [name])?;
                let behind = self.absolute(module, behind)?;
                Some([behind.as_slice(), &path[1..]].concat())
            }
        }
    }

    /// The module that defines what an absolute path names.
    fn definer(&self, path: &[String], depth: usize) -> Option<Module> {
        let mut module = Module::new();
        for (at, segment) in path.iter().enumerate() {
            let inner = [module.as_slice(), std::slice::from_ref(segment)].concat();
            if self.0.contains_key(&inner) {
                module = inner;
                continue;
            }
            let exported = self.0.get(&module)?.names.get(segment);
            let Some(behind) = exported.filter(|_| depth < 20) else {
                break;
            };
            let Some(behind) = self.absolute(&module, behind) else {
                break;
            };
            return self.definer(&[behind.as_slice(), &path[at + 1..]].concat(), depth + 1);
        }
        Some(module)
    }

    /// From each file to those that it uses.
    fn edges(&self) -> BTreeMap<&Module, BTreeSet<Module>> {
        let of = |module: &Module, file: &File| {
            let imports = file
                .names
                .iter()
                .filter(|(name, _)| !file.exported.contains(*name))
                .map(|(_, path)| path);
            imports
                .chain(&file.paths)
                .filter_map(|path| self.definer(&self.absolute(module, path)?, 0))
                .filter(|used| used != module)
                .collect()
        };
        self.0
            .iter()
            .map(|(module, file)| (module, of(module, file)))
            .collect()
    }
}

/// The boxes, each with its rooms and all its files, read once for all tests.
fn boxes() -> &'static [(&'static [&'static str], Library)] {
    static READ: LazyLock<Vec<(&[&str], Library)>> = LazyLock::new(|| {
        let read = |(folder, rooms): (&str, _)| (rooms, Library::read(folder));
        BOXES.map(read).into()
    });
    &READ
}

/// The sets of files that reach each other, each of two or more.
fn circles(edges: &BTreeMap<&Module, BTreeSet<Module>>) -> Vec<BTreeSet<String>> {
    let reach = |from: &Module| {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&Module> = edges[from].iter().collect();
        while let Some(module) = open.pop() {
            if seen.insert(module.clone()) {
                open.extend(edges.get(module).into_iter().flatten());
            }
        }
        seen
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> =
        edges.keys().map(|module| (*module, reach(module))).collect();
    let mut found = BTreeSet::new();
    for (module, seen) in &reached {
        let circle: BTreeSet<String> = seen
            .iter()
            .filter(|other| reached.get(other).is_some_and(|back| back.contains(*module)))
            .map(|other| other.join("/"))
            .collect();
        if circle.len() > 1 {
            found.insert(circle);
        }
    }
    found.into_iter().collect()
}

#[test]
fn a_room_uses_only_those_before_it() {
    let mut wrong = Vec::new();
    for (rooms, library) in boxes() {
        let place = |module: &Module| {
            let room = module.first()?;
            let at = |name: &str| rooms.iter().position(|known| *known == name);
            at(room).or_else(|| at(""))
        };
        for (module, uses) in library.edges() {
            for used in uses.iter().filter(|used| !module.is_empty() && !used.is_empty()) {
                if place(used) > place(module) {
                    wrong.push(format!("{} uses {}", module.join("/"), used.join("/")));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_room_of_the_commands_uses_only_those_before_it() {
    let place = |module: &Module| {
        let room = module.get(1).filter(|_| module[0] == "command")?;
        ROOMS_OF_COMMAND.iter().position(|known| known == room)
    };
    for (module, uses) in boxes().iter().flat_map(|(_, library)| library.edges()) {
        for used in uses.iter().filter(|_| !module.is_empty()) {
            if let (Some(from), Some(to)) = (place(module), (!used.is_empty()).then(|| place(used)).flatten())
            {
                assert!(to <= from, "{} uses {}", module.join("/"), used.join("/"));
            }
        }
    }
}

#[test]
fn files_need_each_other_only_where_a_reason_is_given() {
    let found: Vec<_> = boxes()
        .iter()
        .flat_map(|(_, library)| circles(&library.edges()))
        .collect();
    let known: Vec<BTreeSet<String>> = CIRCLES
        .iter()
        .map(|(files, _)| files.iter().map(|file| (*file).to_owned()).collect())
        .collect();
    assert_eq!(found, known);
}

/// So that the tests above are known to see something.
#[test]
fn an_arrow_up_and_a_circle_are_found() {
    let file = |text: &str| File::read(text);
    let module = |path: &str| path.split('/').map(str::to_owned).collect::<Module>();
    let library = Library(BTreeMap::from([
        (Module::new(), File::default()),
        (
            module("a"),
            file("mod b; pub use b::B; use crate::c::C; fn f(_: C) {}"),
        ),
        (
            module("a/b"),
            file("pub struct B; #[cfg(test)] mod tests { use crate::d::D; }"),
        ),
        (module("c"), file("use crate::a::B; pub struct C(B);")),
        (
            module("d"),
            file("pub struct D; fn f() -> super::c::C { crate::a::b::g() }"),
        ),
    ]));
    let edges = library.edges();
    let uses = |name: &str| {
        edges[&module(name)]
            .iter()
            .map(|used| used.join("/"))
            .collect::<Vec<_>>()
    };
    assert_eq!(uses("a"), ["c"], "what is only exported again is no use");
    assert_eq!(uses("a/b"), [""; 0]);
    assert_eq!(uses("c"), ["a/b"], "the file that defines the name");
    assert_eq!(uses("d"), ["a/b", "c"]);
    assert!(circles(&edges).is_empty());
    let circle = Library(BTreeMap::from([
        (Module::new(), File::default()),
        (module("x"), file("use crate::y::Y;")),
        (module("y"), file("pub struct Y; fn f() { crate::x::g() }")),
    ]));
    assert_eq!(
        circles(&circle.edges()),
        [BTreeSet::from(["x".to_owned(), "y".to_owned()])]
    );
}
