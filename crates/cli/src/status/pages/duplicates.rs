//! Lists clusters of near-duplicates, largest first, and shows all members of one cluster.
//!
//! Limitation: each page of the list reads all clusters, so later pages are not faster than the first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use gleaner_corpus::DocumentId;
use gleaner_crawl::render::text::percent;
use gleaner_frontier::UrlKey;
use gleaner_store::{Cluster, Store, StoreError};
use maud::{Markup, html};

use super::{RenderError, Rendered, layout};
use crate::status::app_state::AppState;
use crate::status::charts::share_bar;
use crate::status::request::PageRequest;

const PER_PAGE: usize = 15;

const MEMBERS_SHOWN: usize = 8;

const MEMBERS_PER_PAGE: usize = 100;

pub(crate) fn page(app: &AppState, request: &PageRequest, _: &str) -> Result<Rendered, RenderError> {
    let store = &app.corpus.store;
    let totals = store.totals()?;
    let skip = (request.page_number() - 1) * PER_PAGE;
    let mut largest: BTreeMap<(Reverse<u64>, usize), Cluster> = BTreeMap::new();
    for (age, cluster) in store.clusters().enumerate() {
        let cluster = cluster?;
        largest.insert((Reverse(cluster.members), age), cluster);
        if largest.len() > skip + PER_PAGE + 1 {
            largest.pop_last();
        }
    }
    let has_more = largest.len() > skip + PER_PAGE;
    let most = largest.keys().next().map_or(1, |(Reverse(members), _)| *members);
    let mut shown = Vec::new();
    for cluster in largest.values().skip(skip).take(PER_PAGE) {
        shown.push(cluster_summary(store, request, cluster, most)?);
    }
    let content = html! {
        p {
            strong { (request.language.number(totals.clusters)) } " " (request.translate("clusters of near-duplicates,", "nhóm gần trùng,")) " "
            strong { (request.language.number(totals.near_duplicates)) } " " (request.translate("documents represented by another", "văn bản có bản khác đại diện"))
        }
        @if shown.is_empty() { p.quiet { (request.translate("No clusters found.", "Không có nhóm nào.")) } }
        ol.clusters start=(skip + 1) { @for cluster in &shown { li { (cluster) } } }
        (super::pager(request, has_more))
    };
    Ok(Rendered::Page(layout(request, request.translate("Duplicates", "Trùng lặp"), &content)))
}

pub(crate) fn one(app: &AppState, request: &PageRequest, id: &str) -> Result<Rendered, RenderError> {
    let store = &app.corpus.store;
    let id: DocumentId = id.parse().map_err(|_| RenderError::NotFound)?;
    let cluster = store.cluster_of(id)?.ok_or(RenderError::NotFound)?;
    let skip = (request.page_number() - 1) * MEMBERS_PER_PAGE;
    let content = html! {
        p { strong { (request.language.number(cluster.members + 1)) } " " (request.translate(
            "documents have nearly the same text. An export writes the representative.",
            "văn bản gần như giống nhau. Khi xuất chỉ ghi bản đại diện.",
        )) }
        div.clusters {
            (head(store, request, &cluster)?)
            (members(store, &cluster, skip, MEMBERS_PER_PAGE)?)
        }
        (super::pager(request, cluster.members > (skip + MEMBERS_PER_PAGE) as u64))
        p { a href="/duplicates" { (request.translate("All clusters", "Mọi nhóm")) } }
    };
    Ok(Rendered::Page(layout(
        request,
        request.translate("Cluster of near-duplicates", "Nhóm gần trùng"),
        &content,
    )))
}

fn cluster_summary(
    store: &Store,
    request: &PageRequest,
    cluster: &Cluster,
    most: u64,
) -> Result<Markup, StoreError> {
    let more = cluster.members.saturating_sub(MEMBERS_SHOWN as u64);
    Ok(html! {
        (share_bar(cluster.members as f64 / most as f64))
        (head(store, request, cluster)?)
        (members(store, cluster, 0, MEMBERS_SHOWN)?)
        @if more > 0 {
            p { a href={ "/duplicates/" (cluster.representative) } { "+" (request.language.number(more)) " " (request.translate("more", "bản nữa")) } }
        }
    })
}

fn head(store: &Store, request: &PageRequest, cluster: &Cluster) -> Result<Markup, StoreError> {
    let (title, host) = named(store, cluster.representative)?;
    Ok(html! {
        div.head {
            a href={ "/documents/" (cluster.representative) } { (title) }
            span.faint { (host) " · " (request.language.number(cluster.words)) " " (request.translate("words", "từ")) " · +" (cluster.members) }
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
            (share_bar(*similarity))
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
