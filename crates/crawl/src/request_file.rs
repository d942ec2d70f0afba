//! Passes a request to the process that has the data folder open, and its answer back, as files in the folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The files of one kind of request: `NAME.request` and `NAME.answer`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestFile {
    pub(crate) name: &'static str,
}

impl RequestFile {
    fn path(self, data: &Path, ending: &str) -> PathBuf {
        data.join(format!("{}.{ending}", self.name))
    }

    fn put(self, data: &Path, ending: &str, content: &[u8]) -> io::Result<()> {
        let part = self.path(data, "part");
        fs::write(&part, content).and_then(|()| fs::rename(&part, self.path(data, ending)))
    }

    /// Leaves a request. Removes the answer to an earlier one.
    pub(crate) fn send(self, data: &Path, content: &[u8]) -> io::Result<()> {
        let _ = fs::remove_file(self.path(data, "answer"));
        self.put(data, "request", content)
    }

    /// Withdraws the request if no process has handled it.
    pub(crate) fn withdraw(self, data: &Path) {
        let _ = fs::remove_file(self.path(data, "request"));
    }

    pub(crate) fn is_pending(self, data: &Path) -> bool {
        self.path(data, "request").exists()
    }

    /// Reads and removes the request.
    pub(crate) fn take(self, data: &Path) -> Option<String> {
        let content = fs::read_to_string(self.path(data, "request")).ok()?;
        self.withdraw(data);
        Some(content)
    }

    pub(crate) fn leave_answer(self, data: &Path, content: &str) -> io::Result<()> {
        self.put(data, "answer", content.as_bytes())
    }

    /// Reads and removes the answer. Returns `None` if the request has no answer yet.
    pub(crate) fn answer(self, data: &Path) -> Option<String> {
        let path = self.path(data, "answer");
        let content = fs::read_to_string(&path).ok()?;
        let _ = fs::remove_file(path);
        Some(content)
    }
}
