//! Tests invalid command lines, settings and seeds. The program prints one clear line and exits with code 2.
//! Also tests help, completions, man pages and colors.

use std::fs;
use std::net::TcpListener;
use std::process::{Command, Output};

use tempfile::TempDir;

fn gleaner(folder: &TempDir, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gleaner")).current_dir(folder.path()).args(arguments).output().unwrap()
}

/// Runs a command, and expects exit code 2 and one line that contains all of `parts`.
fn refused(folder: &TempDir, arguments: &[&str], parts: &[&str]) {
    let output = gleaner(folder, arguments);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
    assert_eq!(said.lines().count(), 1, "{arguments:?}: {said}");
    for part in parts {
        assert!(said.contains(part), "{arguments:?}: {said} lacks {part}");
    }
}

#[test]
fn wrong_settings_and_seeds_are_refused_on_one_line() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("unknown.toml", "[fetch]\ndelay = \"1s\"\nspeed = 9\n");
    write("unit.toml", "[fetch]\ndelay = 5\n");
    write("bytes.toml", "[fetch]\nmax_page = \"5 apples\"\n");
    write("broken.toml", "[fetch\n");
    write("seeds.txt", "# sites\nhttps://a.example/\n\nftp://b.example/\n");
    write("none.txt", "# nothing\n");
    write("good.txt", "https://a.example/\n");
    refused(&folder, &["crawl", "--config", "unknown.toml"], &["unknown.toml, line 3", "speed"]);
    refused(&folder, &["crawl", "--config", "unit.toml"], &["unit.toml, line 2", "unit"]);
    refused(&folder, &["crawl", "--config", "bytes.toml"], &["bytes.toml, line 2", "5 apples"]);
    refused(&folder, &["stats", "--config", "broken.toml"], &["broken.toml, line 1"]);
    refused(&folder, &["crawl", "--config", "absent.toml"], &["cannot read absent.toml"]);
    refused(&folder, &["crawl", "--set", "fetch.delay=5"], &["--set fetch.delay=5", "unit"]);
    refused(&folder, &["crawl", "--set", "fetch.nothing=5"], &["nothing"]);
    refused(&folder, &["crawl", "--seeds", "seeds.txt"], &["seeds.txt", "line 4"]);
    refused(&folder, &["crawl", "--seeds", "none.txt"], &["none.txt"]);
    let address = "https://a.example/?a=1&b";
    for command in ["crawl", "schedule"] {
        let said = "--seeds names files of addresses, and https://a.example/?a=1&b is an address; to crawl it: gleaner crawl 'https://a.example/?a=1&b'";
        refused(&folder, &[command, "--seeds", address], &[said]);
    }
    let set = "crawl.seeds=[\"https://a.example\"]";
    refused(
        &folder,
        &["crawl", "--set", set],
        &["crawl.seeds names files", "gleaner crawl https://a.example"],
    );
    for command in [&["crawl"][..], &["schedule"], &["seeds", "check"]] {
        refused(
            &folder,
            command,
            &["no seeds: name a site, as in `gleaner crawl https://", "`gleaner init news`"],
        );
    }
    refused(&folder, &["crawl", "--set", "crawl.seeds=['none']"], &["cannot read none", "crawl.seeds"]);
    refused(&folder, &["crawl", "good.txt"], &["good.txt is a file", "gleaner crawl --seeds good.txt"]);
    refused(&folder, &["crawl", "vnexpress"], &["\"vnexpress\" is not a seed", "vnexpress.net"]);
    refused(&folder, &["crawl", "--seeds", "absent.txt"], &["cannot read absent.txt"]);
    refused(&folder, &["crawl", "--seeds", "good.txt", "--set", "log.level=loud=="], &["log.level"]);
    refused(&folder, &["crawl", "--seeds", "bbc.com"], &["cannot read bbc.com", "sites are arguments"]);
    refused(&folder, &["extract", "absent.html"], &["cannot read absent.html"]);
    refused(&folder, &["extract", "good.txt", "--url", "nonsense"], &["nonsense"]);
    let both = ["extract", "https://a.example/1", "--url", "https://a.example/2"];
    refused(&folder, &both, &["--url is for files: "]);
}

