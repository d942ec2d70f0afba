//! Runs the command in the setting `report.command` with the report of a crawl.
//!
//! The command runs without a shell, so text in the report is never interpreted as a command.
//!
//! Limitation: a command that hangs delays the next run by up to its time limit.

use std::io::{self, Write};
use std::path::absolute;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use gleaner_crawl::render::visible::visible;
use gleaner_crawl::report::folder::ReportFiles;
use gleaner_crawl::report::{Report, RunStatus, text};
use gleaner_crawl::settings::{Notify, ReportSettings as Settings};
use tracing::{error, info};

const LIMIT: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(20);

/// Runs the notification command if the settings request it for the report's status. Failures of the command
/// are only logged.
pub(crate) fn run_command(settings: &Settings, report: &Report, files: Option<&ReportFiles>) {
    let [program, arguments @ ..] = settings.command.as_slice() else { return };
    let is_told = match settings.notify {
        Notify::Always => true,
        Notify::Unusual => report.status >= RunStatus::Unusual,
        Notify::Failed => report.status == RunStatus::Failed,
    };
    if !is_told {
        return;
    }
    let mut command = Command::new(program);
    command.args(arguments).env("GLEANER_STATUS", report.status.label());
    command.stdin(Stdio::piped()).stdout(Stdio::null());
    if let Some(files) = files {
        for (name, file) in [("GLEANER_REPORT", &files.json), ("GLEANER_REPORT_HTML", &files.html)] {
            command.env(name, absolute(file).unwrap_or_else(|_| file.clone()));
        }
    }
    // The program may show the text on a terminal, or send it as a mail.
    let text = visible(&text::short(report)).into_owned();
    match run(&mut command, text, LIMIT) {
        Ok(Some(status)) if status.success() => info!(program, "report.command was run"),
        Ok(Some(status)) => error!(program, %status, "report.command failed"),
        Ok(None) => error!(program, limit = ?LIMIT, "report.command took too long and was killed"),
        Err(error) => error!(program, %error, "cannot run report.command"),
    }
}

/// Runs a command with `text` on its standard input. Returns `None` if the command was killed after `limit`.
fn run(command: &mut Command, text: String, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let mut child = command.spawn()?;
    if let Some(mut input) = child.stdin.take() {
        // A separate thread writes the text, because the command may not read its input. The thread ends with
        // the command.
        thread::spawn(move || drop(input.write_all(text.as_bytes())));
    }
    wait(&mut child, Instant::now() + limit)
}

fn wait(child: &mut Child, until: Instant) -> io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= until {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(POLL);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_hangs_is_ended() {
        let mut hangs = Command::new("sleep");
        hangs.arg("1000").stdin(Stdio::piped());
        assert!(run(&mut hangs, "text".into(), Duration::from_millis(50)).unwrap().is_none());
    }

    #[test]
    fn a_command_that_does_not_read_is_no_trouble() {
        let mut ends = Command::new("true");
        ends.stdin(Stdio::piped());
        let status = run(&mut ends, "x".repeat(1 << 20), LIMIT).unwrap();
        assert!(status.unwrap().success());
    }
}
