//! Finds unusual values of a run, and describes them in sentences, most severe first.
//!
//! Limitation: a finding can be wrong. In a host's first three runs, there are no usual values to compare
//! with, so only an outdated template can be an unusual finding.

use std::collections::{BTreeMap, HashMap};

use crate::render::language::{Bilingual, UiLanguage};
use crate::render::text::{self, count};
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use super::cause::is_of_the_clock;
use super::host_findings::HostCheck;
use super::run_data::{HostData, RunData, RunEnding, past_of};
use super::usual::{RunIntervals, UsualCount, median};
use super::{GroupedCounts, PastRun};
use crate::explanation::explained_hold;
use crate::frontier::budget::Budget;
use crate::integrity::{Damage, DamagedPart, IntegrityReport};
use crate::summary::reached;

/// A statement about the run or about one host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The severity of the finding.
    pub grade: Grade,
    /// The host. `None` if the finding is about the run.
    pub host: Option<String>,
    /// The cause in words. All hosts with this problem have the same text. Empty in reports of earlier
    /// versions.
    #[serde(default)]
    pub cause: String,
    /// The finding in one sentence, without the host's name.
    pub text: String,
    /// Cause and sentence in Vietnamese. Empty in reports of earlier versions.
    #[serde(default)]
    pub vietnamese: Translation,
    /// A command that shows more. `None` if there is nothing to do.
    #[serde(default)]
    pub next: Option<String>,
    /// In how many reports in a row before this one the finding also stood.
    #[serde(default)]
    pub repeated: u32,
}

/// The texts of a finding in a language other than English.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Translation {
    /// The translated cause.
    pub cause: String,
    /// The translated sentence.
    pub text: String,
}

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// Information only. A note never changes the exit code.
    Note,
    /// A person should look at the finding.
    Unusual,
    /// The run did not do its work.
    Failed,
}

pub(super) const KNOWN: usize = 3;
/// If at least this number of hosts have bad certificates, this machine's clock is probably wrong.
const CLOCK_HOSTS: usize = 3;
/// A run without new documents is unusual only if all hosts together usually have at least this number.
const MIN_NEW: f64 = 10.0;
/// Free space is low if it is less than this multiple of `store.min_free_disk`.
const FLOORS: u64 = 4;
/// Free space is low if it suffices for fewer runs than this number.
const RUNS_LEFT: f64 = 7.0;

/// A damage is a note if it was found longer ago than this.
const NEW_DAMAGE: SignedDuration = SignedDuration::from_hours(7 * 24);

impl Finding {
    pub(super) fn new(grade: Grade, host: Option<String>, cause: Bilingual, text: Bilingual) -> Self {
        let vietnamese = Translation { cause: cause.vietnamese, text: text.vietnamese };
        Self { grade, host, cause: cause.english, text: text.english, vietnamese, next: None, repeated: 0 }
    }

    fn of_run(grade: Grade, text: Bilingual) -> Self {
        Self::new(grade, None, text.clone(), text)
    }

    /// Returns the sentence in both languages. Without a translation, both are English.
    #[must_use]
    pub fn sentence(&self) -> Bilingual {
        both(&self.text, &self.vietnamese.text)
    }

    /// Returns the cause in both languages. Without a translation, both are English.
    #[must_use]
    pub fn explained_cause(&self) -> Bilingual {
        both(&self.cause, &self.vietnamese.cause)
    }

    /// What makes this the same finding as one of another report. The numbers in a sentence about a host may differ.
    fn identity(&self) -> (Option<&str>, String) {
        let text = match self.host {
            Some(_) => self.text.replace(|c: char| c.is_ascii_digit() || c == ',', ""),
            None => self.text.clone(),
        };
        (self.host.as_deref(), text)
    }

    fn with_next(self, command: impl Into<String>) -> Self {
        Self { next: Some(command.into()), ..self }
    }
}

fn both(english: &str, vietnamese: &str) -> Bilingual {
    Bilingual::new(english, if vietnamese.is_empty() { english } else { vietnamese })
}

/// Findings with the same cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingGroup<'a> {
    /// The severity of the findings.
    pub grade: Grade,
    /// The cause of the findings.
    pub cause: &'a str,
    /// The findings, at least one.
    pub findings: Vec<&'a Finding>,
}

