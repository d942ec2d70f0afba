//! Tests the real binary with a low limit of open files and many hosts. It must crawl all hosts without a
//! failure.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Output};
use std::time::Duration;

use crate::newspaper::{Crawl, check_gaps};
use gleaner_testkit::{GeneratedPapers, NewspaperOptions};

/// Runs a command after `ulimit`. `ulimit -n` sets the soft and the hard limit of open files, `ulimit -Sn`
/// only the soft limit.
fn limited(command: &Command, ulimit: &str) -> Output {
    let mut limited = Command::new("sh");
    limited.args(["-c", &format!("{ulimit} && exec \"$0\" \"$@\"")]);
    limited.arg(command.get_program()).args(command.get_args());
    limited.current_dir(command.get_current_dir().unwrap()).output().unwrap()
}

fn crawl(hosts: usize, ulimit: &str) -> (Crawl, String) {
    let generated = GeneratedPapers { hosts, articles: 2, listed: 0, wire: 0, redirected: 0 };
    let crawl = Crawl::with_options(
        NewspaperOptions { generated: Some(generated), ..NewspaperOptions::default() },
        GAP,
    );
    fs::write(crawl.folder.path().join("seeds.txt"), generated.seeds().join("\n")).unwrap();
    let mut command = crawl.command(&["crawl", "--seeds", "seeds.txt"]);
    command.args(["--set", "crawl.linger=0s"]);
    let output = limited(&command, ulimit);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{:?} {said}", output.status);
    (crawl, said)
}

/// A delay that is long enough for connections to become idle.
const GAP: Duration = Duration::from_millis(100);

fn fronts(crawl: &Crawl) -> usize {
    let requests = crawl.newspaper.requests();
    check_gaps(&requests, GAP);
    let fronts = requests.iter().filter(|request| request.path == "/" && request.finished.is_some());
    fronts.map(|request| request.host.clone()).collect::<BTreeSet<_>>().len()
}

#[test]
fn many_hosts_are_read_with_few_open_files_and_a_line_says_why_it_is_slower() {
    let (crawl, said) = crawl(300, "ulimit -n 128");
    assert!(said.contains("the limit of 128 open files") && said.contains("fetch.concurrency"), "{said}");
    assert!(
        !said.contains("Too many open files") && !said.contains("limit of open files is reached"),
        "{said}"
    );
    assert_eq!(fronts(&crawl), 300);
}

#[test]
fn a_small_soft_limit_is_raised_without_a_word() {
    let (crawl, said) = crawl(20, "ulimit -Sn 64 && ulimit -Hn 1024");
    assert!(!said.contains("open files"), "{said}");
    assert_eq!(fronts(&crawl), 20);
}
