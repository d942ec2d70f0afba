//! Sends messages between the partitions of a shared store.
//!
//! A process writes only records of its own partitions. To change a record of another partition, it sends a
//! message, which is a record of the receiving partition. The change that causes the message writes it, and
//! the change that applies the message removes it. Therefore a message exists if and only if its cause is
//! stored, and each message is applied exactly once. Messages from one sender arrive in the order in which
//! they were sent.
//!
//! * `Found` goes from a page's partition to a URL's partition. If the URL is new, it is added to the
//!   frontier.
//! * `Alias` and `NoAlias` go from a URL's partition to the partition of the document that has the URL's
//!   text. The URL becomes an alias of the document, or stops being an alias. If the document does not exist,
//!   the answer to `Alias` is `Place`.
//! * `Place` goes from the partition of a removed document to the partition of a URL with the same text. The
//!   text is stored under that URL, or the URL becomes an alias of another document.
//! * `RobotsWanted` goes to the partition of a host to which another host's robots.txt redirects. The crawl
//!   requests the target of the redirect. The answer is `RobotsFound`.
//! * `RobotsFound` goes back to the partition of the robots.txt that redirects. Its host gets the target's
//!   rules.
//!
//! The records to which a message refers may have changed since it was sent. Therefore each message is
//! checked before it is applied, and an outdated message has no effect.
//!
//! Only the crawl sends requests to sites, so [`Change::receive`] returns the messages about robots.txt to
//! the crawl. `RobotsWanted` stays in the store until it is answered. Therefore the next owner of the
//! partition can answer it, and no run ends before the answer.

use gleaner_corpus::{Document, DocumentId};
use gleaner_frontier::{CanonicalUrl, FoundUrl, Role, UrlKey};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::clusters::url_of;
use crate::engine::Range;
use crate::packed::unpack;
use crate::partitions::Partition;
use crate::records::{decode, document_id, encode};
use crate::{Change, PackedDocument, QueuePosition, StoreError, Writer, keys};

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

/// A request for the target of a robots.txt redirect. This process owns the target's partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsQuery {
    key: Vec<u8>,
    partition: Partition,
    /// The URL of the robots.txt that redirects.
    pub origin: String,
    /// The target of the redirect.
    pub url: String,
    /// Number of redirects up to the target, at least 1.
    pub hops: u32,
}

/// The answer to [`RobotsQuery`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsReply {
    /// The URL of the robots.txt that redirects. This process owns the URL's partition.
    pub origin: String,
    record: Vec<u8>,
}

impl RobotsReply {
    /// Returns the robots.txt record for the host that redirects.
    ///
    /// # Errors
    /// The record cannot be decoded.
    pub fn record<T: DeserializeOwned>(&self) -> Result<T, StoreError> {
        decode("a robots.txt", &self.record)
    }
}

/// The result of [`Change::receive`].
#[derive(Debug, Default)]
pub struct ReceivedMessages {
    /// Number of processed messages. The change removes them from the store.
    pub done: usize,
    /// Requests that need an answer. Every call returns them until [`Change::answer_robots`] answers them.
    pub wanted: Vec<RobotsQuery>,
    /// Answers for the crawl. `done` includes them.
    pub found: Vec<RobotsReply>,
}

impl Message {
    pub(crate) fn found(found: &FoundUrl, depth: u32, hops: u32, position: QueuePosition) -> Self {
        let FoundUrl { url, role, dated, news } = found;
        let (role, dated, news, url) = (*role, *dated, *news, url.as_str().to_owned());
        Self::Found { url, role, dated, news, depth, hops, rank: position.rank, fresh: position.fresh }
    }
}

impl Change {
    pub(crate) fn send(&mut self, from: Partition, to: Partition, message: &Message) {
        self.note_sender(from);
        self.send_from_all(to, message);
    }

    /// Sends a message that depends on all partitions of this process.
    pub(crate) fn send_from_all(&mut self, to: Partition, message: &Message) {
        let id = self.store.partitions.next_message();
        self.put(keys::message(to, id), message);
    }

    /// Requests a robots.txt in another partition. `url` is the URL of that robots.txt. The robots.txt at
    /// `origin` led to it in `hops` redirects.
    pub fn send_robots_query(&mut self, origin: &CanonicalUrl, url: &CanonicalUrl, hops: u32) {
        let (from, to) = (self.store.partitions.of_url(origin), self.store.partitions.of_url(url));
        let (origin, url) = (origin.as_str().into(), url.as_str().into());
        self.send(from, to, &Message::RobotsWanted { origin, url, hops });
    }

