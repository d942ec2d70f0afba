//! Writes the log to standard error, above the progress bar if a bar is shown.

use std::io::{self, Write};

use gleaner_config::LogSettings;
use indicatif::ProgressBar;
use tracing_subscriber::fmt::{self, MakeWriter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

use crate::failure::Failure;
use crate::telemetry::{Telemetry, spans};

pub(crate) fn begin(
    log: &LogSettings,
    bar: &ProgressBar,
    colors: bool,
    telemetry: &Telemetry,
) -> Result<(), Failure> {
    let plain = !log.level.contains(['=', ',']);
    // A level without targets applies only to gleaner's own crates, because libraries' warnings are rarely
    // useful. sled logs each of its errors several times, and gleaner reports them.
    let directives = if plain { format!("error,sled=off,gleaner={}", log.level) } else { log.level.clone() };
    let filter = EnvFilter::try_new(directives)
        .map_err(|error| Failure::Usage(format!("log.level = \"{}\": {error}", log.level)))?;
    let lines = fmt::layer().with_writer(AboveBar(bar.clone()));
    let lines = match log.json {
        true => lines.json().boxed(),
        false => lines.with_ansi(colors).with_target(false).boxed(),
    };
    let spans = telemetry.layer().map(|layer| layer.with_filter(spans()));
    tracing_subscriber::registry().with(spans).with(lines.with_filter(filter)).init();
    Ok(())
}

struct AboveBar(ProgressBar);

struct LogLine {
    bar: ProgressBar,
    text: Vec<u8>,
}

impl<'a> MakeWriter<'a> for AboveBar {
    type Writer = LogLine;

    fn make_writer(&'a self) -> LogLine {
        LogLine { bar: self.0.clone(), text: Vec::new() }
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
        // If the write fails, there is no other place to report the failure.
        self.bar.suspend(|| io::stderr().write_all(&self.text).ok());
    }
}
