//! Finds unusual values of one host.

use crate::render::language::Bilingual;
use crate::render::text::count;
use gleaner_store::Counts;

use super::cause::{command, is_wall, without_details};
use super::findings::{Finding, Grade, KNOWN};
use super::run_data::{HostData, RunData, RunEnding};
use super::usual::{RunIntervals, UsualCount, median};
use super::{GroupedCounts, PastRun};
use crate::explanation::{broken_list, explained, explained_hold};
use crate::summary::reached;
use crate::traps::{excluded_by, rule_parts, rules_of};

/// Number of runs without new documents after which the report has only a note about the host.
const NEWS: usize = 7;
const FEW_FAILURES: u64 = 10;
/// Minimum number of failed visits that are reported if all visits failed.
const MIN_ALL: u64 = 3;
/// A lower share of failed visits is not reported.
const SMALL_SHARE: f64 = 0.2;
/// A reason explains a low number of documents if it applies to at least this percentage of the pages.
const CHIEF: u64 = 30;
/// With fewer pages than this, a share of the pages means nothing.
const FEW_PAGES: u64 = 5;
/// Missing pages are reported if there are at least this number, and more than [`MISSING_SHARE`] percent of the
/// URLs.
const MIN_MISSING: u64 = 10;
const MISSING_SHARE: u64 = 50;
/// Minimum number of walls of a host without new documents that are reported.
const MIN_WALLS: u64 = 2;
/// A number of new documents is high if it is at least `TIMES` times the usual number and above `TIMES_MOST`
/// times the highest number in earlier runs.
const TIMES: f64 = 10.0;
const TIMES_MOST: u64 = 3;
/// Minimum usual number of documents for which a high number is reported.
const MIN_USUAL: f64 = 10.0;

pub(super) struct HostCheck<'a> {
    pub(super) data: &'a RunData,
    pub(super) host: &'a HostData,
    pub(super) figures: GroupedCounts,
    pub(super) usual: Option<UsualCount>,
    pub(super) past: &'a [PastRun],
    pub(super) intervals: &'a RunIntervals,
}

/// Why a host has few new documents. The reason is set only if it explains the low number.
struct Explanation {
    words: Bilingual,
    /// The explanation without numbers, by which findings are grouped.
    cause: Bilingual,
    reason: Option<String>,
}

