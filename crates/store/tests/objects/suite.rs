//! Tests object storage, with a folder and with an S3 server on loopback.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use gleaner_store::objects::{Environment, ObjectEntry, ObjectError, Objects, StorageOptions};
use gleaner_testkit::s3::{Keys, S3Server, serve};
use tempfile::TempDir;

struct Place {
    objects: Objects,
    _folder: TempDir,
    _server: Option<S3Server>,
}

fn places() -> [Place; 2] {
    let options = |environment| StorageOptions {
        patience: Duration::ZERO,
        timeout: Duration::from_secs(60),
        environment,
        ..StorageOptions::default()
    };
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("made/by/itself");
    let objects = Objects::open(path.to_str().unwrap(), options(Environment::default())).unwrap();
    let in_folder = Place { objects, _folder: folder, _server: None };

    let folder = TempDir::new().unwrap();
    let server = serve(folder.path(), SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), Keys::default()).unwrap();
    server.make_bucket("corpus").unwrap();
    let environment = server.environment().into_iter().collect();
    let objects = Objects::open("s3://corpus/of/news", options(environment)).unwrap();
    [in_folder, Place { objects, _folder: folder, _server: Some(server) }]
}

fn on_both(check: impl Fn(&Objects)) {
    for place in places() {
        check(&place.objects);
    }
}

fn names(entries: &[ObjectEntry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.name.as_str()).collect()
}

#[test]
fn what_is_put_is_got_and_what_is_put_again_is_new() {
    on_both(|objects| {
        objects.check().unwrap();
        assert!(objects.get("a").unwrap_err().is_missing());
        objects.put("a", b"rain".to_vec()).unwrap();
        assert_eq!(objects.get("a").unwrap(), b"rain");
        objects.put("a", b"sun and wind".to_vec()).unwrap();
        assert_eq!(objects.get("a").unwrap(), b"sun and wind");
        objects.put("a", Vec::new()).unwrap();
        assert_eq!(objects.get("a").unwrap(), b"");
        assert_eq!(names(&objects.list("").unwrap()), ["a"]);
    });
}

#[test]
fn an_object_of_ten_megabytes_is_whole() {
    let content: Vec<u8> = (0..10_u32 << 20).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    on_both(|objects| {
        objects.put("large", content.clone()).unwrap();
        assert!(objects.get("large").unwrap() == content);
        assert!(objects.get_range("large", 7 << 20, 1 << 20).unwrap() == content[7 << 20..8 << 20]);
        assert_eq!(objects.list("").unwrap()[0].size, 10 << 20);
    });
}

#[test]
fn ranges_come_in_the_order_in_which_they_are_asked() {
    on_both(|objects| {
        objects.put("digits", b"0123456789".to_vec()).unwrap();
        objects.put("letters", b"abcdefghij".to_vec()).unwrap();
        assert_eq!(objects.get_range("digits", 3, 4).unwrap(), b"3456");
        assert_eq!(objects.get_range("digits", 9, 1).unwrap(), b"9");
        assert_eq!(objects.get_range("digits", 10, 0).unwrap(), b"");
        let name = |at: u64| if at.is_multiple_of(2) { "digits" } else { "letters" };
        let asked: Vec<(String, u64, u64)> = (0..40).map(|at| (name(at).to_owned(), at % 9, 2)).collect();
        let found = objects.get_ranges(&asked).unwrap();
        let expected = |at: usize| {
            let from: &[u8] = if at.is_multiple_of(2) { b"0123456789" } else { b"abcdefghij" };
            from[at % 9..at % 9 + 2].to_vec()
        };
        assert_eq!(found, (0..40).map(expected).collect::<Vec<_>>());
        assert_eq!(objects.get_ranges(&[]).unwrap(), Vec::<Vec<u8>>::new());
    });
}

#[test]
fn a_range_beyond_the_end_is_told() {
    on_both(|objects| {
        objects.put("digits", b"0123456789".to_vec()).unwrap();
        for (offset, length) in [(8, 3), (10, 1), (500, 5), (u64::MAX, 2)] {
            let error = objects.get_range("digits", offset, length).unwrap_err();
            assert!(matches!(error, ObjectError::TooShort { .. }), "{offset} {length}: {error}");
            assert!(error.to_string().contains("digits"), "{error}");
        }
        assert!(objects.get_range("none", 0, 1).unwrap_err().is_missing());
        let asked = [("digits".to_owned(), 0, 2), ("none".to_owned(), 0, 2)];
        assert!(objects.get_ranges(&asked).unwrap_err().is_missing());
    });
}

