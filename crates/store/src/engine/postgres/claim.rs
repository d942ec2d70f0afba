//! Whose object storage is it?
//!
//! A corpus has one storage: the database has its address (table `corpus`), and the storage
//! has an object that names the corpus, its mark. A worker with another address would put
//! texts where nobody looks for them, so it is refused; a folder that is not mounted is empty
//! and has no mark.
//!
//! A worker registers before it claims. So of two that come first with different addresses,
//! one finds the other there.

use super::Postgres;
use super::objects::NAME;
use crate::engine::{Engine, Range};
use crate::files::FileRecord;
use crate::records::decode;
use crate::{StoreError, keys};

impl Postgres {
    /// Makes the storage this corpus's, if it is nobody's yet. It may be another one than before
    /// if no other worker is there, and if it has the mark and the newest files (they were moved)
    /// or there are no files yet (the address was mistyped).
    ///
    /// # Errors
    /// The storage cannot be written, has the files of another corpus, or this corpus's files
    /// are elsewhere.
    pub(crate) fn claim_objects(&self, session: &str, life: f64) -> Result<(), StoreError> {
        self.objects().check()?;
        let corpus = self.corpus()?;
        let is_marked = self.0.shelf.check(&corpus)?;
        let newest = self.newest_files()?;
        let may_change = newest.is_empty() || (is_marked && self.has(&newest)?);
        let claimed = self.claimed(may_change, session, life)?;
        if claimed != self.objects().address() {
            return Err(self.not_its_storage(format!(
                "its files are in {claimed}; all workers name it by the same words, and a folder has to be mounted"
            )));
        }
        if !is_marked && !newest.is_empty() {
            return Err(self.not_marked(&corpus));
        }
        if !is_marked {
            self.0.shelf.mark(&corpus)?;
        }
        self.objects().is_away_without(NAME);
        Ok(())
    }

    /// Writes the address down if it is the one that is there, or may take its place and no
    /// other worker is there. Gives the one that is there now.
    fn claimed(&self, may_change: bool, session: &str, life: f64) -> Result<String, StoreError> {
        let address = self.objects().address().to_owned();
        self.0.reading.ask("claiming the storage", |client| {
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

    /// Names of the last file of each kind that counts.
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

    /// Whether the storage has these files: an old copy lacks the newest, and so does one that
    /// was named by mistake once.
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

    /// Refuses storage that is not marked as this corpus's.
    pub(crate) fn check_objects(&self) -> Result<(), StoreError> {
        let corpus = self.corpus()?;
        match self.0.shelf.check(&corpus)? {
            true => Ok(()),
            false => Err(self.not_marked(&corpus)),
        }
    }

    /// The error of a file that could not be read, or a clearer one: it is the wrong storage.
    pub(crate) fn explained(&self, error: StoreError) -> StoreError {
        self.0.shelf.check_whose(&error, || self.corpus()).err().unwrap_or(error)
    }

    fn not_marked(&self, corpus: &str) -> StoreError {
        self.not_its_storage(format!(
            "it lacks the object `{NAME}`, which says whose its files are; a folder has to be mounted, and where files \
             were moved that one goes with them (it was lost? its content is {corpus})"
        ))
    }

    fn not_its_storage(&self, why: String) -> StoreError {
        StoreError::NotItsStorage { objects: self.objects().address().to_owned(), why }
    }

    /// The name by which the storage knows this corpus.
    pub(super) fn corpus(&self) -> Result<String, StoreError> {
        self.0.reading.ask("reading the name of the corpus", |client| {
            Box::pin(async move { Ok(client.query_one("SELECT name FROM corpus", &[]).await?.get(0)) })
        })
    }
}