#[test]
fn the_settings_of_the_working_directory_are_used_and_named_where_they_matter() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("gleaner.toml"), "[store]\npath = \"news\"\n").unwrap();
    fs::write(folder.path().join("other.toml"), "").unwrap();
    let said = |arguments: &[&str]| {
        let output = gleaner(&folder, arguments);
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let named = "gleaner: using the settings in gleaner.toml\n";
    let commands =
        [&["stats"][..], &["export"], &["verify"], &["report"], &["reextract"], &["doctor", "a.vn"]];
    for command in commands {
        let own = said(command);
        let is_named = ["reextract", "doctor"].contains(&command[0]);
        assert_eq!(own.contains(named), is_named, "{command:?}: {own}");
        assert!(own.contains("news"), "{command:?}: {own}");
        let other = said(&[command, &["--config", "other.toml"]].concat());
        assert!(!other.contains(named) && !other.contains("news"), "{command:?}: {other}");
    }
    fs::write(folder.path().join("gleaner.toml"), "[fetch\n").unwrap();
    assert!(said(&["stats"]).contains("gleaner: gleaner.toml, line 1"));
    for command in [&["completions", "bash"][..], &["init", "project"]] {
        assert!(!said(command).contains("gleaner: "), "{command:?} has no settings");
    }
}

