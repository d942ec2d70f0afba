//! Tests that the simulated world is the same each time, and that its pages tell the truth.

use super::*;

fn world() -> World {
    World::new(7, WorldSize { sites: 4, nights: 60, articles: 8.0, before: 40 })
}

#[test]
fn each_listed_article_has_a_page_with_its_text() {
    let world = world();
    for site in 0..world.sites() {
        let (night, now) = (3, world.night(3));
        let listed = world.listed(site, night);
        assert!(listed.len() > 20, "{}", listed.len());
        for id in listed {
            let path = world.path(id, now);
            let answer =
                world.answer(world.protocol(site, night.into()), &world.host(site, night), &path, now);
            assert_eq!(answer.status, 200, "{path}");
            let html = String::from_utf8(answer.body).unwrap();
            let has_text = world.text(id, now).lines().all(|line| html.contains(line));
            assert_eq!(has_text, world.is_article(id), "{path}");
            assert_eq!(world.article_at(&format!("http://{}{path}", world.host(site, night))), Some(id));
        }
    }
}

#[test]
fn a_world_depends_only_on_its_seed() {
    let (one, same, other) =
        (world(), world(), World::new(8, WorldSize { sites: 4, nights: 60, articles: 8.0, before: 40 }));
    let front =
        |world: &World| world.answer(world.protocol(1, 5), &world.host(1, 5), "/", world.night(5)).body;
    assert_eq!(front(&one), front(&same));
    assert_ne!(front(&one), front(&other));
    assert_eq!(one.events(), same.events());
}

#[test]
fn every_kind_of_event_happens_in_some_world() {
    use std::collections::BTreeSet;
    let world = World::new(1, WorldSize { sites: 24, nights: 365, articles: 5.0, before: 40 });
    let kinds: BTreeSet<EventKind> = world.events().iter().map(|event| event.kind).collect();
    assert_eq!(kinds.len(), 29, "{kinds:?}");
    let starts: Vec<u32> = world.events().iter().map(|event| event.from).collect();
    assert!(starts.is_sorted());
}
