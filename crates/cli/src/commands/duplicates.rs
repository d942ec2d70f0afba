//! Runs `gleaner duplicates`: lists clusters of near-duplicates, or related documents.
//!
//! Clusters are listed by size, largest first. The command reads all clusters once. In memory, it keeps only
//! the clusters that it will show.
//!
//! Limitation: the search for related documents reads all documents.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use gleaner_corpus::is_of_host;
use gleaner_corpus::{Document, DocumentId};
use gleaner_frontier::{CanonicalUrl, UrlKey};
use gleaner_store::{Cluster, Store, StoreError};
use serde_json::{Value, json};

use crate::args::{Common, Duplicates};
use crate::failure::Failure;
use crate::messages::print_message;
use crate::unreadable::UnreadableTexts;
use crate::{CommandResult, opening, output, settings};

const SHOWN: usize = 10;

pub(crate) fn run(common: &Common, args: &Duplicates) -> CommandResult {
    let config = settings::load(common)?;
    let store = opening::read_store(&config)?;
    let mut shown = false;
    let mut show = |one: &Value| -> CommandResult {
        shown = true;
        let text = if args.json { format!("{one}\n") } else { described(one) };
        output::print(&text)
    };
    let limit = if args.limit == 0 { usize::MAX } else { usize::try_from(args.limit).unwrap_or(usize::MAX) };
    let lister = Lister { store: &store, host: args.host.as_deref().map(str::to_ascii_lowercase), limit };
    match args.related {
        true => lister.related(&mut show)?,
        false => lister.clusters(&mut show)?,
    }
    if !shown {
        let what = if args.related { "related documents" } else { "near-duplicates" };
        print_message(format_args!(
            "there are no {what}{}",
            if args.host.is_some() { " of this host" } else { "" }
        ));
    }
    Ok(())
}

struct Lister<'a> {
    store: &'a Store,
    host: Option<String>,
    limit: usize,
}

impl Lister<'_> {
    /// Shows the largest clusters. Among clusters of equal size, the oldest comes first.
    fn clusters(&self, show: &mut impl FnMut(&Value) -> CommandResult) -> CommandResult {
        let mut largest = BTreeMap::new();
        for (age, cluster) in self.store.clusters().enumerate() {
            let cluster = cluster.map_err(Failure::work)?;
            if self.is_wanted(&cluster).map_err(Failure::work)? {
                largest.insert((Reverse(cluster.members), age), cluster);
            }
            if largest.len() > self.limit {
                largest.pop_last();
            }
        }
        largest.values().try_for_each(|cluster| show(&self.cluster(cluster).map_err(Failure::work)?))
    }

    fn related(&self, show: &mut impl FnMut(&Value) -> CommandResult) -> CommandResult {
        let mut shown = 0;
        let unreadable = UnreadableTexts::new(self.store);
        for document in unreadable.documents(self.store.documents()) {
            let document = document.map_err(Failure::work)?;
            if let Some(one) = self.alike(&document).map_err(Failure::work)? {
                show(&one)?;
                shown += 1;
            }
            if shown >= self.limit {
                break;
            }
        }
        unreadable.report("the others were compared")
    }

    fn is_wanted(&self, cluster: &Cluster) -> Result<bool, StoreError> {
        if self.host.is_none() || self.is_of_host(cluster.representative)? {
            return Ok(true);
        }
        for member in self.store.members(cluster)? {
            if self.is_of_host(member?.id)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_of_host(&self, id: DocumentId) -> Result<bool, StoreError> {
        let Some(wanted) = &self.host else { return Ok(true) };
        let url = CanonicalUrl::parse(&self.url(id)?);
        Ok(url.is_ok_and(|url| is_of_host(url.host(), wanted)))
    }

    fn url(&self, id: DocumentId) -> Result<String, StoreError> {
        let record = self.store.url(UrlKey::from_bytes(id.0))?;
        Ok(record.map(|record| record.url).unwrap_or_default())
    }

    fn cluster(&self, cluster: &Cluster) -> Result<Value, StoreError> {
        let mut members = Vec::new();
        for member in self.store.members(cluster)? {
            let member = member?;
            members.push(json!({
                "id": member.id.to_string(),
                "url": self.url(member.id)?,
                "words": member.words,
                "similarity": member.similarity,
            }));
        }
        let representative = cluster.representative;
        Ok(json!({
            "id": representative.to_string(),
            "url": self.url(representative)?,
            "words": cluster.words,
            "members": members,
        }))
    }

    fn alike(&self, document: &Document) -> Result<Option<Value>, StoreError> {
        let similarity_info = self
            .store
            .similarity_info(document.id)?
            .filter(|similarity_info| !similarity_info.related.is_empty());
        let Some(similarity_info) = similarity_info else { return Ok(None) };
        if !self.is_of_host(document.id)? {
            return Ok(None);
        }
        let mut related = Vec::new();
        for (id, similarity) in similarity_info.related {
            let url = self.url(id)?;
            related.push(json!({ "id": id.to_string(), "url": url, "similarity": similarity }));
        }
        Ok(Some(json!({ "id": document.id.to_string(), "url": document.url, "related": related })))
    }
}

fn described(one: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let alike = one["members"].as_array().or(one["related"].as_array()).map_or(&[][..], Vec::as_slice);
    let words = one["words"].as_u64().map(|words| format!(" ({words} words)")).unwrap_or_default();
    let mut out = format!("{}{words}\n", text(&one["url"]));
    for other in alike.iter().take(SHOWN) {
        out +=
            &format!("  {:.2}  {}\n", other["similarity"].as_f64().unwrap_or_default(), text(&other["url"]));
    }
    if alike.len() > SHOWN {
        out += &format!("  and {} more\n", alike.len() - SHOWN);
    }
    out
}
