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
//! | `RobotsWanted` | a host whose robots.txt redirects there | the part of the redirect's target | it waits until the target was asked; back comes `RobotsFound` |
//! | `RobotsFound` | the target of such a redirect | the part of the robots.txt that redirects | its rules are what the target answered |
//!
//! Every message may find that what it is about has changed. Each looks first, and one that
//! is out of date does nothing.
//!
//! A request to a site is made by the crawl, not here. So what concerns a robots.txt is handed out
//! by [`Change::receive`]. `RobotsWanted` stays until it is answered, so that the next owner of
//! the part answers it if this one dies, and no run ends before.

use gleaner_corpus::{Document, DocumentId};
use gleaner_dedup::{Keys, Number};
use gleaner_frontier::{CanonicalUrl, Found, Role, UrlKey};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::clusters::{Kept, Standing, url_of};
use crate::engine::Range;
use crate::near::Duplicates;
use crate::packed::unpack;
use crate::parts::Part;
use crate::records::{decode, document_of, encode};
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
    RobotsWanted {
        origin: String,
        url: String,
        hops: u32,
    },
    RobotsFound {
        origin: String,
        #[serde(with = "serde_bytes")]
        record: Vec<u8>,
    },
}

/// A robots.txt that redirects to a host of this process's parts: what is there is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsWanted {
    /// Where the message lies.
    key: Vec<u8>,
    part: Part,
    /// The URL of the robots.txt that redirects.
    pub origin: String,
    /// Where it redirects to.
    pub url: String,
    /// Redirects up to there, from 1.
    pub hops: u32,
}

/// What was found where a robots.txt redirects to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsFound {
    /// The URL of the robots.txt that redirects, which is of this process's parts.
    pub origin: String,
    record: Vec<u8>,
}

impl RobotsFound {
    /// What it means for the host.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn record<T: DeserializeOwned>(&self) -> Result<T, StoreError> {
        decode("a robots.txt", &self.record)
    }
}

/// What came of messages.
#[derive(Debug, Default)]
pub struct Received {
    /// Messages that are done by the change.
    pub done: usize,
    /// Those that wait for an answer, each time until [`Change::answer_robots`].
    pub wanted: Vec<RobotsWanted>,
    /// Those that are for the crawl; they count as done.
    pub found: Vec<RobotsFound>,
}

impl Message {
    pub(crate) fn found(found: &Found, depth: u32, hops: u32, turn: Turn) -> Self {
        let Found { url, role, dated, news } = found;
        let (role, dated, news, url) = (*role, *dated, *news, url.as_str().to_owned());
        Self::Found { url, role, dated, news, depth, hops, rank: turn.rank, fresh: turn.fresh }
    }
}

impl Change {
    /// Sends a message from one part to another.
    pub(crate) fn send(&mut self, from: Part, to: Part, message: &Message) {
        let id = self.store.parts.next_message();
        self.put(from, keys::message(to, id), message);
    }

    /// Sends a message that is of no part.
    pub(crate) fn send_from_all(&mut self, to: Part, message: &Message) {
        let id = self.store.parts.next_message();
        self.put_common(keys::message(to, id), message);
    }

    /// The robots.txt at `origin` redirects to `url` after so many hops, which another part is to ask.
    pub fn want_robots(&mut self, origin: &CanonicalUrl, url: &CanonicalUrl, hops: u32) {
        let (from, to) = (self.store.parts.of_url(origin), self.store.parts.of_url(url));
        let (origin, url) = (origin.as_str().into(), url.as_str().into());
        self.send(from, to, &Message::RobotsWanted { origin, url, hops });
    }

    /// Answers a robots.txt that was wanted.
    pub fn answer_robots<T: Serialize>(&mut self, wanted: &RobotsWanted, record: &T) {
        self.drop_wanted(wanted);
        let Ok(origin) = CanonicalUrl::parse(&wanted.origin) else { return };
        let to = self.store.parts.of_url(&origin);
        let (origin, record) = (wanted.origin.clone(), encode(record));
        self.send(wanted.part, to, &Message::RobotsFound { origin, record });
    }

    /// Leaves a robots.txt that was wanted without an answer: it will be wanted again.
    pub fn drop_wanted(&mut self, wanted: &RobotsWanted) {
        self.remove(wanted.part, wanted.key.clone());
    }