impl HostCheck<'_> {
    fn finding(&self, grade: Grade, cause: &Bilingual, text: Bilingual, reason: Option<&str>) -> Finding {
        let host = &self.host.name;
        let next = (grade > Grade::Note).then(|| command(host, reason.unwrap_or_default()));
        let cause = Bilingual::new(
            cause.english.replace(host, "the host"),
            cause.vietnamese.replace(host, "trang báo"),
        );
        Finding { next, ..Finding::new(grade, Some(host.clone()), cause, text) }
    }

    pub(super) fn most_severe(&self) -> Option<Finding> {
        if self.host.paused {
            let text = paused();
            return Some(self.finding(Grade::Note, &text, text.clone(), None));
        }
        let less = self
            .moved()
            .or_else(|| self.unreachable())
            .or_else(|| self.too_few_documents())
            .or_else(|| self.walls())
            .or_else(|| self.no_new_documents());
        less.or_else(|| self.failures())
            .or_else(|| self.missing_pages())
            .or_else(|| self.too_many_documents())
            .or_else(|| self.no_documents())
    }

    /// Finds a site whose front page redirects to another site. After a week, this is only a note.
    fn moved(&self) -> Option<Finding> {
        const REASON: &str = "redirect_refused: out_of_scope";
        let moved = self.host.moved.as_ref()?;
        let counts = self.past.iter().filter_map(|run| run.hosts.get(&self.host.name));
        let nights = counts.take_while(|counts| counts.outcomes.contains_key(REASON)).count();
        let grade = if nights < NEWS { Grade::Unusual } else { Grade::Note };
        let cause = Bilingual::new(
            "the front page redirects to a site that is not among the seeds",
            "trang chủ chuyển hướng đến một trang ngoài danh sách cần thu thập",
        );
        let finding = self.finding(grade, &cause, moved.describe(), None);
        Some(Finding { next: Some(moved.command()), ..finding })
    }

    fn unreachable(&self) -> Option<Finding> {
        let figures = &self.figures;
        if figures.answered() > 0 || (figures.visits() == 0 && self.deferred_urls().is_none()) {
            return None;
        }
        let grade = self.silence_grade();
        Some(match (figures.failures.iter().max_by_key(|(_, count)| **count), self.deferred_urls()) {
            (Some((reason, count)), _) => {
                let cause = after(("cannot be reached", "không kết nối được"), &explained(reason));
                self.finding(grade, &cause, with_urls(&cause, *count), Some(reason))
            }
            (None, Some(why)) => {
                let text = after(("not crawled", "không thu thập"), &explained_hold(why));
                // The request for robots.txt failed, so a new request shows more.
                let reason = why.starts_with("robots.txt").then_some("failed: connect");
                self.finding(grade, &without_details(&text), text, reason)
            }
            (None, None) => {
                let cause = Bilingual::new(
                    "robots.txt forbids every URL that was due",
                    "robots.txt cấm mọi địa chỉ đến hạn",
                );
                self.finding(grade, &cause, with_urls_in_parentheses(&cause, figures.disallowed()), None)
            }
        })
    }

    fn deferred_urls(&self) -> Option<&str> {
        let by_budget = self.by_budget();
        let most = self.host.held.iter().filter(|held| Some(held.why.as_str()) != by_budget.as_deref());
        most.max_by_key(|held| held.urls).map(|held| held.why.as_str())
    }

    fn by_budget(&self) -> Option<String> {
        match &self.data.ending {
            RunEnding::Budget { key } => Some(reached(key)),
            RunEnding::Quiet | RunEnding::Failed { .. } => None,
        }
    }

    fn silence_grade(&self) -> Grade {
        let answered = |run: &PastRun| {
            run.hosts.get(&self.host.name).map(|counts| GroupedCounts::from_counts(counts).answered() > 0)
        };
        let past: Vec<bool> = self.past.iter().filter_map(answered).collect();
        let silent = past.iter().take_while(|answered| !**answered).count();
        let is_known = past.iter().filter(|answered| **answered).count() >= KNOWN;
        if is_known && silent < NEWS && self.intervals.is_full_interval() {
            Grade::Unusual
        } else {
            Grade::Note
        }
    }

    fn too_few_documents(&self) -> Option<Finding> {
        let usual = self.usual.as_ref()?;
        if self.figures.answered() == 0 || !usual.is_low(self.figures.new) {
            return None;
        }
        let is_left = self.by_budget().is_some_and(|why| self.host.held.iter().any(|held| held.why == why));
        let grade = if is_left { Grade::Note } else { Grade::Unusual };
        let why = self.why();
        let text = usually(self.figures.new, usual.new, &why.words);
        let cause = after(("few new documents", "ít văn bản mới"), &why.cause);
        Some(self.finding(grade, &cause, text, why.reason.as_deref()))
    }

    fn no_new_documents(&self) -> Option<Finding> {
        let usual = self.usual.as_ref()?;
        // A host whose URLs only redirect, such as `www.` after its site has left it, is not silent.
        let is_read = self.figures.listings() + self.figures.pages() > 0;
        let counts = self.figures.answered() > 0 && is_read && self.intervals.is_full_interval();
        let runs = usual.no_new_documents(self.figures.new).filter(|_| counts)?;
        let why = self.why();
        let text = Bilingual::new(
            format!("nothing new in the last {}: {}", count(runs as u64, "run"), why.words.english),
            format!("không có gì mới trong {runs} lượt gần nhất: {}", why.words.vietnamese),
        );
        let cause = after(("nothing new for some runs", "không có gì mới trong vài lượt"), &why.cause);
        Some(self.finding(Grade::Unusual, &cause, text, why.reason.as_deref()))
    }

    /// Finds a host that has many times its usual number of new documents, perhaps old articles.
    fn too_many_documents(&self) -> Option<Finding> {
        let (usual, new) = (self.usual.as_ref()?, self.figures.new);
        let past = self.past.iter().filter_map(|run| run.hosts.get(&self.host.name));
        let most = past.map(|counts| counts.ended("stored")).max().unwrap_or_default();
        let is_found = usual.new >= MIN_USUAL && new as f64 >= TIMES * usual.new && new > TIMES_MOST * most;
        is_found.then(|| {
            let cause = Bilingual::new(
                "many times the usual number of new documents",
                "gấp nhiều lần số văn bản mới thường có",
            );
            let finding = self.finding(Grade::Unusual, &cause, usually(new, usual.new, &cause), None);
            Finding { next: Some(format!("gleaner duplicates --host {}", self.host.name)), ..finding }
        })
    }

    /// Finds a host that has no documents so far, provided that no other host of the same seed has any.
    fn no_documents(&self) -> Option<Finding> {
        let seed = self.host.seed.as_ref()?;
        let of_seed = |host: &&HostData| host.seed.as_ref() == Some(seed);
        let gave = |counts: &Counts| {
            let counts = GroupedCounts::from_counts(counts);
            counts.new + counts.revised + counts.duplicates + counts.near_duplicates > 0
        };
        let gives = |host: &HostData| {
            host.template.buffered > 0
                || gave(&host.counts)
                || self.past.iter().filter_map(|run| run.hosts.get(&host.name)).any(gave)
        };
        let is_found = self.figures.answered() > 0 && !self.data.hosts.iter().filter(of_seed).any(gives);
        is_found.then(|| {
            let why = self.why();
            let so_far = ("no documents so far", "chưa có văn bản nào");
            let text = after(so_far, &why.words);
            self.finding(Grade::Note, &after(so_far, &why.cause), text, why.reason.as_deref())
        })
    }

    fn why(&self) -> Explanation {
        let figures = &self.figures;
        let pages = figures.pages();
        let by_reason = |words: Bilingual, reason: &str| Explanation {
            words,
            cause: explained(reason),
            reason: Some(reason.to_owned()),
        };
        if let Some((reason, count)) = figures.main_failure()
            && pages >= FEW_PAGES
            && count * 100 >= pages * CHIEF
        {
            return by_reason(share_of_pages(count * 100 / pages, reason), reason);
        }
        let walls = figures.others.iter().filter(|(reason, _)| is_wall(reason));
        if figures.listings() == 0
            && let Some((reason, count)) = walls.max_by_key(|(_, count)| **count)
        {
            return by_reason(with_urls(&explained(reason), *count), reason);
        }
        if let Some((list, _)) = self.new_broken_list() {
            let cause = broken_list(list);
            return Explanation { words: cause.clone(), cause, reason: None };
        }
        if let Some(held) = self.host.held.iter().max_by_key(|held| held.urls) {
            let (urls, cause) = (held.urls, explained_hold(&held.why));
            let words = Bilingual::new(
                format!("pages requested: {pages}, URLs left: {urls} ({})", cause.english),
                format!("số trang đã yêu cầu: {pages}, số địa chỉ còn lại: {urls} ({})", cause.vietnamese),
            );
            return Explanation { words, cause, reason: None };
        }
        if let Some((reason, count)) = figures.failures.iter().max_by_key(|(_, count)| **count) {
            return by_reason(with_urls(&explained(reason), *count), reason);
        }
        let cause = Bilingual::new(
            "front pages, sections, feeds and sitemaps name nothing new",
            "trang chủ, trang mục, feed và sitemap không nêu gì mới",
        );
        let read = figures.listings();
        let words = Bilingual::new(
            format!("{} (read: {read}; other URLs requested: {pages})", cause.english),
            format!("{} (đã đọc: {read}; địa chỉ khác đã yêu cầu: {pages})", cause.vietnamese),
        );
        Explanation { words, cause, reason: None }
    }

    fn failures(&self) -> Option<Finding> {
        let share = |figures: &GroupedCounts| figures.failed() as f64 / figures.visits().max(1) as f64;
        let past: Vec<f64> = self
            .past
            .iter()
            .filter_map(|run| run.hosts.get(&self.host.name).map(GroupedCounts::from_counts))
            .filter(|figures| figures.visits() >= MIN_ALL)
            .map(|figures| share(&figures))
            .collect();
        let (now, usual) = (share(&self.figures), median(&past));
        let visits = self.figures.visits() as f64;
        let chance = 5.0 * (visits * usual * (1.0 - usual) + 1.0).sqrt();
        let is_many = self.figures.failed() >= FEW_FAILURES
            && now >= SMALL_SHARE
            && now >= 3.0 * usual
            && self.figures.failed() as f64 - visits * usual > chance;
        // A site that refuses everything is noticed at once, even if it is small.
        let requested = self.figures.visits() - self.figures.disallowed();
        let is_all =
            usual < SMALL_SHARE && self.figures.failed() >= MIN_ALL && self.figures.failed() == requested;
        let is_found = past.len() >= KNOWN && self.intervals.is_full_interval() && (is_many || is_all);
        let reason = self.figures.failures.iter().max_by_key(|(_, count)| **count)?.0;
        let percent = |share: f64| (share * 100.0).round();
        is_found.then(|| {
            let (now, usual) = (percent(now), percent(usual));
            let why = explained(reason);
            let text = Bilingual::new(
                format!("{now}% of its URLs fail, usually {usual}%; most often: {}", why.english),
                format!("{now}% số địa chỉ thất bại, thường là {usual}%; nhiều nhất: {}", why.vietnamese),
            );
            let cause = after(("many failures", "nhiều thất bại"), &why);
            self.finding(Grade::Unusual, &cause, text, Some(reason))
        })
    }

    /// Finds a host that shows walls, such as consent dialogs, instead of new articles. [`Self::too_few_documents`] does
    /// not find it if the host usually has few articles. A site that often has walls is not reported.
    fn walls(&self) -> Option<Finding> {
        let walls = |figures: &GroupedCounts| -> u64 {
            figures.others.iter().filter(|(reason, _)| is_wall(reason)).map(|(_, count)| count).sum()
        };
        let share = |figures: &GroupedCounts| walls(figures) as f64 / figures.pages().max(1) as f64;
        let past = self.past.iter().filter_map(|run| run.hosts.get(&self.host.name));
        let past: Vec<f64> = past.map(|counts| share(&GroupedCounts::from_counts(counts))).collect();
        let figures = &self.figures;
        let is_found = past.len() >= KNOWN
            && median(&past) < SMALL_SHARE
            && figures.new == 0
            && walls(figures) >= MIN_WALLS
            && share(figures) >= 0.5;
        let walls = figures.others.iter().filter(|(reason, _)| is_wall(reason));
        let (reason, _) = walls.max_by_key(|(_, count)| **count).filter(|_| is_found)?;
        let percent = (100.0 * share(figures)).round() as u64;
        Some(self.finding(Grade::Unusual, &explained(reason), share_of_pages(percent, reason), Some(reason)))
    }

    /// Finds a host most of whose URLs do not exist. It is unusual if it was not so before, for a week. Otherwise, it is
    /// a note: many sites have a lot of dead links from the first run on.
    fn missing_pages(&self) -> Option<Finding> {
        let is_mostly_missing = |figures: &GroupedCounts| {
            figures.missing() >= MIN_MISSING && figures.missing() * 100 > figures.visits() * MISSING_SHARE
        };
        if !is_mostly_missing(&self.figures) || !self.intervals.is_full_interval() {
            return None;
        }
        let past = self.past.iter().filter_map(|run| run.hosts.get(&self.host.name));
        let before = past.map(|counts| is_mostly_missing(&GroupedCounts::from_counts(counts)));
        let is_new = before.take(NEWS).any(|was_missing| !was_missing);
        let grade = if is_new { Grade::Unusual } else { Grade::Note };
        let (missing, visits) = (self.figures.missing(), self.figures.visits());
        let cause = Bilingual::new("most of the URLs do not exist", "phần lớn địa chỉ không tồn tại");
        let percent = missing * 100 / visits;
        let text = Bilingual::new(
            format!("{percent}% of its URLs do not exist: {missing} of {visits} (gone)"),
            format!("{percent}% số địa chỉ không tồn tại: {missing} trong {visits} (gone)"),
        );
        let finding = self.finding(grade, &cause, text, None);
        Some(Finding {
            next: Some(format!("gleaner urls --host {} --outcome gone", self.host.name)),
            ..finding
        })
    }

    fn new_broken_list(&self) -> Option<(&str, u64)> {
        let past = || self.past.iter().filter_map(|run| run.hosts.get(&self.host.name));
        let is_new = |failure: &str| past().all(|counts| !counts.broken_lists.contains_key(failure));
        let broken = self.host.counts.broken_lists.iter().filter(|(failure, _)| is_new(failure));
        let (failure, count) = broken.max_by_key(|(_, count)| **count)?;
        (past().count() >= KNOWN).then_some((failure, *count))
    }

    /// Reports a new failure of a sitemap or feed as a note, because other pages may link to the articles.
    pub(super) fn broken_list(&self) -> Option<Finding> {
        let (failure, count) = self.new_broken_list()?;
        let cause = broken_list(failure);
        Some(self.finding(Grade::Note, &cause, with_urls_in_parentheses(&cause, count), None))
    }

    /// Reports each trap. A trap is unusual when it is first noticed, provided that the host gave more repeated
    /// pages and pages without an article than new documents. A known trap to which nothing led in this run is not
    /// reported.
    pub(super) fn traps(&self) -> Vec<Finding> {
        let figures = &self.figures;
        let no_articles = figures.others.iter().filter(|(reason, _)| reason.starts_with("not_article: "));
        let barren = figures.duplicates + no_articles.map(|(_, count)| count).sum::<u64>();
        let is_known = |rule: &str| {
            let past = self.past.iter().filter_map(|run| run.hosts.get(&self.host.name));
            past.flat_map(rules_of).any(|known| known == rule)
        };
        let finding = |rule: &str| {
            let (urls, is_known) = (excluded_by(&self.host.counts, rule), is_known(rule));
            if is_known && urls == 0 {
                return None;
            }
            let is_unusual = barren > figures.new && !is_known;
            let grade = if is_unusual { Grade::Unusual } else { Grade::Note };
            let (cause, text) = trap(rule, urls)?;
            Some(self.finding(grade, &cause, text, None))
        };
        rules_of(&self.host.counts).filter_map(finding).collect()
    }

    pub(super) fn template(&self) -> Option<Finding> {
        let template = &self.host.template;
        (template.outdated && !self.host.paused).then(|| {
            let (version, buffered) = (template.version, template.buffered);
            let text = Bilingual::new(
                format!(
                    "its template (version {version}) is out of date, probably because the site was redesigned; pages buffered for the next version: {buffered}"
                ),
                format!(
                    "mẫu trang (phiên bản {version}) đã lỗi thời, có lẽ vì trang báo đổi giao diện; số trang đã gom cho phiên bản sau: {buffered}"
                ),
            );
            let cause = Bilingual::new("its template is out of date", "mẫu trang đã lỗi thời");
            self.finding(Grade::Unusual, &cause, text, None)
        })
    }
}

