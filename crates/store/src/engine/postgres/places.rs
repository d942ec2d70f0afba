//! Stores the ready list as a column of the table of URLs.
//!
//! A place is the position of a URL in the ready list: host, rank, sequence. The row of a URL is written
//! whenever its place changes. The place is therefore a column of that row, with an index over the rows that
//! have a place. A separate table would need another row and a longer index entry for each URL. It would take
//! 376 bytes per URL instead of the value in docs/scale.md, and twice as many written rows.
//!
//! The rest of the store sees the list as keys that begin with `READY`, then the place, then the URL's key.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::link::Connection;
use super::{MOST_ROWS, Postgres};
use crate::engine::{Pair, Range, Write};
use crate::{StoreError, keys};

const PLACE: usize = 13;

/// Returns the place in a key of the ready list, and the key of the URL's row. In a bound of a range, the
/// place may be incomplete and the URL missing.
fn parts(key: &[u8]) -> (Vec<u8>, Option<Vec<u8>>) {
    let place = key.get(1..).unwrap_or_default();
    match place.split_at_checked(PLACE) {
        Some((place, url)) if !url.is_empty() => (place.to_vec(), Some(row(url))),
        _ => (place.to_vec(), None),
    }
}

fn row(url: &[u8]) -> Vec<u8> {
    [&[keys::URL], url].concat()
}

#[derive(Debug, Default)]
pub(super) struct Urls {
    /// Records by the key of the row. The flag says whether the place is written with the record.
    records: BTreeMap<Vec<u8>, (Vec<u8>, bool)>,
    /// Places by the key of the row. `None`: the URL is not ready.
    places: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
}

impl Urls {
    /// Moves the writes of URLs and places out of `unflushed`.
    pub(super) fn taken_from(unflushed: &mut BTreeMap<Vec<u8>, Write>) -> Self {
        let mut urls = Self::default();
        for (key, write) in unflushed.extract_if(vec![keys::READY]..vec![keys::READY + 1], |_, _| true) {
            let (place, Some(row)) = parts(&key) else { continue };
            match write {
                Write::Remove => drop(urls.places.entry(row).or_insert(None)),
                Write::Put(_) | Write::Claim(_) => drop(urls.places.insert(row, Some(place))),
            }
        }
        for (key, write) in unflushed.extract_if(vec![keys::URL]..vec![keys::URL + 1], |_, _| true) {
            if let Write::Put(value) | Write::Claim(value) = write {
                let has_place = urls.places.contains_key(&key);
                urls.records.insert(key, (value, has_place));
            }
        }
        urls
    }

    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty() && self.places.is_empty()
    }

    pub(super) async fn write(&self, client: &Connection) -> Result<(), tokio_postgres::Error> {
        let rows: Vec<(&Vec<u8>, &Vec<u8>, bool)> =
            self.records.iter().map(|(key, (value, has_place))| (key, value, *has_place)).collect();
        let sql = "INSERT INTO urls (key, value, place) \
                   SELECT key, value, place FROM unnest($1::bytea[], $2::bytea[], $3::bytea[]) AS new (key, value, place) \
                   ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value, place = EXCLUDED.place";
        let sql_same = "INSERT INTO urls (key, value) SELECT * FROM unnest($1::bytea[], $2::bytea[]) \
                        ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value";
        let (moved, same): (Vec<_>, Vec<_>) = rows.into_iter().partition(|(_, _, has_place)| *has_place);
        for rows in moved.chunks(MOST_ROWS) {
            let keys: Vec<&[u8]> = rows.iter().map(|(key, ..)| key.as_slice()).collect();
            let values: Vec<&[u8]> = rows.iter().map(|(_, value, _)| value.as_slice()).collect();
            let places: Vec<Option<&[u8]>> =
                rows.iter().map(|(key, ..)| self.places.get(*key).and_then(Option::as_deref)).collect();
            client.execute(sql, &[&keys, &values, &places]).await?;
        }
        for rows in same.chunks(MOST_ROWS) {
            let keys: Vec<&[u8]> = rows.iter().map(|(key, ..)| key.as_slice()).collect();
            let values: Vec<&[u8]> = rows.iter().map(|(_, value, _)| value.as_slice()).collect();
            client.execute(sql_same, &[&keys, &values]).await?;
        }
        let alone: Vec<(&Vec<u8>, &Option<Vec<u8>>)> =
            self.places.iter().filter(|(key, _)| !self.records.contains_key(*key)).collect();
        if !alone.is_empty() {
            let (keys, places): (Vec<&[u8]>, Vec<Option<&[u8]>>) =
                alone.into_iter().map(|(key, place)| (key.as_slice(), place.as_deref())).unzip();
            let sql = "UPDATE urls SET place = new.place \
                       FROM unnest($1::bytea[], $2::bytea[]) AS new (key, place) WHERE urls.key = new.key";
            client.execute(sql, &[&keys, &places]).await?;
        }
        Ok(())
    }
}

