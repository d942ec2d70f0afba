//! The rooms of docs/architecture.md held against the manifests: who imports whom,
//! and which library has its name in one place only.

#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Names under `[dependencies]` of each crate, by the crate's folder.
fn manifests() -> BTreeMap<String, BTreeSet<String>> {
    let mut manifests = BTreeMap::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let entry = entry.unwrap();
        let text = fs::read_to_string(entry.path().join("Cargo.toml")).unwrap();
        let dependencies = text.split("[dependencies]").nth(1).unwrap_or_default().lines().skip(1);
        let names = dependencies
            .take_while(|line| !line.starts_with('['))
            .filter_map(|line| line.split(['.', ' ', '=']).next())
            .filter(|name| !name.is_empty() && !name.starts_with('#'))
            .map(str::to_owned)
            .collect();
        manifests.insert(entry.file_name().into_string().unwrap(), names);
    }
    manifests
}

/// The rows of the table of rooms: name, imports, libraries of its own.
fn table() -> Vec<(String, String, String)> {
    let text = fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.map(|line| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>());
    cells
        .filter(|cells| cells.len() == 4)
        .map(|cells| (cells[0].trim_matches('`').to_owned(), cells[2].to_owned(), cells[3].to_owned()))
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
        for import in manifests[room].iter().filter_map(|name| name.strip_prefix("gleaner-")) {
            assert!(
                may.contains(&import),
                "crates/{room} imports gleaner-{import}; docs/architecture.md forbids it"
            );
        }
    }
}

#[test]
fn a_library_of_one_room_is_named_there_only() {
    let manifests = manifests();
    for (room, _, libraries) in table() {
        for library in libraries.split(", ").filter(|library| !library.is_empty() && !library.ends_with('*'))
        {
            assert!(
                manifests[&room].contains(library),
                "docs/architecture.md: crates/{room} does not use {library}"
            );
            let named: Vec<&String> =
                manifests.iter().filter(|(_, names)| names.contains(library)).map(|(room, _)| room).collect();
            assert_eq!(named, [&room], "{library} should be named by one crate");
        }
    }
}
