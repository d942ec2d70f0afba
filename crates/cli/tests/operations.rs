//! Compares docs/operations.md with the program. The commands, options, settings and files in it must exist,
//! and the systemd units must use the names that it sets up.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

fn operations() -> String {
    read("docs/operations.md")
}

/// Returns the lines that run `gleaner`, without the words before the program's arguments.
fn commands(text: &str) -> Vec<Vec<String>> {
    let begun = |line: &str| {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let starts = ["runuser -u gleaner -- gleaner ", "gleaner ", "ExecStart=/usr/local/bin/gleaner "];
        let start = starts.iter().find(|start| line.starts_with(**start))?;
        Some(words[start.split_whitespace().count()..].to_vec())
    };
    text.lines().filter_map(begun).collect()
}

#[test]
fn commands_and_options_can_be_typed() {
    let units = ["config/systemd/gleaner.service", "config/systemd/gleaner-crawl.service"].map(read);
    let all = [commands(&operations()), commands(&units[0]), commands(&units[1])].concat();
    assert!(all.len() >= 10, "{all:?}");
    for words in all {
        let help =
            Command::new(env!("CARGO_BIN_EXE_gleaner")).args([words[0].as_str(), "--help"]).output().unwrap();
        assert!(help.status.success(), "{words:?}");
        let help = String::from_utf8(help.stdout).unwrap();
        for option in words.iter().filter(|word| word.starts_with("--")) {
            assert!(help.contains(option.as_str()), "{words:?}: no option {option}");
        }
    }
}

#[test]
fn keys_that_are_named_are_settings() {
    let (text, known) = (operations(), read("config/default.toml"));
    let mut checked = 0;
    let tables: Vec<&str> =
        known.lines().filter_map(|line| line.strip_prefix('[')?.strip_suffix(']')).collect();
    for named in text.split('`').skip(1).step_by(2) {
        let key = named.split([' ', '=']).next().unwrap();
        let Some((table, key)) = key.split_once('.').filter(|(table, _)| tables.contains(table)) else {
            continue;
        };
        let section = known.split(&format!("[{table}]\n")).nth(1).unwrap().split("\n[").next().unwrap();
        assert!(section.lines().any(|line| line.starts_with(&format!("{key} = "))), "no key {table}.{key}");
        checked += 1;
    }
    assert!(checked >= 15, "{checked} keys");
}

#[test]
fn files_that_are_named_exist() {
    let text = operations();
    let words = text.split(|c: char| c.is_whitespace() || "`(),;".contains(c));
    let starts = ["config/", "seeds/", "docs/", "crates/"];
    let mut checked = 0;
    for path in words.filter(|word| starts.iter().any(|start| word.starts_with(start))) {
        let path = path.trim_end_matches(['.', ':']);
        assert!(root().join(path).exists(), "docs/operations.md: {path} does not exist");
        checked += 1;
    }
    assert!(checked >= 5, "{checked} files");
}

#[test]
fn the_sample_settings_are_read_and_agree_with_the_units() {
    let sample = read("config/nightly.toml");
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("gleaner.toml");
    fs::write(&path, &sample).unwrap();
    let corpus = folder.path().join("corpus");
    let shown = Command::new(env!("CARGO_BIN_EXE_gleaner"))
        .args(["report", "--config", path.to_str().unwrap(), "--data", corpus.to_str().unwrap()])
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&shown.stderr).contains("there is no report"), "{shown:?}");
    assert!(sample.contains("zone = \"Asia/Ho_Chi_Minh\"") && sample.contains("times = [\"0 2 * * *\"]"));
    assert!(
        read("config/systemd/gleaner-crawl.timer").contains("OnCalendar=*-*-* 02:00:00 Asia/Ho_Chi_Minh")
    );
    assert!(sample.contains("path = \"/var/lib/gleaner/corpus\""));
}