impl FindingGroup<'_> {
    /// In how many reports in a row before this one all findings of the group also stood.
    #[must_use]
    pub fn repeated(&self) -> u32 {
        self.findings.iter().map(|finding| finding.repeated).min().unwrap_or_default()
    }

    /// Whether the group only repeats notes of the last report about hosts. Such notes are folded.
    #[must_use]
    pub fn is_repeated_note(&self) -> bool {
        self.grade == Grade::Note && self.repeated() > 0 && self.findings[0].host.is_some()
    }
}

/// Counts in how many reports in a row before this one each finding also stood. `last` are the findings of the
/// last report.
pub(crate) fn count_repeated(findings: &mut [Finding], last: &[Finding]) {
    let before: HashMap<_, u32> = last.iter().map(|last| (last.identity(), last.repeated)).collect();
    for finding in findings {
        finding.repeated = before.get(&finding.identity()).map_or(0, |repeated| repeated.saturating_add(1));
    }
}

/// Says that a finding also stood in the last `runs` reports. Returns an empty text for 0.
#[must_use]
pub fn as_before(runs: u32) -> Bilingual {
    match runs {
        0 => Bilingual::default(),
        1 => Bilingual::new(" (as in the last run)", " (như lượt trước)"),
        runs => Bilingual::new(format!(" (as in the last {runs} runs)"), format!(" (như {runs} lượt trước)")),
    }
}

/// Groups the findings about hosts by grade and cause. The groups are in the order of their first finding.
/// A finding about the run or without a cause forms a group of its own.
#[must_use]
pub fn groups(findings: &[Finding]) -> Vec<FindingGroup<'_>> {
    let mut groups: Vec<FindingGroup<'_>> = Vec::new();
    for finding in findings {
        let (grade, cause) = (finding.grade, finding.cause.as_str());
        let is_same = |group: &&mut FindingGroup<'_>| {
            (group.grade, group.cause) == (grade, cause) && group.findings[0].host.is_some()
        };
        match groups.iter_mut().find(is_same).filter(|_| finding.host.is_some() && !cause.is_empty()) {
            Some(group) => group.findings.push(finding),
            None => groups.push(FindingGroup { grade, cause, findings: vec![finding] }),
        }
    }
    groups
}

/// Returns all findings, most severe first. Within a grade, findings about the run come before findings about
/// hosts. Hosts are in descending order of their usual number of new documents.
pub(crate) fn all(data: &RunData) -> Vec<Finding> {
    let past = &data.past[..data.past.len().min(RunData::PAST)];
    let now = data.run.started;
    let intervals = RunIntervals::new(now, past.iter().map(|run| run.started));
    let mut found: Vec<(f64, Finding)> = Vec::new();
    let mut usual_of_all = 0.0;
    for host in &data.hosts {
        let look = HostCheck {
            data,
            host,
            figures: GroupedCounts::from_counts(&host.counts),
            usual: UsualCount::new(now, past_of(past, &host.name), &intervals),
            past,
            intervals: &intervals,
        };
        let weight = look.usual.as_ref().map_or(0.0, |usual| usual.new);
        usual_of_all += weight;
        let gives = look.most_severe();
        let is_said = |list: &Finding| gives.as_ref().is_some_and(|gives| gives.cause.contains(&list.cause));
        // A finding about the number of documents matters more than other findings about the same host.
        found.extend(look.broken_list().filter(|list| !is_said(list)).map(|list| (-1.0, list)));
        found.extend(gives.map(|finding| (weight, finding)));
        found.extend(look.template().map(|finding| (-2.0, finding)));
        found.extend(look.traps().into_iter().map(|finding| (-3.0, finding)));
    }
    let (clock, nothing_reached) = (clock(data, &found), nothing_reached(data, &intervals, &found));
    if nothing_reached.is_some() && found.len() == 1 {
        // The finding about the run repeats the text of the only finding about a host.
        found.clear();
    }
    let of_run = [
        failed(data),
        clock,
        nothing_reached,
        nothing_new(data, &intervals, usual_of_all),
        no_documents(data),
        missed(&intervals),
        budget(data),
        disk(data),
    ];
    let damages = damages(data).into_iter().map(Some);
    found.extend(of_run.into_iter().chain(damages).flatten().map(|finding| (f64::INFINITY, finding)));
    found.sort_by(|(one, a), (other, b)| b.grade.cmp(&a.grade).then(other.total_cmp(one)));
    found.into_iter().map(|(_, finding)| finding).collect()
}

