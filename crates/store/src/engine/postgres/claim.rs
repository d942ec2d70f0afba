//! Ensures that a corpus and its object storage belong together.
//!
//! A corpus has one storage. The database records the storage's address (table `corpus`), and the storage
//! contains a mark, an object that names the corpus. A worker with a different address is refused, because
//! other workers would not find the texts that this worker stores. A folder that is not mounted has no mark,
//! so it is refused if the corpus already has files.
//!
//! A worker registers before it claims the storage. If the first two workers start with different addresses
//! at the same time, at least one of them detects the other.

use super::Postgres;
use super::objects::NAME;
use crate::engine::{Engine, Range};
use crate::files::FileRecord;
use crate::records::decode;
use crate::{StoreError, keys};

impl Postgres {
    /// Claims the storage for this corpus, unless another corpus has it. The recorded address may change only
    /// if no other worker is running. In addition, the new storage must have the mark and the newest files,
    /// because the files were moved. This condition does not apply if the corpus has no files yet.
    ///
    /// # Errors
    /// The storage cannot be written or has the files of another corpus, or the files of this corpus are in
    /// another storage.
    pub(crate) fn claim_objects(&self, session: &str, life: f64) -> Result<(), StoreError> {
        self.objects().check()?;
        let corpus = self.corpus()?;
        let is_marked = self.0.texts.check(&corpus)?;
        let newest = self.newest_files()?;
        let may_change = newest.is_empty() || (is_marked && self.has(&newest)?);
        let claimed = self.claimed(may_change, session, life)?;
        if claimed != self.objects().address() {
            return Err(self.not_its_storage(format!(
                "its files are in {claimed}; all workers must use the same address, and a folder must be mounted"
            )));
        }
        if !is_marked && !newest.is_empty() {
            return Err(self.not_marked(&corpus));
        }
        if !is_marked {
            self.0.texts.mark(&corpus)?;
        }
        self.objects().require_object(NAME);
        Ok(())
    }

    /// Writes the storage's address if no address is recorded, or if `may_change` is true and no other worker
    /// is running. Returns the recorded address.
    fn claimed(&self, may_change: bool, session: &str, life: f64) -> Result<String, StoreError> {
        let address = self.objects().address().to_owned();
        self.0.reading.run("claiming the storage", |client| {
            let (address, session) = (address.clone(), session.to_owned());
            Box::pin(async move {
                let sql = "UPDATE corpus SET objects = $1 WHERE objects IS NULL OR objects = $1 OR ($2 AND NOT EXISTS \
                           (SELECT 1 FROM workers WHERE session <> $3 AND seen > now() - make_interval(secs => $4)))";
                client.execute(sql, &[&address, &may_change, &session, &life]).await?;
                let row = client.query_one("SELECT objects FROM corpus", &[]).await?;
                Ok(row.get::<_, Option<String>>(0).unwrap_or_default())
            })
        })
    }

    fn newest_files(&self) -> Result<Vec<String>, StoreError> {
        let mut names = Vec::new();
        for kind in [keys::ARCHIVE_FILE, keys::DOCUMENTS_FILE] {
            let last = self.scan(Range::with_prefix(keys::files_of(kind)).backwards()).next().transpose()?;
            if let Some((_, record)) = last {
                names.push(decode::<FileRecord>("a file", &record)?.name);
            }
        }
        Ok(names)
    }

    /// Whether the storage has these files. Neither an old copy of the storage nor a storage that was used by
    /// mistake has the newest files.
    fn has(&self, names: &[String]) -> Result<bool, StoreError> {
        for name in names {
            match self.objects().get_range(name, 0, 1) {
                Ok(_) => {}
                Err(error) if error.is_missing() => return Ok(false),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(true)
    }

    /// Refuses storage whose mark does not name this corpus.
    pub(crate) fn check_objects(&self) -> Result<(), StoreError> {
        let corpus = self.corpus()?;
        match self.0.texts.check(&corpus)? {
            true => Ok(()),
            false => Err(self.not_marked(&corpus)),
        }
    }

    /// Returns a clearer error if `error` reports a missing file and the storage is wrong. Otherwise returns
    /// `error` unchanged.
    pub(crate) fn explained(&self, error: StoreError) -> StoreError {
        self.0.texts.check_owner(&error, || self.corpus()).err().unwrap_or(error)
    }

    fn not_marked(&self, corpus: &str) -> StoreError {
        self.not_its_storage(format!(
            "it lacks the object `{NAME}`, which names its corpus; a folder must be mounted, and if files were moved, \
             this object must be moved, too (if it was lost: its content is {corpus})"
        ))
    }

    fn not_its_storage(&self, why: String) -> StoreError {
        StoreError::NotItsStorage { objects: self.objects().address().to_owned(), why }
    }

    pub(super) fn corpus(&self) -> Result<String, StoreError> {
        self.0.reading.run("reading the name of the corpus", |client| {
            Box::pin(async move { Ok(client.query_one("SELECT name FROM corpus", &[]).await?.get(0)) })
        })
    }
}
