//! What one part of a cut store tells another.
//!
//! A process writes the records of its own parts only. What must change elsewhere is sent
//! there: a message is a record among those of the part that it is for, written in the
//! change that is its reason, and taken out in the change that it leads to. So it is sent
//! if its reason is there, and it is done once. Messages of one sender are met in the order
//! in which they were sent.
//!
//! | message | from | to | there |
//! |---|---|---|---|
//! | `Found` | a page | a URL's part | the URL enters the frontier, if it is new |
//! | `Alias`, `NoAlias` | a URL with a text that is stored elsewhere | the document's part | the URL is one of the document's, or no more; back comes `Place` if the document is gone |
//! | `Place` | a document that went | the part of a URL that carried its text | the text is stored under that URL, or is another's duplicate |
//! | `Join`, `Leave` | a member | its cluster's part | it is counted among the members, or no more; back comes `Alone` if there is no such cluster |
//! | `Promote` | a cluster that lost its head | the part of the member that is preferred | the member is the head |
//! | `Alone` | a part without the cluster | the member's part | the member stands for itself |
//!
//! Every message may find that what it is about has changed. Each looks first, and one that
//! is out of date does nothing.

use gleaner_corpus::{Document, DocumentId};
use gleaner_dedup::{Keys, Number};
use gleaner_frontier::{CanonicalUrl, Found, Role, UrlKey};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::clusters::{Kept, Standing, url_of};
use crate::engine::Range;
use crate::near::Duplicates;
use crate::packed::unpack;
use crate::parts::Part;
use crate::records::{decode, document_of};
use crate::{Change, PackedDocument, StoreError, Turn, keys};

/// See the head of this file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Message {
    Found {
        url: String,
        role: Role,
        dated: Option<Timestamp>,
        news: bool,
        depth: u32,
        hops: u32,
        rank: u8,
        fresh: Option<Timestamp>,
    },
    Alias {
        of: DocumentId,
        url: UrlKey,
        #[serde(with = "serde_bytes")]
        packed: Vec<u8>,
    },
    NoAlias {
        of: DocumentId,
        url: UrlKey,
    },
    Place {
        url: UrlKey,
        was: DocumentId,
        #[serde(with = "serde_bytes")]
        packed: Vec<u8>,
    },
    Join {
        of: Number,
        number: Number,
        kept: Kept,
    },
    Leave {
        cluster: u32,
        number: Number,
    },
    Promote {
        number: Number,
        kept: Kept,
    },
    Alone {
        number: Number,
        kept: Kept,
    },
}

impl Message {
    pub(crate) fn found(found: &Found, depth: u32, hops: u32, turn: Turn) -> Self {
        let Found { url, role, dated, news } = found;
        let (role, dated, news, url) = (*role, *dated, *news, url.as_str().to_owned());
        Self::Found { url, role, dated, news, depth, hops, rank: turn.rank, fresh: turn.fresh }
    }
}

impl Change {
    /// Sends a message to a part.
    pub(crate) fn send(&mut self, to: Part, message: &Message) {
        let id = self.store.parts.next_message();
        self.put(keys::message(to, id), message);
    }