    /// Does what other parts ask of this process's parts, `limit` messages at most.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn receive(&mut self, limit: usize, duplicates: &mut Duplicates) -> Result<Received, StoreError> {
        let mut received = Received::default();
        if !self.store.parts.is_cut() {
            return Ok(received);
        }
        let parts = self.store.parts.held();
        let prefixes: Vec<Vec<u8>> = parts.iter().copied().map(keys::messages_to).collect();
        let firsts = self.store.engine.firsts(&prefixes)?;
        let waiting = prefixes.iter().zip(&parts).zip(firsts).filter(|(_, first)| first.is_some());
        for ((prefix, part), _) in waiting {
            for pair in self.store.engine.scan(Range::with_prefix(prefix.as_slice())) {
                if received.done >= limit {
                    return Ok(received);
                }
                let (key, value) = pair?;
                match decode("a message", &value)? {
                    Message::RobotsWanted { origin, url, hops } => {
                        received.wanted.push(RobotsWanted { key, part: *part, origin, url, hops });
                        continue;
                    }
                    Message::RobotsFound { origin, record } => {
                        received.found.push(RobotsFound { origin, record });
                    }
                    message => self.heed(*part, message, duplicates)?,
                }
                self.remove(*part, key);
                received.done += 1;
            }
        }
        Ok(received)
    }

    /// Does what one message asks of a part.
    fn heed(&mut self, part: Part, message: Message, duplicates: &mut Duplicates) -> Result<(), StoreError> {
        match message {
            Message::Found { url, role, dated, news, depth, hops, rank, fresh } => {
                let Ok(url) = CanonicalUrl::parse(&url) else { return Ok(()) };
                self.discover(&Found { url, role, dated, news }, depth, hops, Turn { rank, fresh }).map(drop)
            }
            Message::Alias { of, url, packed } => self.heed_alias(part, of, url, packed),
            Message::NoAlias { of, url } => {
                self.remove(part, keys::alias(of, url));
                Ok(())
            }
            Message::Place { url, was, packed } => self.heed_place(url, was, &packed, duplicates),
            Message::Join { of, number, kept } => self.heed_join(part, of, number, kept),
            Message::Leave { cluster, number } => self.leave_cluster(cluster, number, duplicates),
            Message::Promote { number, kept } => self.heed_promotion(part, number, kept, duplicates),
            // Handed out by `receive`.
            Message::RobotsWanted { .. } | Message::RobotsFound { .. } => Ok(()),
            Message::Alone { number, kept } => {
                if self.standing(kept.id)? != Some(Standing { number, cluster: kept.cluster }) {
                    return Ok(());
                }
                let (id, signature) = (kept.id, kept.signature());
                let Some(signature) = signature else { return Ok(()) };
                let outcome =
                    self.stand_alone(number, kept, &Keys::from_signature(&signature), duplicates)?.into();
                self.reattribute(url_of(id), outcome)
            }
        }
    }

    /// A URL carries a document's text. Without the document, the text is the URL's own.
    fn heed_alias(
        &mut self,
        part: Part,
        of: DocumentId,
        url: UrlKey,
        packed: Vec<u8>,
    ) -> Result<(), StoreError> {
        let document = unpack(&packed)?;
        let leads_to: Option<DocumentId> =
            self.get("a content hash", &keys::content(&document.content_hash))?;
        if leads_to == Some(of) {
            self.put_bytes(part, keys::alias(of, url), document.url.into_bytes());
        } else if let Some(there) = self.part_of_url(url)? {
            self.send(part, there, &Message::Place { url, was: of, packed });
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
        let outcome = self.place(url, PackedDocument::from_document(document), duplicates)?.into();
        self.reattribute(url, outcome)
    }

    fn heed_join(&mut self, part: Part, of: Number, number: Number, kept: Kept) -> Result<(), StoreError> {
        let standing = Some(Standing { number, cluster: kept.cluster });
        if self.standing(kept.id)? != standing {
            return Ok(());
        }
        let head = self.head(of)?.filter(|head| head.cluster == kept.cluster);
        if head.is_none() && self.cluster(kept.cluster)?.is_none() {
            if let Some(there) = self.part_of_url(url_of(kept.id))? {
                self.send(part, there, &Message::Alone { number, kept });
            }
            return Ok(());
        }
        self.add_member(of, number, &kept)
    }

    fn heed_promotion(
        &mut self,
        part: Part,
        number: Number,
        kept: Kept,
        duplicates: &mut Duplicates,
    ) -> Result<(), StoreError> {
        if self.standing(kept.id)? != Some(Standing { number, cluster: kept.cluster }) {
            let there = self.store.parts.of_number(kept.cluster);
            self.send(part, there, &Message::Leave { cluster: kept.cluster, number });
            return Ok(());
        }
        self.promote_member(number, &kept, duplicates)
    }
}
