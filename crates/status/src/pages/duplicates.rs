//! Lists clusters of near-duplicates, largest first, and shows all members of one cluster.
//!
//! Limitation: each page of the list reads all clusters, so later pages are not faster than the first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use gleaner_corpus::DocumentId;
use gleaner_frontier::UrlKey;
use gleaner_render::text::percent;
use gleaner_store::{Cluster, Store, StoreError};
use maud::{Markup, html};

use super::{Fault, Made, framed};
use crate::asked::Asked;
use crate::pictures::share;
use crate::site::Site;

const ON_A_PAGE: usize = 15;

const LISTED: usize = 8;

const MEMBERS_ON_A_PAGE: usize = 100;

pub(crate) fn page(site: &Site, asked: &Asked, _: &str) -> Result<Made, Fault> {
    let store = &site.corpus.store;
    let totals = store.totals()?;
    let skip = (asked.page() - 1) * ON_A_PAGE;
    let mut largest: BTreeMap<(Reverse<u64>, usize), Cluster> = BTreeMap::new();
    for (age, cluster) in store.clusters().enumerate() {
        let cluster = cluster?;
        largest.insert((Reverse(cluster.members), age), cluster);
        if largest.len() > skip + ON_A_PAGE + 1 {
            largest.pop_last();
        }
    }
    let has_more = largest.len() > skip + ON_A_PAGE;
    let most = largest.keys().next().map_or(1, |(Reverse(members), _)| *members);
    let mut shown = Vec::new();
    for cluster in largest.values().skip(skip).take(ON_A_PAGE) {
        shown.push(brief(store, asked, cluster, most)?);
    }
    let content = html! {
        p {
            strong { (asked.language.number(totals.clusters)) } " " (asked.say("clusters of near-duplicates,", "nhóm gần trùng,")) " "
            strong { (asked.language.number(totals.near_duplicates)) } " " (asked.say("documents represented by another", "văn bản có bản khác đại diện"))
        }
        @if shown.is_empty() { p.quiet { (asked.say("No clusters found.", "Không có nhóm nào.")) } }
        ol.clusters start=(skip + 1) { @for cluster in &shown { li { (cluster) } } }
        (super::pager(asked, has_more))
    };
    Ok(Made::Page(framed(asked, asked.say("Duplicates", "Trùng lặp"), &content)))
}

pub(crate) fn one(site: &Site, asked: &Asked, id: &str) -> Result<Made, Fault> {
    let store = &site.corpus.store;
    let id: DocumentId = id.parse().map_err(|_| Fault::Nothing)?;
    let cluster = store.cluster_of(id)?.ok_or(Fault::Nothing)?;
    let skip = (asked.page() - 1) * MEMBERS_ON_A_PAGE;
    let content = html! {
        p { strong { (asked.language.number(cluster.members + 1)) } " " (asked.say(
            "documents have nearly the same text. An export writes the representative.",
            "văn bản gần như giống nhau. Khi xuất chỉ ghi bản đại diện.",
        )) }
        div.clusters {
            (head(store, asked, &cluster)?)
            (members(store, &cluster, skip, MEMBERS_ON_A_PAGE)?)
        }
        (super::pager(asked, cluster.members > (skip + MEMBERS_ON_A_PAGE) as u64))
        p { a href="/duplicates" { (asked.say("All clusters", "Mọi nhóm")) } }
    };
    Ok(Made::Page(framed(asked, asked.say("Cluster of near-duplicates", "Nhóm gần trùng"), &content)))
}

fn brief(store: &Store, asked: &Asked, cluster: &Cluster, most: u64) -> Result<Markup, StoreError> {
    let more = cluster.members.saturating_sub(LISTED as u64);
    Ok(html! {
        (share(cluster.members as f64 / most as f64))
        (head(store, asked, cluster)?)
        (members(store, cluster, 0, LISTED)?)
        @if more > 0 {
            p { a href={ "/duplicates/" (cluster.head) } { "+" (asked.language.number(more)) " " (asked.say("more", "bản nữa")) } }
        }
    })
}

fn head(store: &Store, asked: &Asked, cluster: &Cluster) -> Result<Markup, StoreError> {
    let (title, host) = named(store, cluster.head)?;
    Ok(html! {
        div.head {
            a href={ "/documents/" (cluster.head) } { (title) }
            span.faint { (host) " · " (asked.language.number(cluster.words)) " " (asked.say("words", "từ")) " · +" (cluster.members) }
        }
    })
}

fn members(store: &Store, cluster: &Cluster, skip: usize, most: usize) -> Result<Markup, StoreError> {
    let mut members = Vec::new();
    for member in store.members(cluster)?.skip(skip).take(most) {
        let member = member?;
        members.push((member.id, named(store, member.id)?, member.similarity));
    }
    Ok(html! {
        ul { @for (id, (title, host), similarity) in &members { li {
            (share(*similarity))
            span.share { (percent(*similarity)) }
            a href={ "/documents/" (id) } { (title) } " " span.faint { (host) }
        } } }
    })
}

fn named(store: &Store, id: DocumentId) -> Result<(String, String), StoreError> {
    if let Some(document) = store.document(id)? {
        return Ok((super::document::title(&document), document.host));
    }
    let url = store.url(UrlKey::from_bytes(id.0))?.map(|record| record.url);
    Ok((url.unwrap_or_else(|| id.to_string()), String::new()))
}