    /// Does what other parts ask of this process's parts, `limit` messages at most. Gives how many
    /// there were.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn receive(&mut self, limit: usize, duplicates: &mut Duplicates) -> Result<usize, StoreError> {
        if !self.store.parts.is_cut() {
            return Ok(0);
        }
        let prefixes: Vec<Vec<u8>> = self.store.parts.held().into_iter().map(keys::messages_to).collect();
        let firsts = self.store.engine.firsts(&prefixes)?;
        let mut received = 0;
        for (prefix, _) in prefixes.into_iter().zip(firsts).filter(|(_, first)| first.is_some()) {
            for pair in self.store.engine.scan(Range::of(prefix)).take(limit - received) {
                let (key, value) = pair?;
                self.heed(decode("a message", &value)?, duplicates)?;
                self.remove(key);
                received += 1;
            }
        }
        Ok(received)
    }

    fn heed(&mut self, message: Message, duplicates: &mut Duplicates) -> Result<(), StoreError> {
        match message {
            Message::Found { url, role, dated, news, depth, hops, rank, fresh } => {
                let Ok(url) = CanonicalUrl::parse(&url) else { return Ok(()) };
                self.discover(&Found { url, role, dated, news }, depth, hops, Turn { rank, fresh }).map(drop)
            }
            Message::Alias { of, url, packed } => self.heed_alias(of, url, packed),
            Message::NoAlias { of, url } => {
                self.remove(keys::alias(of, url));
                Ok(())
            }
            Message::Place { url, was, packed } => self.heed_place(url, was, &packed, duplicates),
            Message::Join { of, number, kept } => self.heed_join(of, number, kept),
            Message::Leave { cluster, number } => self.leave_cluster(cluster, number, duplicates),
            Message::Promote { number, kept } => self.heed_promotion(number, kept, duplicates),
            Message::Alone { number, kept } => {
                if self.standing(kept.id)? != Some(Standing { number, cluster: kept.cluster }) {
                    return Ok(());
                }
                let (id, signature) = (kept.id, kept.signature());
                let Some(signature) = signature else { return Ok(()) };
                let outcome = self.stand_alone(number, kept, &Keys::of(&signature), duplicates)?.into();
                self.reattribute(url_of(id), outcome)
            }
        }
    }

    /// A URL carries a document's text. Without the document, the text is the URL's own.
    fn heed_alias(&mut self, of: DocumentId, url: UrlKey, packed: Vec<u8>) -> Result<(), StoreError> {
        let document = unpack(&packed)?;
        let leads_to: Option<DocumentId> =
            self.get("a content hash", &keys::content(&document.content_hash))?;
        if leads_to == Some(of) {
            self.put_bytes(keys::alias(of, url), document.url.into_bytes());
        } else if let Some(part) = self.part_of_url(url)? {
            self.send(part, &Message::Place { url, was: of, packed });
        }
        Ok(())
    }

    /// A text whose document went is stored under another URL that carried it.
    fn heed_place(
        &mut self,
        url: UrlKey,
        was: DocumentId,
        packed: &[u8],
        duplicates: &mut Duplicates,
    ) -> Result<(), StoreError> {
        let Some(record) = self.url(url)? else { return Ok(()) };
        if record.twin_of.map(document_of) != Some(was) {
            return Ok(());
        }
        self.end_alias(url)?;
        let host = CanonicalUrl::parse(&record.url).map(|url| url.host().to_owned()).unwrap_or_default();
        let document = Document { id: document_of(url), url: record.url, host, ..unpack(packed)? };
        let outcome = self.place(url, PackedDocument::of(document), duplicates)?.into();
        self.reattribute(url, outcome)
    }

    fn heed_join(&mut self, of: Number, number: Number, kept: Kept) -> Result<(), StoreError> {
        let standing = Some(Standing { number, cluster: kept.cluster });
        if self.standing(kept.id)? != standing {
            return Ok(());
        }
        let head = self.head(of)?.filter(|head| head.cluster == kept.cluster);
        if head.is_none() && self.cluster(kept.cluster)?.is_none() {
            if let Some(part) = self.part_of_url(url_of(kept.id))? {
                self.send(part, &Message::Alone { number, kept });
            }
            return Ok(());
        }
        self.add_member(of, number, &kept)
    }

    fn heed_promotion(
        &mut self,
        number: Number,
        kept: Kept,
        duplicates: &mut Duplicates,
    ) -> Result<(), StoreError> {
        if self.standing(kept.id)? != Some(Standing { number, cluster: kept.cluster }) {
            let part = self.store.parts.of_number(kept.cluster);
            self.send(part, &Message::Leave { cluster: kept.cluster, number });
            return Ok(());
        }
        self.promote_member(number, &kept, duplicates)
    }
}