    /// Sends the record of a requested robots.txt to the requesting partition.
    pub fn answer_robots<T: Serialize>(&mut self, wanted: &RobotsQuery, record: &T) {
        self.drop_robots_query(wanted);
        let Ok(origin) = CanonicalUrl::parse(&wanted.origin) else { return };
        let to = self.store.partitions.of_url(&origin);
        let (origin, record) = (wanted.origin.clone(), encode(record));
        self.send(wanted.partition, to, &Message::RobotsFound { origin, record });
    }

    /// Removes a request for a robots.txt without answering it. The sender requests the file again later.
    pub fn drop_robots_query(&mut self, wanted: &RobotsQuery) {
        self.remove(wanted.key.clone());
    }

    /// Applies at most `limit` messages to this process's partitions. A store in a folder has no messages.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn receive(&mut self, limit: usize, writer: &mut Writer) -> Result<ReceivedMessages, StoreError> {
        let mut received = ReceivedMessages::default();
        if !self.store.partitions.is_cut() {
            return Ok(received);
        }
        let partitions = self.store.partitions.held();
        let prefixes: Vec<Vec<u8>> = partitions.iter().copied().map(keys::messages_to).collect();
        let firsts = self.store.engine.first_keys(&prefixes)?;
        let waiting = prefixes.iter().zip(&partitions).zip(firsts).filter(|(_, first)| first.is_some());
        for ((prefix, partition), _) in waiting {
            for pair in self.store.engine.scan(Range::with_prefix(prefix.as_slice())) {
                if received.done >= limit {
                    return Ok(received);
                }
                let (key, value) = pair?;
                match decode("a message", &value)? {
                    Message::RobotsWanted { origin, url, hops } => {
                        received.wanted.push(RobotsQuery { key, partition: *partition, origin, url, hops });
                        continue;
                    }
                    Message::RobotsFound { origin, record } => {
                        received.found.push(RobotsReply { origin, record });
                    }
                    message => self.apply_message(*partition, message, writer)?,
                }
                self.remove(key);
                received.done += 1;
            }
        }
        Ok(received)
    }

    fn apply_message(
        &mut self,
        partition: Partition,
        message: Message,
        writer: &mut Writer,
    ) -> Result<(), StoreError> {
        match message {
            Message::Found { url, role, dated, news, depth, hops, rank, fresh } => {
                let Ok(url) = CanonicalUrl::parse(&url) else { return Ok(()) };
                self.discover(
                    None,
                    &FoundUrl { url, role, dated, news },
                    depth,
                    hops,
                    QueuePosition { rank, fresh },
                )
                .map(drop)
            }
            Message::Alias { of, url, packed } => self.apply_alias(partition, of, url, packed),
            Message::NoAlias { of, url } => {
                // The user may have removed the document.
                if self.partition_of_url(url_of(of))?.is_some() {
                    self.remove(keys::alias(of, url));
                }
                Ok(())
            }
            Message::Place { url, was, packed } => self.apply_place(url, was, &packed, writer),
            // `receive` returns these messages to the crawl and does not apply them.
            Message::RobotsWanted { .. } | Message::RobotsFound { .. } => Ok(()),
        }
    }

    /// Makes a URL an alias of a document. If the document no longer has the text, sends the text to the
    /// URL's partition.
    fn apply_alias(
        &mut self,
        partition: Partition,
        of: DocumentId,
        url: UrlKey,
        packed: Vec<u8>,
    ) -> Result<(), StoreError> {
        let document = unpack(&packed)?;
        let leads_to: Option<DocumentId> =
            self.get("a content hash", &keys::content(&document.content_hash))?;
        if leads_to == Some(of) {
            self.put_bytes(keys::alias(of, url), document.url.into_bytes());
        } else if let Some(there) = self.partition_of_url(url)? {
            self.send(partition, there, &Message::Place { url, was: of, packed });
        }
        Ok(())
    }

    fn apply_place(
        &mut self,
        url: UrlKey,
        was: DocumentId,
        packed: &[u8],
        writer: &mut Writer,
    ) -> Result<(), StoreError> {
        let Some(record) = self.url(url)? else { return Ok(()) };
        if record.duplicate_of.map(document_id) != Some(was) {
            return Ok(());
        }
        self.end_alias(url)?;
        let host = CanonicalUrl::parse(&record.url).map(|url| url.host().to_owned()).unwrap_or_default();
        let document = Document { id: document_id(url), url: record.url, host, ..unpack(packed)? };
        let outcome = self.place(url, PackedDocument::from_document(document), writer)?;
        self.reattribute(url, outcome)
    }
}