fn failed(data: &RunData) -> Option<Finding> {
    let RunEnding::Failed { error } = &data.ending else { return None };
    let text = Bilingual::new(
        format!("the crawl failed: {error}"),
        format!(
            "lượt thu thập thất bại{} (“{error}”)",
            if is_of_the_disk(error) { ": đĩa gần đầy" } else { "" }
        ),
    );
    Some(Finding::of_run(Grade::Failed, text))
}

/// Whether the error of a crawl says that the disk is full or nearly full.
fn is_of_the_disk(error: &str) -> bool {
    ["store.min_free_disk", "make room"].iter().any(|part| error.contains(part))
}

/// Reports that no site responded. Names the most common cause in the findings about hosts.
fn nothing_reached(data: &RunData, intervals: &RunIntervals, found: &[(f64, Finding)]) -> Option<Finding> {
    if matches!(data.ending, RunEnding::Failed { .. }) {
        return None;
    }
    let hosts: Vec<&HostData> = data.hosts.iter().filter(|host| is_silent(host)).collect();
    let figures = || data.hosts.iter().map(|host| GroupedCounts::from_counts(&host.counts));
    let is_answered = figures().any(|figures| figures.answered() > 0);
    let is_forbidden = figures().any(|figures| figures.disallowed() > 0);
    let of_all = data.documents == 0 || (intervals.is_full_interval() && hosts.len() * 2 >= data.hosts.len());
    let first = hosts.first().filter(|_| !is_answered && !is_forbidden && of_all)?;
    let cause = most_common_cause(found).or_else(|| most_common_hold(&hosts));
    let hosts = hosts.len() as u64;
    let text = Bilingual::new(
        format!("no page of any seed could be fetched ({})", count(hosts, "host")),
        format!("không tải được trang nào của các trang cần thu thập ({hosts} trang báo)"),
    );
    let text = match cause {
        Some(cause) => text.followed_by(&Bilingual::same(": ")).followed_by(&cause),
        None => text,
    };
    let finding = Finding::of_run(Grade::Failed, text);
    Some(finding.with_next(format!("gleaner doctor {} --fetch", first.name)))
}

/// Returns the most common reason why URLs of these hosts were left for the next run, such as a budget.
fn most_common_hold(hosts: &[&HostData]) -> Option<Bilingual> {
    let mut urls: BTreeMap<&str, u64> = BTreeMap::new();
    for held in hosts.iter().flat_map(|host| &host.held) {
        *urls.entry(&held.why).or_default() += held.urls;
    }
    urls.into_iter().max_by_key(|(_, urls)| *urls).map(|(why, _)| explained_hold(why))
}

/// Returns the most common cause of the findings about hosts. The cause of a single finding is its text.
fn most_common_cause(found: &[(f64, Finding)]) -> Option<Bilingual> {
    if let [(_, only)] = found {
        return Some(only.sentence());
    }
    let mut causes: BTreeMap<&str, (usize, Bilingual)> = BTreeMap::new();
    for (_, finding) in found.iter().filter(|(_, finding)| finding.host.is_some()) {
        let (hosts, _) = causes.entry(&finding.cause).or_insert_with(|| (0, finding.explained_cause()));
        *hosts += 1;
    }
    causes.into_values().max_by_key(|(hosts, _)| *hosts).map(|(_, cause)| cause)
}

/// Reports that the clock went back, or that the certificates of at least half of the hosts have expired or
/// are not yet valid.
fn clock(data: &RunData, found: &[(f64, Finding)]) -> Option<Finding> {
    let now = data.run.started;
    let later = data.past.first().filter(|run| run.started > now);
    let of_the_clock = |(_, finding): &&(f64, Finding)| is_of_the_clock(&finding.cause);
    let hosts = found.iter().filter(of_the_clock).count();
    let minute = text::minute(now);
    let text = if let Some(later) = later {
        let later = text::minute(later.started);
        Bilingual::new(
            format!(
                "the clock of this machine went back: this run began at {minute}, the previous one at {later}"
            ),
            format!("đồng hồ của máy này bị lùi: lượt này bắt đầu lúc {minute}, lượt trước lúc {later}"),
        )
    } else if hosts >= CLOCK_HOSTS && hosts * 2 >= data.hosts.len() {
        Bilingual::new(
            format!(
                "the clock of this machine is probably wrong ({minute}): certificates of {hosts} hosts have expired or are not valid yet"
            ),
            format!(
                "đồng hồ của máy này có lẽ sai ({minute}): chứng chỉ của {hosts} trang báo đã hết hạn hoặc chưa có hiệu lực"
            ),
        )
    } else {
        return None;
    };
    Some(Finding::of_run(Grade::Unusual, text).with_next("date -u"))
}

