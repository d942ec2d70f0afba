//! Makes the paths in a settings file relative to the folder of the file.

use std::path::{Component, Path, PathBuf};

use toml::{Table, Value};

/// The keys that name files and folders.
const KEYS: [(&str, &str); 5] =
    [("crawl", "seeds"), ("template", "pins"), ("store", "path"), ("store", "objects"), ("archive", "path")];

/// Replaces each relative path in the table with a path relative to the folder of `file`.
pub(crate) fn resolve_paths(file: &str, table: &mut Table) {
    let Some(folder) = Path::new(file).parent().filter(|folder| !folder.as_os_str().is_empty()) else {
        return;
    };
    for (group, key) in KEYS {
        let value = table.get_mut(group).and_then(Value::as_table_mut).and_then(|group| group.get_mut(key));
        match value {
            Some(Value::String(path)) => *path = resolve(folder, path),
            Some(Value::Array(list)) => list.iter_mut().for_each(|entry| {
                if let Value::String(path) = entry {
                    *path = resolve(folder, path);
                }
            }),
            _ => {}
        }
    }
}

/// Returns the path below `folder`. Empty texts and URLs are returned unchanged.
fn resolve(folder: &Path, path: &str) -> String {
    if path.is_empty() || path.contains("://") {
        return path.to_owned();
    }
    let mut joined = PathBuf::new();
    for component in folder.join(path).components() {
        match (component, joined.components().next_back()) {
            (Component::CurDir, _) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => {
                joined.pop();
            }
            _ => joined.push(component),
        }
    }
    let text = joined.to_string_lossy().into_owned();
    if text.is_empty() { ".".into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_file() {
        for (file, path, expected) in [
            ("x.toml", "data", "data"),
            ("news/x.toml", "data", "news/data"),
            ("news/x.toml", "../data", "data"),
            ("./x.toml", "data", "data"),
            ("../x.toml", "../data", "../../data"),
            ("news/x.toml", "..", "."),
            ("/etc/gleaner/x.toml", "seeds.txt", "/etc/gleaner/seeds.txt"),
            ("news/x.toml", "/var/data", "/var/data"),
            ("news/x.toml", "s3://bucket/news", "s3://bucket/news"),
            ("news/x.toml", "", ""),
        ] {
            let store = Table::from_iter([("path".to_owned(), Value::String(path.into()))]);
            let mut table = Table::from_iter([("store".to_owned(), Value::Table(store))]);
            resolve_paths(file, &mut table);
            assert_eq!(table["store"]["path"].as_str(), Some(expected), "{file} {path}");
        }
    }
}