#[test]
fn numbers_out_of_range_are_refused_with_the_range() {
    let folder = TempDir::new().unwrap();
    for (arguments, least) in [
        (&["crawl", "--max-pages", "-1"][..], 0),
        (&["crawl", "--max-per-host", "-1"], 0),
        (&["report", "--last", "0"], 1),
        (&["report", "--last", "-1"], 1),
        (&["export", "--limit", "-1"], 1),
        (&["export", "--sample", "0"], 1),
        (&["duplicates", "--limit", "-1"], 0),
        (&["search", "mưa", "--limit", "-1"], 0),
        (&["search", "mưa", "--width", "0"], 1),
    ] {
        let output = gleaner(&folder, arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        let range = format!("must be a whole number, {least} or more");
        assert!(said.contains(&range) && !said.contains("tip"), "{arguments:?}: {said}");
    }
}

#[test]
fn a_storage_beside_a_folder_is_refused() {
    let folder = TempDir::new().unwrap();
    for command in ["crawl", "stats", "export", "serve"] {
        let on_a_folder = [command, "--store", "sled", "--objects", "s3://bucket/news"];
        refused(&folder, &on_a_folder, &["--objects requires --store postgres://"]);
        refused(&folder, &[command, "--objects", "files"], &["--objects requires --store postgres://"]);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn no_password_of_an_address_is_shown() {
    let folder = TempDir::new().unwrap();
    for (address, shown) in [
        ("postgres://u:hushpw@h/x", "postgres://u@h/x"),
        ("postgres://u:p@ss/hushpw@h/x", "postgres://u@h/x"),
        ("postgres://u@h/x?password=hushpw", "postgres://u@h/x"),
        ("postgres://h/x?user=u&password=hushpw", "'postgres://h/x?user=u'"),
        ("postgres://u:hushpw@[::1]:25432/x", "'postgres://u@[::1]:25432/x'"),
    ] {
        for command in [&["snapshot", "copy"][..], &["rebuild"]] {
            let moved = format!("`gleaner migrate --from {shown} --to sled --objects ADDRESS --data DIR`");
            hides(&folder, &[command, &["--store", address]].concat(), 2, &moved);
        }
        // These commands fail before they connect to a server, because there is no setting for the object
        // storage.
        for command in ["stats", "reextract"] {
            hides(&folder, &[command, "--store", address], 2, "--objects");
        }
    }
    let unclear = ["stats", "--store", "postgres://u:p@ss/hushpw@h/x", "--objects", "."];
    hides(&folder, &unclear, 1, "cannot find the end of the password");
    let other = ["migrate", "--from", "mysql://u:hushpw@h/x", "--to", "sled"];
    hides(&folder, &other, 2, "not mysql://u@h/x");
    hides(&folder, &["stats", "--store", "mysql://u:hushpw@h/x"], 2, "store.engine");
    hides(&folder, &["stats", "--set", "store.engin=postgres://u:hushpw@h/x"], 2, "--set store.engin=...");
}

/// Runs a command, and expects this exit code and a message that contains `part` but not the password.
fn hides(folder: &TempDir, arguments: &[&str], code: i32, part: &str) {
    let output = gleaner(folder, arguments);
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    assert!(said.contains(part) && !said.contains("hushpw"), "{arguments:?}: {said}");
}

#[test]
fn a_dead_proxy_is_named_with_its_place_and_without_its_password() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let proxy = format!("http://user:secret@{address}");
    for (place, url) in [
        ("HTTP_PROXY", "http://a.example/x"),
        ("https_proxy", "https://a.example/x"),
        ("ALL_PROXY", "http://a.example/x"),
        ("ALL_PROXY", "https://a.example/x"),
        ("fetch.proxy", "http://a.example/x"),
        ("fetch.proxy", "https://a.example/x"),
    ] {
        let folder = TempDir::new().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
        command.current_dir(&folder).args(["extract", url, "--set", "fetch.contact=test@gleaner.invalid"]);
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"] {
            command.env_remove(name).env_remove(name.to_lowercase());
        }
        match place {
            "fetch.proxy" => command.args(["--set", &format!("fetch.proxy={proxy}")]),
            variable => command.env(variable, &proxy),
        };
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let named = format!("the proxy failed: http://{address}, set by {place}: ");
        assert!(said.contains(&named) && said.contains("was not requested"), "{place} {url}: {said}");
        assert!(!said.contains("secret") && !said.contains("disallowed"), "{said}");
    }
}

#[test]
fn a_folder_without_a_corpus_is_said_so_and_left_alone() {
    let folder = TempDir::new().unwrap();
    for command in [&["stats"][..], &["export"], &["template", "list"]] {
        let output = gleaner(&folder, command);
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains("no corpus in data"), "{output:?}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn every_command_has_a_help_with_an_example() {
    let folder = TempDir::new().unwrap();
    let help = String::from_utf8(gleaner(&folder, &["--help"]).stdout).unwrap();
    for command in [
        "crawl",
        "export",
        "stats",
        "template",
        "extract",
        "learn",
        "rebuild",
        "reextract",
        "verify",
        "snapshot",
        "ingest",
    ] {
        assert!(help.contains(&format!("  {command} ")), "{help}");
        let output = gleaner(&folder, &[command, "--help"]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && text.contains(&format!("  gleaner {command} ")), "{text}");
        for option in ["--config", "--data", "--set"] {
            assert!(text.contains(option), "{command}: {text}");
        }
    }
}

#[test]
fn a_page_without_text_is_an_error_and_not_an_empty_file() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("empty.html"), "<html><body></body></html>").unwrap();
    let output = gleaner(&folder, &["extract", "empty.html"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("gleaner found no text on this page") && said.lines().count() == 1, "{said}");
    fs::write(folder.path().join("empty.html"), "").unwrap();
    let output = gleaner(&folder, &["extract", "empty.html"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), said.as_str()), (Some(1), "gleaner: empty.html is empty\n"));
}

#[test]
fn shells_and_man_know_every_command() {
    let run =
        |arguments: &[&str]| Command::new(env!("CARGO_BIN_EXE_gleaner")).args(arguments).output().unwrap();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = String::from_utf8(run(&["completions", shell]).stdout).unwrap();
        assert!(script.contains("snapshot") && script.contains("gleaner"), "{shell}");
    }
    let folder = tempfile::tempdir().unwrap();
    let manual = folder.path().join("man1");
    assert!(run(&["man", manual.to_str().unwrap()]).status.success());
    let help = String::from_utf8(run(&["--help"]).stdout).unwrap();
    let listed = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    for line in listed.lines() {
        let name = line.split_whitespace().next().unwrap();
        assert!(name == "help" || manual.join(format!("gleaner-{name}.1")).exists(), "{name}");
    }
}