pub(crate) fn paused() -> Bilingual {
    Bilingual::new("paused by the user; not crawled", "người dùng đã tạm dừng; không thu thập")
}

fn share_of_pages(percent: u64, reason: &str) -> Bilingual {
    let why = explained(reason);
    Bilingual::new(
        format!("{percent}% of pages: {}", why.english),
        format!("{percent}% số trang: {}", why.vietnamese),
    )
}

/// Describes a trap by its rule. `urls` is the number of URLs that the rule excluded.
fn trap(rule: &str, urls: u64) -> Option<(Bilingual, Bilingual)> {
    let (cause, text) = match rule_parts(rule)? {
        Ok(pattern) => {
            let cause = Bilingual::new(
                "a crawler trap: many URLs of one pattern gave nothing new",
                "bẫy thu thập: nhiều địa chỉ cùng một mẫu không cho gì mới",
            );
            let text = Bilingual::new(
                format!("a crawler trap: URLs such as {pattern} gave nothing new; left out: {urls}"),
                format!("bẫy thu thập: các địa chỉ dạng {pattern} không cho gì mới; đã bỏ qua: {urls}"),
            );
            (cause, text)
        }
        Err(name) => {
            let cause = Bilingual::new("session ids in URLs", "địa chỉ có mã phiên");
            let text = Bilingual::new(
                format!("the parameter {name} is a session id; removed from URLs: {urls}"),
                format!("tham số {name} là mã phiên; số địa chỉ đã bỏ tham số: {urls}"),
            );
            (cause, text)
        }
    };
    Some((cause, text))
}

/// Puts words, in English and Vietnamese, before their explanation.
fn after((english, vietnamese): (&str, &str), why: &Bilingual) -> Bilingual {
    Bilingual::new(format!("{english}: {}", why.english), format!("{vietnamese}: {}", why.vietnamese))
}

fn with_urls(why: &Bilingual, count: u64) -> Bilingual {
    Bilingual::new(
        format!("{}, URLs: {count}", why.english),
        format!("{}, số địa chỉ: {count}", why.vietnamese),
    )
}

fn with_urls_in_parentheses(why: &Bilingual, count: u64) -> Bilingual {
    Bilingual::new(
        format!("{} (URLs: {count})", why.english),
        format!("{} (số địa chỉ: {count})", why.vietnamese),
    )
}

fn usually(new: u64, usual: f64, why: &Bilingual) -> Bilingual {
    Bilingual::new(
        format!("{new} new, usually {usual:.0}: {}", why.english),
        format!("{new} mới, thường là {usual:.0}: {}", why.vietnamese),
    )
}
