//! Logs on standard error, above the progress bar where there is one.

use std::io::{self, Write};

use gleaner_config::Log;
use indicatif::ProgressBar;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use crate::failure::Failure;

/// Begins logging; `bar` is stepped aside for each line.
pub(crate) fn begin(log: &Log, bar: &ProgressBar, colors: bool) -> Result<(), Failure> {
    let plain = !log.level.contains(['=', ',']);
    // A plain level is meant for gleaner: libraries have their own idea of a warning.
    let directives = if plain { format!("error,gleaner={}", log.level) } else { log.level.clone() };
    let filter = EnvFilter::try_new(directives)
        .map_err(|error| Failure::Usage(format!("log.level = \"{}\": {error}", log.level)))?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(AboveBar(bar.clone()));
    if log.json {
        lines.json().init();
    } else {
        lines.with_ansi(colors).with_target(false).init();
    }
    Ok(())
}

struct AboveBar(ProgressBar);

struct Line {
    bar: ProgressBar,
    text: Vec<u8>,
}

impl<'a> MakeWriter<'a> for AboveBar {
    type Writer = Line;

    fn make_writer(&'a self) -> Line {
        Line { bar: self.0.clone(), text: Vec::new() }
    }
}

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        // A log line that cannot be written has no better place to go.
        self.bar.suspend(|| io::stderr().write_all(&self.text).ok());
    }
}
