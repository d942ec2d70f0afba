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
use crate::{StoreError, keys};

impl Postgres {
    /// Makes the storage this corpus's, if it is nobody's yet. It may be another one than before
    /// if no other worker is there, and if it has the mark (the files were moved) or there are no
    /// files yet (the address was mistyped).
    ///
    /// # Errors
    /// The storage cannot be written, has the files of another corpus, or this corpus's files
    /// are elsewhere.
    pub(crate) fn claim_objects(&self, session: &str, life: f64) -> Result<(), StoreError> {
        self.objects().check()?;
        let is_marked = self.0.shelf.check(&self.corpus()?)?;
        let address = self.objects().address().to_owned();
        let (claimed, is_empty) = self.0.reading.ask("claiming the storage", |client| {
            let (address, session) = (address.clone(), session.to_owned());
            Box::pin(async move {
                let (from, to) = (vec![keys::FILE], vec![keys::FILE + 1]);
                let sql = "SELECT NOT EXISTS (SELECT 1 FROM documents WHERE key >= $1 AND key < $2)";
                let is_empty: bool = client.query_one(sql, &[&from, &to]).await?.get(0);
                let may_change = is_marked || is_empty;
                let sql = "UPDATE corpus SET objects = $1 WHERE objects IS NULL OR objects = $1 OR ($2 AND NOT EXISTS \
                           (SELECT 1 FROM workers WHERE session <> $3 AND seen > now() - make_interval(secs => $4)))";
                client.execute(sql, &[&address, &may_change, &session, &life]).await?;
                let row = client.query_one("SELECT objects FROM corpus", &[]).await?;
                Ok((row.get::<_, Option<String>>(0).unwrap_or_default(), is_empty))
            })
        })?;
        match (claimed == address, is_marked || is_empty) {
            (true, true) if is_marked => Ok(()),
            (true, true) => self.0.shelf.mark(&self.corpus()?),
            (false, _) => Err(self.not_its_storage(format!(
                "its files are in {claimed}; all workers name it by the same words, and a folder has to be mounted"
            ))),
            (true, false) => Err(self.not_its_storage(
                "it lacks the object `corpus`, which says whose its files are; a folder has to be mounted, and where \
                 files were moved that one goes with them"
                    .into(),
            )),
        }
    }

    /// Refuses storage that is not marked as this corpus's.
    pub(crate) fn check_objects(&self) -> Result<(), StoreError> {
        match self.0.shelf.check(&self.corpus()?)? {
            true => Ok(()),
            false => {
                Err(self
                    .not_its_storage("it lacks the object `corpus`, which says whose its files are".into()))
            }
        }
    }

    /// The error of a file that could not be read, or a clearer one: it is the wrong storage.
    pub(crate) fn explained(&self, error: StoreError) -> StoreError {
        self.0.shelf.check_whose(&error, || self.corpus()).err().unwrap_or(error)
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
