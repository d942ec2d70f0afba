//! Compares the findings of the reports with the events.

use std::collections::{BTreeMap, BTreeSet};

use gleaner_crawl::report::{Grade, Report};
use gleaner_testkit::world::{Event, EventKind, World};

/// Nights after an event during which a finding about its site may be due to it.
const AFTER: u32 = 3;
/// Nights during which a finding may be due to an event that lasts.
const LASTING: u32 = 8;
/// The usual number of articles from which a site that publishes nothing, or much more, can be noticed.
const NOTICEABLE: f64 = 14.0;

/// What a report should say about an event.
struct Expected {
    /// The finding contains one of these texts.
    texts: &'static [&'static str],
    /// Number of nights after the first in which it may be said.
    patience: u32,
    grade: Grade,
}

/// All findings of the simulation, and which events they name.
pub struct Alarms<'w> {
    world: &'w World,
    findings: BTreeMap<u32, Vec<(Option<usize>, Grade, String)>>,
    /// Nights without any visit. They show nothing of the sites.
    idle: BTreeSet<u32>,
    /// How the visits of a night ended, by site.
    outcomes: BTreeMap<(u32, usize), String>,
}

/// How well the findings match the events.
#[derive(Debug, Default)]
pub struct Judgement {
    pub expected: u64,
    pub named: u64,
    /// By kind: expected and named.
    pub kinds: BTreeMap<String, (u64, u64)>,
    pub unnamed: Vec<String>,
    pub alarms: u64,
    pub false_alarms: Vec<String>,
}

impl<'w> Alarms<'w> {
    pub fn new(world: &'w World) -> Self {
        Self { world, findings: BTreeMap::new(), idle: BTreeSet::new(), outcomes: BTreeMap::new() }
    }

    pub fn after_night(&mut self, night: u32, report: &Report) {
        self.idle.extend((report.totals.visits() == 0).then_some(night));
        let findings = report.findings.iter().map(|finding| {
            let site = finding.host.as_deref().and_then(|host| self.world.site_of(host));
            let host = finding.host.as_deref().unwrap_or("run");
            (site, finding.grade, format!("{host}: {}", finding.text))
        });
        self.findings.entry(night).or_default().extend(findings);
        for host in &report.hosts {
            let Some(site) = self.world.site_of(&host.name) else { continue };
            let figures = &host.figures;
            let text = self.outcomes.entry((night, site)).or_default();
            *text += &format!(
                "{}: new {}, {:?}, {:?}; ",
                host.name, figures.new, figures.failures, figures.others
            );
        }
    }

    pub fn judge(&self) -> Judgement {
        let mut judgement = Judgement::default();
        for event in self.world.events() {
            let Some(expected) = expected(self.world, event) else { continue };
            // An event of the machine can be noticed in the next night.
            let (first, until) = match event.site {
                None if event.kind == EventKind::DiskFull => (event.from, event.until),
                None => (event.until, u32::MAX),
                Some(_) => (event.from, event.until),
            };
            let is_idle = |night: &u32| event.site.is_some() && self.idle.contains(night);
            let nights = self.findings.range(first..until).filter(|(night, _)| !is_idle(night));
            let mut nights = nights.take(1 + expected.patience as usize).peekable();
            if nights.peek().is_none() {
                continue;
            }
            let is_named = nights.any(|(_, findings)| {
                findings.iter().any(|(site, grade, text)| {
                    *site == event.site
                        && *grade >= expected.grade
                        && expected.texts.iter().any(|part| text.contains(part))
                })
            });
            let kind = judgement.kinds.entry(format!("{:?}", event.kind)).or_default();
            kind.0 += 1;
            kind.1 += u64::from(is_named);
            judgement.expected += 1;
            judgement.named += u64::from(is_named);
            if !is_named {
                judgement
                    .unnamed
                    .push(format!("{event:?}, reports: {:?}", self.about(event, first, expected.patience)));
            }
        }
        for (night, findings) in &self.findings {
            for (site, _, text) in findings.iter().filter(|(_, grade, _)| *grade > Grade::Note) {
                judgement.alarms += 1;
                if !self.world.events().iter().any(|event| explains(event, *site, *night)) {
                    judgement.false_alarms.push(format!("night {night}: {text}"));
                }
            }
        }
        judgement
    }

    fn about(&self, event: &Event, first: u32, patience: u32) -> Vec<&str> {
        let nights = self.findings.range(first..).take(1 + patience as usize);
        let all = nights.flat_map(|(_, findings)| findings);
        all.filter(|(site, ..)| *site == event.site).map(|(.., text)| text.as_str()).collect()
    }
}

fn explains(event: &Event, site: Option<usize>, night: u32) -> bool {
    let until = event.until.min(event.from.saturating_add(LASTING)).max(if event.until == u32::MAX {
        0
    } else {
        event.until
    });
    event.site == site && (event.from..=until.saturating_add(AFTER)).contains(&night)
}

fn expected(world: &World, event: &Event) -> Option<Expected> {
    let alarm = |texts, patience| Some(Expected { texts, patience, grade: Grade::Unusual });
    let note = |texts, patience| Some(Expected { texts, patience, grade: Grade::Note });
    // The rule of the first calendar holds for later ones of the site.
    let is_first = |kind| {
        let mut of_site = world.events().iter().filter(|other| other.site == event.site);
        of_site.find(|other| other.kind == kind) == Some(event)
    };
    let is_noticeable = event.site.is_none_or(|site| world.usual(site) >= NOTICEABLE);
    match event.kind {
        EventKind::Outage | EventKind::Broken | EventKind::CertificateExpires => {
            alarm(&["cannot be reached", "not crawled"], 0)
        }
        EventKind::Forbidden => alarm(&["refuses"], 0),
        EventKind::TooManyRequests => alarm(&["429", "asked to wait"], 0),
        // The last robots.txt is valid for a day.
        EventKind::RobotsCloses => alarm(&["robots.txt forbids"], 1),
        EventKind::RobotsFails => alarm(&["robots.txt"], 1),
        EventKind::ConsentWall => alarm(&["consent"], 0),
        EventKind::NewDomain => alarm(&["redirects to"], 0),
        EventKind::Flood if is_noticeable => alarm(&["many times"], 1),
        EventKind::Silence if is_noticeable => alarm(&["new"], 3),
        EventKind::FeedDies => note(&["a feed is not readable"], 0),
        EventKind::Calendar if is_first(event.kind) => note(&["crawler trap"], 1),
        EventKind::Sessions => note(&["session id"], 1),
        EventKind::DiskFull => alarm(&["make room"], 0),
        EventKind::MissedNight => alarm(&["runs were missed"], 0),
        EventKind::ClockAhead => alarm(&["went back"], 0),
        EventKind::Calendar
        | EventKind::Flood
        | EventKind::Silence
        | EventKind::Redesign
        | EventKind::RedesignBySection
        | EventKind::RedesignAndBack
        | EventKind::NewAddresses
        | EventKind::NewAddressesWithoutRedirects
        | EventKind::NewAddressesAndBack
        | EventKind::Https
        | EventKind::Paywall
        | EventKind::Www
        | EventKind::Kill
        | EventKind::Removal
        | EventKind::SettingsChange => None,
    }
}
