//! Applies user commands to a running crawl: pause a host, resume it, or learn its template again.
//!
//! 1. A caller queues a [`Command`] ([`Control::request`]). A full queue refuses commands.
//! 2. The owner takes all commands at its next tick and writes them to the store.
//! 3. If no crawl is running, [`follow`] writes a command directly.
//!
//! Limitation: when the user pauses a host, a visit in flight still finishes. A URL that was dispatched
//! before the host's template was marked as outdated is still extracted with the old template.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use gleaner_store::{HostRecord, StoreError, Writer};

const MOST: usize = 100;

/// A command for one host. The name of the host includes a port other than the default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Stop requests to the host until [`Command::Resume`], even across restarts.
    Pause(String),
    /// Allow requests to the host again.
    Resume(String),
    /// Treat the host's template as out of date, and buffer pages from which its next version is learned.
    LearnAgain(String),
}

impl Command {
    /// Returns the host's name.
    #[must_use]
    pub fn host(&self) -> &str {
        match self {
            Self::Pause(host) | Self::Resume(host) | Self::LearnAgain(host) => host,
        }
    }

    fn applied(&self, host: HostRecord) -> HostRecord {
        match self {
            Self::Pause(_) => HostRecord { paused: true, ..host },
            Self::Resume(_) => HostRecord { paused: false, ..host },
            // A host without a template always buffers pages.
            Self::LearnAgain(_) => HostRecord { outdated: host.template > 0, ..host },
        }
    }
}

/// A queue of commands for a crawl. Clones share one queue.
#[derive(Debug, Clone, Default)]
pub struct Control(Arc<Mutex<VecDeque<Command>>>);

impl Control {
    /// Queues a command. Returns `false` and drops the command if the queue is full.
    #[must_use]
    pub fn request(&self, command: Command) -> bool {
        // No code panics while it holds this lock.
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let has_room = waiting.len() < MOST;
        if has_room {
            waiting.push_back(command);
        }
        has_room
    }

    pub(crate) fn taken(&self) -> VecDeque<Command> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Writes a command to the store and flushes the store. Returns `false` if the host is unknown.
///
/// # Errors
/// The store cannot be read or written.
pub fn follow(writer: &mut Writer, command: &Command) -> Result<bool, StoreError> {
    let Some(known) = writer.store().host(command.host())? else { return Ok(false) };
    let mut change = writer.begin();
    change.put_host(&command.applied(known));
    writer.commit(change)?;
    writer.flush()?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_come_in_their_order_and_no_more_than_there_is_room_for() {
        let control = Control::default();
        let command = |number: usize| Command::Pause(number.to_string());
        for number in 0..MOST {
            assert!(control.clone().request(command(number)));
        }
        assert!(!control.request(command(MOST)));
        assert!(control.taken().into_iter().eq((0..MOST).map(command)));
        assert!(control.taken().is_empty() && control.request(command(0)));
    }

    #[test]
    fn a_store_that_nobody_crawls_into_is_written_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let options = gleaner_store::StoreOptions { cache: 1 << 20, create: true };
        let mut writer = gleaner_store::open(folder.path(), &options).unwrap();
        let mut change = writer.begin();
        let host = change.host("a.example", "a.example").unwrap();
        change.put_host(&HostRecord { template: 2, ..host });
        writer.commit(change).unwrap();
        let name = || "a.example".to_owned();
        let mut state = |command| {
            assert!(follow(&mut writer, &command).unwrap());
            let host = writer.store().host("a.example").unwrap().unwrap();
            (host.paused, host.outdated)
        };
        assert_eq!(state(Command::Pause(name())), (true, false));
        assert_eq!(state(Command::LearnAgain(name())), (true, true));
        assert_eq!(state(Command::Resume(name())), (false, true));
        assert!(!follow(&mut writer, &Command::Pause("b.example".into())).unwrap());
    }
}
