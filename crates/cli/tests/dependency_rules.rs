//! Compares the manifests with the tables of crates in docs/architecture.md. The tables define which crates
//! each crate may import, and which libraries only one crate may name. Checks also that documents name
//! existing files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[derive(Default)]
struct Manifest {
    /// The names under `[dependencies]`.
    of_code: BTreeSet<String>,
    /// The names under `[dev-dependencies]`.
    of_tests: BTreeSet<String>,
}

impl Manifest {
    fn from_text(text: &str) -> Self {
        let mut manifest = Self::default();
        let (mut section, mut is_within) = ("", false);
        for line in text.lines() {
            if let Some(head) = line.strip_prefix('[') {
                section = head.trim_end_matches(']');
                // The test would not check sections of any other form.
                let is_known = matches!(section, "dependencies" | "dev-dependencies");
                assert!(is_known || !section.contains("dependencies"), "[{section}] is not looked at");
                continue;
            }
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if !is_within && !name.is_empty() && !name.starts_with('#') {
                match section {
                    "dependencies" => drop(manifest.of_code.insert(name.to_owned())),
                    "dev-dependencies" => drop(manifest.of_tests.insert(name.to_owned())),
                    _ => {}
                }
            }
            // The lines of a multi-line list of features contain no library names.
            is_within = (is_within || line.contains('[')) && !line.contains(']');
        }
        manifest
    }
}

/// Reads the manifest of each crate, by the name of its folder.
fn manifests() -> BTreeMap<String, Manifest> {
    let folders = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap());
    let manifest = |folder: fs::DirEntry| {
        let text = fs::read_to_string(folder.path().join("Cargo.toml")).unwrap();
        (folder.file_name().into_string().unwrap(), Manifest::from_text(&text))
    };
    folders.map(manifest).collect()
}

/// Returns the cells of the table rows below a heading of docs/architecture.md. Ignores rows that do not
/// begin with a name.
fn rows(heading: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let below = text.lines().skip_while(|line| *line != format!("### {heading}")).skip(1);
    let rows = below.take_while(|line| !line.starts_with('#')).filter(|line| line.starts_with("| `"));
    let cells = rows.map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()));
    let rows: Vec<Vec<String>> = cells.map(Iterator::collect).collect();
    assert!(!rows.is_empty(), "docs/architecture.md has no table below {heading}");
    rows
}

/// Returns the crates of one part, each with its name, its permitted imports, and the libraries that only
/// this crate may name.
fn part(heading: &str) -> Vec<(String, String, String)> {
    let rows = rows(heading).into_iter();
    rows.map(|row| (row[0].trim_matches('`').to_owned(), row[2].clone(), row[3].clone())).collect()
}

fn table() -> Vec<(String, String, String)> {
    ["Crawler", "Program and tests", "Laboratory"].into_iter().flat_map(part).collect()
}

/// Returns, for each library with a star, the other crates that may name it.
fn starred() -> BTreeMap<String, BTreeSet<String>> {
    let rows = rows("Shared libraries").into_iter();
    rows.map(|row| (row[0].trim_matches('`').to_owned(), row[1].split(", ").map(str::to_owned).collect()))
        .collect()
}

#[test]
fn every_room_is_in_the_table_and_imports_what_it_may() {
    let (manifests, table) = (manifests(), table());
    let rooms: BTreeSet<&str> = table.iter().map(|(room, ..)| room.as_str()).collect();
    assert_eq!(rooms, manifests.keys().map(String::as_str).collect());
    for (at, (room, may, _)) in table.iter().enumerate() {
        let above: Vec<&str> = table[..at].iter().map(|(room, ..)| room.as_str()).collect();
        let may: Vec<&str> = if may.starts_with("all") { above } else { may.split(", ").collect() };
        let Manifest { of_code, of_tests } = &manifests[room];
        for import in of_code.iter().filter_map(|name| name.strip_prefix("gleaner-")) {
            assert!(
                may.contains(&import),
                "crates/{room} imports gleaner-{import}; docs/architecture.md forbids it"
            );
        }
        for import in of_tests.iter().filter_map(|name| name.strip_prefix("gleaner-")) {
            assert!(
                import == "testkit" || may.contains(&import),
                "the tests of crates/{room} import gleaner-{import}; docs/architecture.md forbids it"
            );
        }
    }
}

#[test]
fn no_other_crate_imports_the_laboratory() {
    let manifests = manifests();
    let laboratory: BTreeSet<String> = part("Laboratory").into_iter().map(|(room, ..)| room).collect();
    for (room, ..) in part("Crawler").into_iter().chain(part("Program and tests")) {
        let Manifest { of_code, of_tests } = &manifests[&room];
        for import in of_code.iter().chain(of_tests).filter_map(|name| name.strip_prefix("gleaner-")) {
            assert!(!laboratory.contains(import), "crates/{room} imports gleaner-{import} of the laboratory");
        }
    }
}

