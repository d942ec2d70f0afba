//! Tests that the store has the seeds of the last crawl, even after it was opened again.

use gleaner_frontier::{parse_seed, parse_seeds};

use crate::common::{Place, on_each_engine};

on_each_engine!(the_seeds_of_the_last_crawl_are_known);

fn the_seeds_of_the_last_crawl_are_known(place: &Place) {
    let mut writer = place.open();
    assert_eq!(writer.store().seeds().unwrap(), None);
    writer.record_seeds(&[parse_seed("first.example").unwrap()]).unwrap();
    let mut seeds = parse_seeds("# sites\na.example\nhttps://www.b.example/news\n", "seeds.txt").unwrap();
    seeds.push(parse_seed("http://c.example/").unwrap());
    for _ in 0..2 {
        writer.record_seeds(&seeds).unwrap();
        assert_eq!(writer.store().seeds().unwrap().as_ref(), Some(&seeds));
    }
    drop(writer);
    assert_eq!(place.open().store().seeds().unwrap(), Some(seeds));
}
