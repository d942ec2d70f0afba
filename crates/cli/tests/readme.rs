//! Compares the README with the program. The commands, options and files in it must exist, and its table of
//! commands must be complete.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).unwrap()
}

fn help(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_gleaner")).args(arguments).arg("--help").output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the command lines in shell blocks, without the words before the program's arguments.
fn commands() -> Vec<String> {
    let text = readme();
    let blocks = text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let lines = blocks.flat_map(str::lines).filter_map(|line| {
        let line = line.strip_prefix("cargo run --release -- ").or_else(|| line.strip_prefix("gleaner "))?;
        Some(line.to_owned())
    });
    lines.collect()
}

#[test]
fn commands_and_options_can_be_typed() {
    let commands = commands();
    assert!(commands.len() >= 5, "{commands:?}");
    for command in commands {
        let words: Vec<&str> = command.split(' ').collect();
        let names = words.iter().take_while(|word| !word.starts_with('-')).take(2);
        let names: Vec<&str> = names.copied().filter(|word| !word.contains('.')).collect();
        let help = help(&names);
        for option in words.iter().filter(|word| word.starts_with("--")) {
            assert!(help.contains(option), "README: `{command}`: no option {option}");
        }
    }
}

#[test]
fn files_that_are_named_exist() {
    let text = readme();
    let named = text.split(|c: char| c.is_whitespace() || "`(),;".contains(c));
    let starts = ["config/", "seeds/", "docs/", "crates/"];
    for path in named.filter(|word| starts.iter().any(|start| word.starts_with(start))) {
        let path = path.trim_end_matches(['.', ':']);
        assert!(root().join(path).exists(), "README: {path} does not exist");
    }
}

#[test]
fn the_table_of_commands_is_whole() {
    let (text, help) = (readme(), help(&[]));
    let table = text.split("\n## Commands\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let listed = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    for line in listed.lines() {
        let name = line.split_whitespace().next().unwrap();
        assert!(
            name == "help"
                || ["gleaner ", ""].iter().any(|begin| table.contains(&format!("`{begin}{name}`"))),
            "README lacks `gleaner {name}`"
        );
    }
}
