//! Reads a shard once, and stores the hashes, signatures and texts of its documents.
//!
//! Limitation: texts are stored again, each compressed separately, because similar texts are later read
//! in a different order from that of the shards.

use std::path::Path;

use gleaner_corpus::dedup::{Signature, Tokens};
use gleaner_corpus::{ContentHash, words};

use crate::global::GlobalError;
use crate::global::columns::ColumnsWriter;
use crate::global::part::Part;
use crate::global::table::{Entry, LAST, Out, Signing, TableWriter};
use crate::reading::{self, Article};

pub(crate) fn sign(path: &Path, part: &Part) -> Result<Signing, GlobalError> {
    let mut signer = Signer {
        table: TableWriter::begin(part)?,
        columns: ColumnsWriter::new(Out::create(part.path("columns"))?),
        signing: Signing::default(),
    };
    reading::each(path, |line, article| match article {
        Ok(article) => signer.add(line, &article),
        Err(reason) => {
            signer.damaged(line, reason);
            Ok(())
        }
    })?;
    let Signer { table, columns, signing } = signer;
    if let (0, Some((line, reason))) = (signing.documents, &signing.first_damaged) {
        let (lines, line, reason) = (signing.damaged, *line, reason.clone());
        return Err(GlobalError::NoDocument { path: path.into(), lines, line, reason });
    }
    table.finish()?;
    columns.finish()?;
    Ok(signing)
}

struct Signer {
    table: TableWriter,
    columns: ColumnsWriter,
    signing: Signing,
}

impl Signer {
    fn add(&mut self, line: u64, article: &Article) -> Result<(), GlobalError> {
        let place = u32::try_from(self.signing.documents).map_err(|_| GlobalError::TooMany)?;
        let signature = Signature::from_tokens(&Tokens::from_text(&article.text));
        let hash = ContentHash::from_text(&article.text);
        let (hash, signature) = (hash.as_bytes(), signature.as_ref());
        let entry = Entry { line, article, words: words(&article.text), hash, signature };
        if !self.table.add(&entry)? {
            self.damaged(line, "its id is longer than 64 KiB".into());
            return Ok(());
        }
        self.signing.documents += 1;
        if let Some(signature) = signature {
            self.columns.add(place, article.fetched.unwrap_or(LAST), signature)?;
            self.signing.signed += 1;
        }
        Ok(())
    }

    fn damaged(&mut self, line: u64, reason: String) {
        self.signing.damaged += 1;
        self.signing.first_damaged.get_or_insert((line, reason));
    }
}