#[test]
fn a_library_of_one_room_is_named_there_only() {
    let (manifests, starred) = (manifests(), starred());
    let named = |library: &str| -> BTreeSet<&str> {
        let naming = manifests.iter().filter(|(_, manifest)| manifest.of_code.contains(library));
        naming.map(|(room, _)| room.as_str()).collect()
    };
    let mut met = BTreeSet::new();
    for (room, _, libraries) in table() {
        for listed in libraries.split(", ").filter(|library| !library.is_empty()) {
            let library = listed.trim_end_matches('*');
            let mut expected = BTreeSet::from([room.as_str()]);
            if listed.ends_with('*') {
                expected.extend(starred[library].iter().map(String::as_str));
                met.insert(library.to_owned());
            }
            assert_eq!(named(library), expected, "{library}, by docs/architecture.md");
        }
    }
    assert!(starred.keys().eq(&met), "{met:?} are starred in the table of rooms");
}

#[test]
fn a_library_that_one_room_names_is_in_its_row() {
    let (manifests, table) = (manifests(), table());
    for (room, _, libraries) in &table {
        let others = || manifests.iter().filter(|(other, _)| *other != room);
        let is_elsewhere =
            |library: &String| others().any(|(_, manifest)| manifest.of_code.contains(library));
        let alone = manifests[room].of_code.iter().filter(|library| !library.starts_with("gleaner-"));
        for library in alone.filter(|library| !is_elsewhere(library)) {
            assert!(
                libraries.split(", ").any(|listed| listed == library),
                "crates/{room} alone names {library}: docs/architecture.md does not say so"
            );
        }
    }
}

#[test]
fn every_file_of_tests_is_a_module_of_their_binary() {
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let tests = entry.unwrap().path().join("tests");
        // Without this file, each file in the folder is a separate test binary.
        let Ok(main) = fs::read_to_string(tests.join("main.rs")) else { continue };
        for entry in fs::read_dir(&tests).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            let line = format!("mod {name};");
            assert!(
                name == "main" || main.lines().any(|it| it == line),
                "{} is not compiled",
                path.display()
            );
        }
    }
}

/// Paths in these documents start at the root or at `crates/`.
#[test]
fn the_source_files_that_documents_name_exist() {
    for document in ["CONTRIBUTING.md", "docs/architecture.md"] {
        let text = fs::read_to_string(root().join(document)).unwrap();
        // The path `tests/main.rs` is relative to any crate.
        let is_path =
            |code: &&str| code.contains('/') && code.ends_with(".rs") && !code.starts_with("tests/");
        let named: Vec<&str> = text.split('`').skip(1).step_by(2).filter(is_path).collect();
        assert!(!named.is_empty(), "{document}");
        for path in named {
            let exists = ["", "crates"].iter().any(|folder| root().join(folder).join(path).exists());
            assert!(exists, "{document} names {path}");
        }
    }
}

/// crates/python and the crates that can be published contain the version again, because cargo requires it.
#[test]
fn there_is_one_version() {
    let version = format!("\"{}\"", env!("CARGO_PKG_VERSION"));
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let after = |line: &str, key: &str| Some(line.split_once(key)?.1.split([' ', ',']).next()?.to_owned());
    let workspace = read("Cargo.toml");
    let ours = workspace.lines().filter(|line| line.starts_with("gleaner-"));
    let named: Vec<String> = ours.filter_map(|line| after(line, "version = ")).collect();
    assert!(named.len() >= 6 && named.iter().all(|named| *named == version), "{named:?}");
    let python = read("crates/python/Cargo.toml");
    let named = python.lines().find(|line| line.starts_with("version")).and_then(|line| after(line, "= "));
    assert_eq!(named, Some(version));
}

#[test]
fn manifests_are_read_in_every_form_that_is_used() {
    let text = "[package]\nname = \"a\"\n[dependencies]\n# one\none.workspace = true\n\
                two = { version = \"1\", features = [\n    \"three\", \"four\",\n] }\nfive = \"1\"\n\
                [lib]\nsix = 1\n[dev-dependencies]\nseven.workspace = true\n";
    let Manifest { of_code, of_tests } = Manifest::from_text(text);
    assert_eq!((of_code.len(), of_tests.len()), (3, 1));
    assert!(["one", "two", "five"].iter().all(|name| of_code.contains(*name)));
    assert!(of_tests.contains("seven"));
}
