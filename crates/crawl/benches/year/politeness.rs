//! Checks the requests of a night against the rules of politeness.

use std::collections::HashMap;

use gleaner_testkit::world::{EventKind, Served, World};

use crate::night::DELAY;

/// Returns what was wrong with the requests of a night.
pub fn violations(world: &World, night: u32, served: &[Served]) -> Vec<String> {
    let mut violations = Vec::new();
    let mut last: HashMap<usize, &Served> = HashMap::new();
    let mut asked_to_wait: HashMap<&str, &Served> = HashMap::new();
    let mut closed: HashMap<&str, &Served> = HashMap::new();
    for request in served {
        let Some(site) = world.site_of(&request.host) else {
            violations.push(format!("night {night}: unknown host {}", request.host));
            continue;
        };
        let what = format!("night {night}, {}{}", request.host, request.path);
        if let Some(before) = last.insert(site, request)
            && before.host == request.host
            && request.begun < before.ended + DELAY
        {
            violations.push(format!("{what}: too early by {:?}", before.ended + DELAY - request.begun));
        }
        if request.is_forbidden() {
            violations.push(format!("{what}: robots.txt forbids it"));
        }
        if closed.contains_key(request.host.as_str()) && request.path != "/robots.txt" {
            violations.push(format!("{what}: robots.txt forbids the whole host"));
        }
        if asked_to_wait.contains_key(request.host.as_str()) {
            violations.push(format!("{what}: the host asked to wait"));
        }
        if request.asked_to_wait().is_some() {
            asked_to_wait.insert(&request.host, request);
        }
        if request.path == "/robots.txt" && is_closed(world, site, night) {
            closed.insert(&request.host, request);
        }
    }
    violations
}

fn is_closed(world: &World, site: usize, night: u32) -> bool {
    world
        .events()
        .iter()
        .any(|event| event.site == Some(site) && event.kind == EventKind::RobotsCloses && event.covers(night))
}