#[test]
fn lists_are_in_order_and_prefixes_are_whole_segments() {
    on_both(|objects| {
        assert_eq!(objects.list("").unwrap(), []);
        let all = ["a-b", "a.b", "a/b", "a/c/d", "a/c0", "b/a", "B", "ä"];
        for name in all {
            objects.put(name, name.as_bytes().to_vec()).unwrap();
        }
        let mut sorted = all;
        sorted.sort_unstable();
        let listed = objects.list("").unwrap();
        assert_eq!(names(&listed), sorted);
        let age = jiff::Timestamp::now().duration_since(listed[0].changed);
        assert!(age.abs() < jiff::SignedDuration::from_hours(1), "{:?}", listed[0]);
        assert_eq!(listed[1].size, listed[1].name.len() as u64);
        assert_eq!(names(&objects.list("a").unwrap()), ["a/b", "a/c/d", "a/c0"]);
        assert_eq!(names(&objects.list("a/c/").unwrap()), ["a/c/d"]);
        assert_eq!(objects.list("none").unwrap(), []);
    });
}

#[test]
fn a_list_of_many_is_whole() {
    on_both(|objects| {
        let many: Vec<String> = (0..1100).map(|number| format!("many/{number:04}")).collect();
        for name in &many {
            objects.put(name, Vec::new()).unwrap();
        }
        assert_eq!(names(&objects.list("many").unwrap()), many);
        objects.delete_many(&many).unwrap();
        assert_eq!(objects.list("many").unwrap(), []);
    });
}

#[test]
fn what_is_deleted_is_gone_also_twice() {
    on_both(|objects| {
        for name in ["a", "b", "c/d"] {
            objects.put(name, b"rain".to_vec()).unwrap();
        }
        objects.delete("a").unwrap();
        objects.delete("a").unwrap();
        assert!(objects.get("a").unwrap_err().is_missing());
        objects.delete_many(&["none".into(), "c/d".into(), "a".into()]).unwrap();
        assert_eq!(names(&objects.list("").unwrap()), ["b"]);
        objects.delete_many(&[]).unwrap();
    });
}

#[test]
fn odd_names_are_kept() {
    let odd = [
        "Hà Nội/tin sáng.gz",
        "100%",
        "%2F",
        "a b+c&d=e;f",
        "a#b",
        "a?b",
        "quo'te\"s",
        "~[x]{y}^|`",
        "back\\slash",
        "🌧",
        "<tag>",
        "a:b*c",
        ".hidden",
    ];
    on_both(|objects| {
        for name in odd {
            objects.put(name, name.as_bytes().to_vec()).unwrap();
        }
        for name in odd {
            let content = objects.get(name).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(content, name.as_bytes(), "{name}");
        }
        let mut sorted = odd;
        sorted.sort_unstable();
        assert_eq!(names(&objects.list("").unwrap()), sorted);
        objects.delete_many(&odd.map(str::to_owned)).unwrap();
        assert_eq!(objects.list("").unwrap(), []);
        for name in ["", "../a", "a//b", "a#1", "a\nb"] {
            assert!(matches!(objects.put(name, Vec::new()), Err(ObjectError::Name { .. })), "{name:?}");
        }
    });
}

#[test]
fn many_threads_and_an_asynchronous_one_may_call() {
    on_both(|objects| {
        std::thread::scope(|scope| {
            for number in 0..8 {
                let objects = objects.clone();
                scope.spawn(move || objects.put(&format!("{number}"), vec![number]).unwrap());
            }
        });
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let found = runtime.block_on(async { objects.get("5") });
        assert_eq!(found.unwrap(), [5]);
    });
}

#[test]
fn what_a_folders_disk_refuses_is_told() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let path = folder.path().join("file/below");
    let error = Objects::open(path.to_str().unwrap(), StorageOptions::default()).unwrap_err();
    assert!(error.to_string().contains("file/below") && matches!(error, ObjectError::Open { .. }), "{error}");

    let objects = Objects::open(folder.path().to_str().unwrap(), StorageOptions::default()).unwrap();
    let error = objects.put("file/below", Vec::new()).unwrap_err();
    assert!(!error.is_unavailable() && !error.is_missing(), "{error}");
    let error = objects.put(&"x".repeat(300), Vec::new()).unwrap_err();
    assert!(matches!(error, ObjectError::Disk { .. }) && !error.is_full(), "{error}");
}