#[test]
fn colours_are_where_they_are_wanted() {
    let help = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
        let output = command.args(arguments).env_remove("CLICOLOR_FORCE").output().unwrap();
        output.stdout.contains(&0x1b)
    };
    assert!(!help(&["--help"]), "none in a pipe");
    assert!(help(&["--help", "--color", "always"]) && help(&["crawl", "--color=always", "--help"]));
    assert!(!help(&["--color", "never", "--help"]));
}

#[test]
fn a_mistake_is_answered_with_the_next_step() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    fs::write(path.join("letter.txt"), "Dear ...").unwrap();
    fs::write(path.join("run.sh"), "#!/bin/sh\nif [ 1 -lt 2 ]; then sort < list; fi\n").unwrap();
    fs::write(path.join("gleaner.toml"), "[crawl]\nworkers = \"many\"\n").unwrap();
    refused(&folder, &["stats"], &["gleaner.toml, line 2, crawl.workers: ", "expected a whole number"]);
    fs::remove_file(path.join("gleaner.toml")).unwrap();
    refused(&folder, &["crawl", "com.vn"], &["\"com.vn\" is not a seed", "many sites share"]);
    let foreign = gleaner(&folder, &["crawl", "http://127.0.0.1:9/", "--data", "."]);
    let said = String::from_utf8(foreign.stderr).unwrap();
    assert_eq!(foreign.status.code(), Some(2), "{said}");
    assert!(said.contains("is not a corpus and has other files (") && said.contains("letter.txt"), "{said}");
    assert!(!path.join("sled").exists());
    let script = gleaner(&folder, &["extract", "run.sh"]);
    assert_eq!(script.status.code(), Some(1));
    assert!(script.stdout.is_empty());
    assert!(String::from_utf8_lossy(&script.stderr).contains("run.sh is not HTML"));
    let port = gleaner(&folder, &["serve", "--address", "7700"]);
    assert!(String::from_utf8_lossy(&port.stderr).contains("write 127.0.0.1:7700"));
}

#[test]
fn nothing_of_the_user_is_written_into_the_corpus() {
    let folder = TempDir::new().unwrap();
    let crawled =
        gleaner(&folder, &["crawl", "http://127.0.0.1:9/", "--data", "corpus", "--set", "crawl.linger=0s"]);
    assert!(folder.path().join("corpus/sled").exists(), "{}", String::from_utf8_lossy(&crawled.stderr));
    let inside = ["is inside the corpus corpus: name a place outside of it"];
    refused(&folder, &["snapshot", "corpus/copy", "--data", "corpus"], &inside);
    refused(&folder, &["export", "--out", "corpus/texts.jsonl", "--data", "corpus"], &inside);
    refused(&folder, &["export", "--into", "corpus/export", "--data", "corpus"], &inside);
}

#[test]
fn a_missing_delay_is_named_for_public_hosts() {
    let folder = TempDir::new().unwrap();
    let said = |seed: &str| {
        let sets = [
            "--set",
            "fetch.delay=0s",
            "--set",
            "fetch.proxy=http://127.0.0.1:9",
            "--set",
            "crawl.linger=0s",
        ];
        let output = gleaner(&folder, &[&["crawl", seed, "--data", "corpus"], &sets[..]].concat());
        String::from_utf8(output.stderr).unwrap()
    };
    let warning = "gleaner: the delay of paper.example is 0s";
    assert!(said("http://paper.example/").contains(warning));
    assert!(!said("http://127.0.0.1:9/").contains("gleaner: the delay of"));
}

#[test]
fn a_port_in_use_is_answered_with_another_one() {
    let folder = TempDir::new().unwrap();
    gleaner(&folder, &["crawl", "http://127.0.0.1:9/", "--data", "corpus", "--set", "crawl.linger=0s"]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let output = gleaner(&folder, &["serve", "--data", "corpus", "--address", &address]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains(&format!("cannot serve at {address}: ")), "{said}");
    assert!(said.contains("choose another port, or port 0 for any free one"), "{said}");
}