fn nothing_new(data: &RunData, intervals: &RunIntervals, usual: f64) -> Option<Finding> {
    let mut all = gleaner_store::Counts::default();
    data.hosts.iter().for_each(|host| all.add(&host.counts));
    let figures = GroupedCounts::from_counts(&all);
    let is_found = figures.new == 0
        && figures.answered() > 0
        && data.hosts.len() > 1
        && usual >= MIN_NEW
        && intervals.is_full_interval();
    let host = data.hosts.iter().max_by_key(|host| host.counts.requests)?;
    is_found.then(|| {
        let hosts = data.hosts.len();
        let text = Bilingual::new(
            format!("nothing new on any of {hosts} hosts, usually {usual:.0} new documents in all"),
            format!("không có gì mới ở cả {hosts} trang báo; thường có tổng cộng {usual:.0} văn bản mới"),
        );
        Finding::of_run(Grade::Unusual, text).with_next(format!("gleaner doctor {} --fetch", host.name))
    })
}

/// Reports a corpus that is still empty although sites responded and no page waits for a template.
fn no_documents(data: &RunData) -> Option<Finding> {
    let figures = data.hosts.iter().map(|host| GroupedCounts::from_counts(&host.counts));
    let is_answered = figures.map(|figures| figures.answered()).sum::<u64>() > 0;
    let waits = data.hosts.iter().any(|host| host.template.buffered > 0);
    // If `crawl.max_pages` ended the run, the remaining pages may still give documents.
    let is_done = match &data.ending {
        RunEnding::Quiet => true,
        RunEnding::Budget { key } => *key != Budget::Pages.to_string(),
        _ => false,
    };
    let host = data.hosts.iter().max_by_key(|host| host.counts.requests)?;
    (data.documents == 0 && is_answered && is_done && !waits).then(|| {
        let text = Bilingual::new(
            "the corpus has no documents: no page of any host gave one",
            "kho chưa có văn bản nào: không trang nào của các trang báo cho văn bản",
        );
        Finding::of_run(Grade::Unusual, text).with_next(format!("gleaner doctor {} --fetch", host.name))
    })
}

fn is_silent(host: &HostData) -> bool {
    let figures = GroupedCounts::from_counts(&host.counts);
    figures.answered() == 0 && !host.paused && (figures.failed() > 0 || !host.held.is_empty())
}

/// A run counts as missed if the time since the previous run is more than this multiple of the usual time. It is below 2,
/// because the start times of runs differ.
const MISSED: f64 = 1.75;
/// Minimum time in seconds between two runs after which runs count as missed.
const LATE: f64 = 3.0 * 3600.0;
/// Runs that usually begin sooner after each other, in seconds, are started by hand and follow no schedule.
const MIN_INTERVAL: f64 = 3600.0;

fn missed(intervals: &RunIntervals) -> Option<Finding> {
    let is_late =
        |times: &f64| *times > MISSED && intervals.usual >= MIN_INTERVAL && intervals.usual * times >= LATE;
    let times = intervals.since_last().filter(is_late)?;
    let grade = if intervals.is_regular() { Grade::Unusual } else { Grade::Note };
    let (passed, usual) = (minutes(intervals.usual * times), minutes(intervals.usual));
    let english = |seconds| UiLanguage::English.duration(seconds);
    let vietnamese = |seconds| UiLanguage::Vietnamese.duration(seconds);
    let text = Bilingual::new(
        format!(
            "runs were missed: the previous run began {} earlier, usually {}",
            english(passed),
            english(usual)
        ),
        format!(
            "có lượt bị lỡ: lượt trước bắt đầu sớm hơn {}, thường là {}",
            vietnamese(passed),
            vietnamese(usual)
        ),
    );
    Some(Finding::of_run(grade, text).with_next("gleaner report --list"))
}

fn minutes(seconds: f64) -> u64 {
    (seconds / 60.0).round() as u64 * 60
}

