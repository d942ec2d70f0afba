//! Describes in one sentence whether gleaner gets documents from a host and, if not, why. `gleaner doctor`
//! and the status page begin with this sentence.

use crate::render::language::Bilingual;
use crate::render::text::count;
use gleaner_store::Counts;

use crate::explanation::{explained, explained_hold};
use crate::host_view::HostView;
use crate::report::host_findings::paused;
use crate::report::{Finding, GroupedCounts, Report};

/// With fewer pages than this, a share of the pages means nothing.
const FEW_PAGES: u64 = 5;

/// Says in one sentence whether gleaner gets documents from `host` and, if not, why. `in_scope` says whether
/// the host belongs to a seed site. Pass `true` if the seeds are unknown. `report` is the newest report.
#[must_use]
pub fn host_summary(host: &HostView, in_scope: bool, report: Option<&Report>) -> Bilingual {
    if host.record.paused {
        return paused();
    }
    if !in_scope {
        return Bilingual::new(
            "not among the seed sites; at most sitemaps that the robots.txt of a seed site names are fetched from it",
            "không nằm trong các trang cần thu thập; chỉ tải sitemap nếu robots.txt của trang cần thu thập nêu nó",
        );
    }
    let forbidden = host.robots.as_ref().and_then(|robots| robots.forbidden.as_ref());
    if let Some(reason) = forbidden {
        let why = explained_hold(reason);
        return Bilingual::new(
            format!("nothing can be fetched now: {}", why.english),
            format!("hiện không tải được gì: {}", why.vietnamese),
        );
    }
    if let Some(rule) = host.robots.as_ref().and_then(|robots| robots.front_page_rule.as_ref()) {
        return Bilingual::new(
            format!("its robots.txt disallows the front page by `{rule}`"),
            format!("robots.txt cấm trang chủ bằng `{rule}`"),
        );
    }
    if let Some(moved) = &host.moved {
        return moved.describe();
    }
    let findings = report.map_or(&[][..], |report| &report.findings);
    let gravest = findings.iter().find(|finding| finding.host.as_ref() == Some(&host.record.name));
    gravest.map_or_else(|| given(host), Finding::sentence)
}

/// Describes what was read if there are too few pages to name a reason.
fn few_pages(all: &GroupedCounts, worst: Option<(&str, u64)>) -> Bilingual {
    let (listings, pages) = (all.listings(), all.pages());
    let read = Bilingual::new(
        format!("front pages, sections, feeds and sitemaps read: {listings}"),
        format!("trang chủ, trang mục, feed và sitemap đã đọc: {listings}"),
    );
    let pages = match worst.map(|(reason, _)| explained(reason)) {
        Some(why) => Bilingual::new(
            format!(", other pages: {pages}, most often {}", why.english),
            format!(", trang khác: {pages}, nhiều nhất là {}", why.vietnamese),
        ),
        None => Bilingual::new(", other pages: none", ", trang khác: không có"),
    };
    let refused = all.refused.iter().max_by_key(|(_, count)| **count);
    let links = refused.map(|(reason, count)| {
        let why = explained(reason);
        Bilingual::new(
            format!("; links not followed: {count}, {}", why.english),
            format!("; liên kết không theo: {count}, {}", why.vietnamese),
        )
    });
    let links = links.unwrap_or_default();
    read.followed_by(&pages).followed_by(&links)
}

fn given(host: &HostView) -> Bilingual {
    let seen: Vec<&Counts> = host.counts.iter().flatten().collect();
    let mut all = Counts::default();
    seen.iter().for_each(|counts| all.add(counts));
    let last = seen.first().map(|counts| GroupedCounts::from_counts(counts)).unwrap_or_default();
    let all = GroupedCounts::from_counts(&all);
    let last_runs = match seen.len() {
        1 => Bilingual::new("the last run", "lượt gần nhất"),
        runs => {
            Bilingual::new(format!("the last {}", count(runs as u64, "run")), format!("{runs} lượt gần nhất"))
        }
    };
    let (english, vietnamese) = (&last_runs.english, &last_runs.vietnamese);
    let documents = |number| count(number, "new document");
    match (last.new, all.new, all.main_failure()) {
        (0, 0, _) if seen.is_empty() => Bilingual::new(
            "it was not crawled in the last runs",
            "không được thu thập trong các lượt gần đây",
        ),
        (0, 0, worst) => {
            let why = nothing_new(host, &all, worst);
            Bilingual::new(
                format!("no new documents in {english}: {}", why.english),
                format!("không có văn bản mới trong {vietnamese}: {}", why.vietnamese),
            )
        }
        (last, _, _) if seen.len() == 1 => Bilingual::new(
            format!("{} in {english}", documents(last)),
            format!("{last} văn bản mới trong {vietnamese}"),
        ),
        (0, all, _) => Bilingual::new(
            format!("no new documents in the newest run, {} in {english}", documents(all)),
            format!("không có văn bản mới trong lượt cuối, {all} trong {vietnamese}"),
        ),
        (last, all, _) => Bilingual::new(
            format!("{} in the newest run, {all} in {english}", documents(last)),
            format!("{last} văn bản mới trong lượt cuối, {all} trong {vietnamese}"),
        ),
    }
}

/// Explains why no run gave new documents.
fn nothing_new(host: &HostView, all: &GroupedCounts, worst: Option<(&str, u64)>) -> Bilingual {
    let buffered = host.template.buffered;
    if buffered > 0 {
        return Bilingual::new(
            format!("{} wait until there are enough for a template", count(buffered.into(), "page")),
            format!("{buffered} trang chờ đến khi đủ để học mẫu trang"),
        );
    }
    match worst.filter(|_| all.pages() >= FEW_PAGES) {
        Some((reason, worst)) => {
            let (percent, why) = (worst * 100 / all.pages(), explained(reason));
            Bilingual::new(
                format!("{percent}% of its pages: {}", why.english),
                format!("{percent}% số trang: {}", why.vietnamese),
            )
        }
        None => few_pages(all, worst),
    }
}
