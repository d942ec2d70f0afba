//! Writes the log to standard error, above the progress bar if a bar is shown.
//!
//! An event takes one line. Control characters and line breaks in it become visible, because events contain
//! texts from sites. The color of the level is added afterwards.

use std::io::{self, Write};

use gleaner_crawl::render::visible::visible_line;
use gleaner_crawl::settings::LogSettings;
use indicatif::ProgressBar;
use tracing::{Level, Metadata};
use tracing_subscriber::fmt::{self, MakeWriter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

use crate::failure::Failure;
use crate::messages::print_log_line;

pub(crate) fn begin(log: &LogSettings, bar: &ProgressBar, colors: bool) -> Result<(), Failure> {
    let plain = !log.level.contains(['=', ',']);
    // A level without targets applies only to gleaner's own crates, because libraries' warnings are rarely
    // useful. sled logs each of its errors several times, and gleaner reports them.
    let directives = if plain { format!("error,sled=off,gleaner={}", log.level) } else { log.level.clone() };
    let filter = EnvFilter::try_new(directives)
        .map_err(|error| Failure::Usage(format!("log.level = \"{}\": {error}", log.level)))?;
    let writer = AboveBar { bar: bar.clone(), colors: colors && !log.json };
    let lines = fmt::layer().with_writer(writer).with_ansi(false);
    let lines = match log.json {
        true => lines.json().boxed(),
        false => lines.with_target(false).boxed(),
    };
    tracing_subscriber::registry().with(lines.with_filter(filter)).init();
    Ok(())
}

struct AboveBar {
    bar: ProgressBar,
    colors: bool,
}

struct LogLine {
    bar: ProgressBar,
    /// The level of the event if it is shown in color.
    colored: Option<Level>,
    text: Vec<u8>,
}

impl<'a> MakeWriter<'a> for AboveBar {
    type Writer = LogLine;

    fn make_writer(&'a self) -> LogLine {
        LogLine { bar: self.bar.clone(), colored: None, text: Vec::new() }
    }

    fn make_writer_for(&'a self, event: &Metadata<'_>) -> LogLine {
        let mut line = self.make_writer();
        line.colored = self.colors.then(|| *event.level());
        line
    }
}

impl Write for LogLine {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for LogLine {
    fn drop(&mut self) {
        let line = shown(&String::from_utf8_lossy(&self.text), self.colored);
        self.bar.suspend(|| print_log_line(&line));
    }
}

/// Returns the line of an event. It begins with the time and the level, of which the level may be `colored`.
fn shown(event: &str, colored: Option<Level>) -> String {
    let line = visible_line(event.strip_suffix('\n').unwrap_or(event)).into_owned() + "\n";
    let Some(level) = colored else { return line };
    let code = match level {
        Level::ERROR => "31",
        Level::WARN => "33",
        Level::INFO => "32",
        Level::DEBUG | Level::TRACE => "34",
    };
    // The time before the level has no letters of its name.
    line.replacen(level.as_str(), &format!("\u{1b}[{code}m{level}\u{1b}[0m"), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_line_without_control_characters() {
        let event = "2026-11-28T01:00:00Z  WARN a title WARN url=\u{1b}[2Jx\n2026 ERROR forged\n";
        let line = "2026-11-28T01:00:00Z  WARN a title WARN url=\\u001b[2Jx\\n2026 ERROR forged\n";
        assert_eq!(shown(event, None), line);
        let colored = line.replacen("WARN", "\u{1b}[33mWARN\u{1b}[0m", 1);
        assert_eq!(shown(event, Some(Level::WARN)), colored);
    }
}