fn budget(data: &RunData) -> Option<Finding> {
    let RunEnding::Budget { key } = &data.ending else { return None };
    let left: u64 = data.hosts.iter().flat_map(|host| &host.held).map(|held| held.urls).sum();
    let reached = explained_hold(&reached(key));
    let text = Bilingual::new(
        format!("{}; URLs left for the next run: {left}", reached.english),
        format!("{}; số địa chỉ để lại cho lượt sau: {left}", reached.vietnamese),
    );
    Some(Finding::of_run(Grade::Note, text))
}

fn disk(data: &RunData) -> Option<Finding> {
    let disk = data.disk?;
    let room = disk.free.saturating_sub(disk.floor);
    let past: Vec<f64> = data.past.iter().map(|run| bytes_of(run) as f64).collect();
    let a_run = median(&past);
    let runs = if a_run > 0.0 && past.len() >= KNOWN { room as f64 / a_run } else { f64::INFINITY };
    let is_low = disk.free < disk.floor.saturating_mul(FLOORS) || runs < RUNS_LEFT;
    let estimate = if runs.is_finite() {
        Bilingual::new(
            format!("; estimated runs until store.min_free_disk: {runs:.0}"),
            format!("; số lượt ước tính cho đến store.min_free_disk: {runs:.0}"),
        )
    } else {
        Bilingual::default()
    };
    is_low.then(|| {
        let free = text::bytes(disk.free);
        let text = Bilingual::new(
            format!("the disk is getting full: {free} free{}", estimate.english),
            format!("đĩa sắp đầy: còn trống {free}{}", estimate.vietnamese),
        );
        Finding::of_run(Grade::Unusual, text).with_next("df -h")
    })
}

/// Reports damage in store and archive, with the command that repairs it or shows more.
fn damages(data: &RunData) -> Vec<Finding> {
    let IntegrityReport { damages, is_late } = &data.integrity;
    let is_new = |damage: &&Damage| data.ended.duration_since(damage.found) < NEW_DAMAGE;
    let finding = |of: &[&Damage], text: Bilingual, next: &str| {
        let grade = if of.iter().any(is_new) { Grade::Unusual } else { Grade::Note };
        Finding::of_run(grade, text).with_next(next)
    };
    let of = |is_it: fn(&DamagedPart) -> bool| -> Vec<&Damage> {
        damages.iter().filter(|damage| is_it(&damage.part)).collect()
    };
    let records = of(|part| matches!(part, DamagedPart::Record(_)));
    let store = of(|part| matches!(part, DamagedPart::Store { .. }));
    let archive = of(|part| matches!(part, DamagedPart::Archive { .. }));
    let mut found = Vec::new();
    if !store.is_empty() {
        found.push(finding(&store, damaged_store(), "gleaner rebuild"));
    }
    if !records.is_empty() {
        found.push(finding(&records, damaged_records(records.len()), "gleaner verify --repair"));
    }
    if let Some(text) = archive.first().and_then(|first| damaged_archive(&first.part, archive.len())) {
        found.push(finding(&archive, text, "gleaner verify"));
    }
    if *is_late {
        found.push(Finding::of_run(Grade::Note, late_check()));
    }
    found
}

fn damaged_store() -> Bilingual {
    Bilingual::new(
        "the store is damaged: a part of its records cannot be read",
        "kho bị hỏng: không đọc được một phần các bản ghi",
    )
}

fn damaged_records(records: usize) -> Bilingual {
    Bilingual::new(
        format!("the store is damaged: texts or signatures that cannot be read: {records}"),
        format!("kho bị hỏng: số văn bản hoặc chữ ký không đọc được: {records}"),
    )
}

fn damaged_archive(first: &DamagedPart, places: usize) -> Option<Bilingual> {
    let DamagedPart::Archive { file, offset, .. } = first else { return None };
    Some(Bilingual::new(
        format!("the archive is damaged at {places} places; the first is in file {file}, byte {offset}"),
        format!("kho lưu trữ WARC bị hỏng ở {places} chỗ; chỗ đầu tiên ở tệp {file}, byte {offset}"),
    ))
}

fn late_check() -> Bilingual {
    Bilingual::new(
        "the check of store and archive takes longer than a month; raise store.check_time",
        "việc kiểm tra kho và kho lưu trữ kéo dài hơn một tháng; hãy tăng store.check_time",
    )
}

fn bytes_of(run: &PastRun) -> u64 {
    run.hosts.values().map(|counts| counts.bytes).sum()
}