impl Postgres {
    pub(super) fn page_of_places(&self, range: &Range, limit: usize) -> Result<Vec<Pair>, StoreError> {
        let (from, begin) = match &range.begin {
            Bound::Included(key) => (">=", parts(key)),
            // The places of a host are unique, so the key after a complete key has a greater place.
            Bound::Excluded(key) => (">", parts(key)),
            Bound::Unbounded => (">=", (Vec::new(), None)),
        };
        let (to, end) = match &range.end {
            Bound::Included(key) => ("<=", parts(key)),
            Bound::Excluded(key) if key.first() == Some(&keys::READY) => ("<", parts(key)),
            Bound::Excluded(_) | Bound::Unbounded => ("<=", (vec![u8::MAX; PLACE + 1], None)),
        };
        let order = if range.backwards { "DESC" } else { "ASC" };
        let sql = format!(
            "SELECT place, key FROM urls WHERE place {from} $1 AND place {to} $2 ORDER BY place {order} LIMIT $3"
        );
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.link().ask("reading the frontier", |client| {
            let (sql, begin, end) = (sql.clone(), begin.0.clone(), end.0.clone());
            Box::pin(async move {
                let rows = client.query(&sql, &[&begin, &end, &limit]).await?;
                let key = |row: &tokio_postgres::Row| {
                    let (place, url): (Vec<u8>, Vec<u8>) = (row.get(0), row.get(1));
                    [&[keys::READY], place.as_slice(), &url[1..]].concat()
                };
                Ok(rows.iter().map(|row| (key(row), Vec::new())).collect())
            })
        })
    }

    /// Whether the place in this key of the ready list is the URL's current place.
    pub(super) fn has_place(&self, key: &[u8]) -> Result<bool, StoreError> {
        let (place, row) = parts(key);
        let row = row.unwrap_or_default();
        self.link().ask("reading the frontier", |client| {
            let (place, row) = (place.clone(), row.clone());
            Box::pin(async move {
                let sql = "SELECT 1 FROM urls WHERE key = $1 AND place = $2";
                Ok(client.query_opt(sql, &[&row, &place]).await?.is_some())
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_that_is_moved_has_its_new_place_and_one_that_left_has_none() {
        let key = |host: u8, url: u8| [vec![keys::READY], vec![host; PLACE], vec![url; 16]].concat();
        let mut unflushed = BTreeMap::from([
            (key(1, 7), Write::Remove),
            (key(2, 7), Write::Put(Vec::new())),
            (key(3, 8), Write::Remove),
            (row(&[7; 16]), Write::Put(b"record".to_vec())),
            (b"h".to_vec(), Write::Remove),
        ]);
        let urls = Urls::taken_from(&mut unflushed);
        assert_eq!(unflushed.len(), 1);
        assert_eq!(urls.places[&row(&[7; 16])], Some(vec![2; PLACE]));
        assert_eq!(urls.places[&row(&[8; 16])], None);
        assert_eq!(urls.records[&row(&[7; 16])], (b"record".to_vec(), true));
    }

    #[test]
    fn the_ends_of_a_range_are_places() {
        assert_eq!(parts(b"q1234"), (b"1234".to_vec(), None));
        let whole = [b"q".as_slice(), &[1; PLACE], &[2; 16]].concat();
        assert_eq!(parts(&whole), (vec![1; PLACE], Some(row(&[2; 16]))));
    }
}
