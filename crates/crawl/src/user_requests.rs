//! Carries out user requests during a crawl: commands for a host, copies of the corpus, and repairs.

use std::path::{Path, PathBuf};

use tracing::{info, warn};

use crate::control::{Command, follow};
use crate::error::CrawlError;
use crate::pipeline::Pipeline;
use crate::repair::{self, RepairRules};
use crate::snapshot;

impl Pipeline {
    pub(crate) fn follow_commands(&mut self) -> Result<(), CrawlError> {
        for command in self.session.progress.control().taken() {
            if !follow(&mut self.recorder.writer, &command)? {
                warn!(host = command.host(), "ignored a command for an unknown host");
                continue;
            }
            info!(?command, "applied a command");
            self.apply_command(&command);
        }
        Ok(())
    }

    fn apply_command(&mut self, command: &Command) {
        let Some((id, host)) = self.frontier.host_named(command.host()) else { return };
        match command {
            Command::Pause(_) => host.paused = true,
            Command::Resume(_) => {
                host.paused = false;
                self.frontier.wake(id);
            }
            Command::LearnAgain(_) => self.learner.learn_again(id),
        }
    }

    pub(crate) fn follow_repair_request(&mut self) {
        let session = &self.session;
        let rules =
            RepairRules { config: &session.config, pins: &session.pins, admission: &session.admission };
        repair::handle(rules, &mut self.recorder.writer);
    }

    pub(crate) fn follow_snapshot_request(&mut self) -> Result<(), CrawlError> {
        let config = &self.session.config;
        let data = PathBuf::from(&config.store.path);
        let Some(target) = snapshot::requested(&data) else { return Ok(()) };
        self.recorder.flush()?;
        info!(target, "copying the corpus");
        let copied = snapshot::take(config, &self.recorder.writer, Path::new(&target));
        snapshot::leave_answer(&data, &target, copied);
        Ok(())
    }
}
