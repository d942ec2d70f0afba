//! Defines documents with the difficult cases of each format, and tests the fields of a record.

use gleaner_corpus::{ContentHash, Extras, Preference, Usage};
use serde_json::Value;

use super::*;

pub(crate) fn documents() -> Vec<Document> {
    let first = Document {
        id: DocumentId([1; 16]),
        url: "https://www.baolang.example/cho-que?a=1&b=2".into(),
        host: "www.baolang.example".into(),
        title: Some("Chợ \"quê\" <họp> sớm & tan sớm".into()),
        text: "Sáng nay, chợ quê họp sớm.\nBà con nói: \"Rau < cá & thịt\"…\nMưa".into(),
        kinds: "pqh".into(),
        language: "vi".into(),
        fetched: "2026-11-20T02:30:00.123456789Z".parse().unwrap(),
        published: Some("2026-11-20T09:00:00+07:00".into()),
        authors: vec!["An".into(), "Bình|Chi".into()],
        section: Some("Kinh tế".into()),
        content_hash: ContentHash::from_text("1"),
        method: "block-model".into(),
        confidence: Some(87),
        language_probability: Some(99),
        published_utc: Some("2026-11-20T02:00:00Z".parse().unwrap()),
        description: Some("Chợ họp <sớm>".into()),
        keywords: vec!["chợ".into(), "rau; cá".into()],
        site_name: Some("Báo Làng".into()),
        image: Some("https://www.baolang.example/cho.jpg?w=1&h=2".into()),
        article_type: Some("news".into()),
        paywalled: Some(false),
        complete: Some(true),
        extras: Extras {
            comments: vec!["Hay quá!".into()],
            captions: vec!["Chợ quê".into()],
            links: vec!["https://www.baolang.example/rau".into()],
            link_texts: vec!["rau".into()],
        },
        usage: Usage {
            use_train_ai: Preference::Disallow,
            use_search: Preference::Allow,
            use_statements: vec!["robots.txt Content-Signal: search=yes, ai-train=no".into()],
            barred_agents: vec!["CCBot".into()],
            robots_fetched: Some("2026-11-20T02:00:00.5Z".parse().unwrap()),
            ..Usage::default()
        },
        ..Document::default()
    };
    let second = Document {
        id: DocumentId([2; 16]),
        url: "http://villagepost.example/a".into(),
        host: "villagepost.example:8080".into(),
        title: Some(String::new()),
        text: "It's 3.5 km.\n\nIt's 3.5 km.".into(),
        kinds: String::new(),
        language: "en".into(),
        published: None,
        authors: vec!["Harbour Wire".into()],
        credits: vec!["Harbour Wire".into()],
        section: None,
        canonical: Some("http://villagepost.example/a".into()),
        content_hash: ContentHash::from_text("2"),
        method: "template".into(),
        template_version: Some(2),
        confidence: None,
        language_probability: None,
        published_utc: None,
        description: None,
        keywords: Vec::new(),
        site_name: None,
        image: None,
        article_type: None,
        paywalled: Some(true),
        complete: None,
        extras: Extras::default(),
        usage: Usage::default(),
        ..first.clone()
    };
    let third = Document {
        id: DocumentId([3; 16]),
        title: None,
        text: String::new(),
        language: "und".into(),
        content_hash: ContentHash::from_text("3"),
        confidence: Some(10),
        ..second.clone()
    };
    vec![first, second, third]
}

/// Returns the fields in the snapshots. A new field need not be one of them.
pub(crate) fn snapshot_fields() -> Fields {
    let names = "id, url, host, title, language, language_probability, published, published_utc, modified, \
        authors, credits, section, keywords, description, site_name, image, article_type, \
        paywalled, complete, canonical, fetched, revision, gone, words, sentences, tokens, \
        sentence_length, stop_word_share, repeated_line_share, symbol_share, method, \
        template_version, confidence, content_hash, urls, cluster, similarity, near_duplicates, \
        related, removed, archive_file, archive_offset, comments, captions, links, link_texts, \
        kinds, text";
    names.parse().unwrap()
}

pub(crate) fn context(document: &Document) -> RecordContext {
    let urls = vec![document.url.clone(), format!("{}#2", document.url)];
    let representative = Some(DocumentId([9; 16]));
    let archived = Some(("gleaner-20261120023000-00001.warc.gz".to_owned(), 1234));
    RecordContext {
        urls,
        representative,
        similarity: Some(0.75),
        near_duplicates: 2,
        archived,
        ..RecordContext::default()
    }
}

fn json(record: &Record, fields: &Fields) -> String {
    let mut out = Vec::new();
    crate::format::json_lines::render(record, fields, &mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn json_has_the_chosen_fields_in_their_order() {
    for document in documents() {
        let context = context(&document);
        let record = Record::new(&document, &context);
        let whole: Value = serde_json::from_str(&json(&record, &Fields::default())).unwrap();
        assert_eq!(whole.as_object().unwrap().len(), FIELDS.len());
        let some = json(&record, &"text,words,id".parse().unwrap());
        let expected =
            format!("{{\"text\":{},\"words\":{},\"id\":{}}}\n", whole["text"], whole["words"], whole["id"]);
        assert_eq!(some, expected);
    }
}

#[test]
fn wrong_names_of_fields_are_refused() {
    for (names, expected) in [
        ("id,", "there is no field \"\"; the fields are id, url,"),
        ("id,Text", "there is no field \"Text\""),
        ("id, text,id", "the field \"id\" is named twice"),
    ] {
        let error = names.parse::<Fields>().unwrap_err();
        assert!(error.starts_with(expected), "{error}");
    }
}

/// Replaces the part of a file between two lines, which follows from the fields. Fails if the file was outdated.
fn require_part(path: &str, begin: &str, end: &str, part: &str) {
    let path = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
    let old = std::fs::read_to_string(&path).unwrap();
    let start = old.find(begin).unwrap() + begin.len();
    let stop = start + old[start..].find(end).unwrap();
    let new = format!("{}{part}{}", &old[..start], &old[stop..]);
    if new != old {
        std::fs::write(&path, new).unwrap();
        panic!("{path} did not have the fields of crates/corpus/src/fields.rs. It was rewritten: commit it.");
    }
}

#[test]
fn documentation_follows_the_fields() {
    let row = |field: &Field| {
        let meaning = field.meaning.concat();
        let meaning = meaning.trim().trim_end_matches('.');
        format!("| `{}` | {meaning} | {} |\n", field.name, field.kind.label())
    };
    let rows: String = FIELDS.iter().map(row).collect();
    require_part(
        "docs/corpus.md",
        "| field | meaning | Parquet |\n|---|---|---|\n",
        "\nThe document of a",
        &rows,
    );
}

#[test]
fn python_types_follow_the_fields() {
    let field = |field: &Field| {
        let type_ = match field.kind {
            FieldType::Text | FieldType::Time => "str",
            FieldType::OptionalText | FieldType::OptionalTime => "Optional[str]",
            FieldType::Texts => "List[str]",
            FieldType::OptionalFlag => "Optional[bool]",
            FieldType::Count => "int",
            FieldType::OptionalCount | FieldType::OptionalSmallCount => "Optional[int]",
            FieldType::Number => "float",
            FieldType::OptionalNumber => "Optional[float]",
        };
        let meaning = field.meaning.join("\n   ").replace("; null ", "; None ");
        format!("    {}: {type_}\n    \"\"\"{}\"\"\"\n", field.name, meaning.trim())
    };
    let of_library: String = FIELDS.iter().filter(|field| field.is_in_library()).map(field).collect();
    let of_corpus: String = FIELDS.iter().map(field).collect();
    let begin = "    # Follows from crates/corpus/src/fields.rs. A test rewrites it.\n";
    for (file, fields) in [("_document.py", of_library), ("_corpus_document.py", of_corpus)] {
        require_part(&format!("crates/python/python/gleaner/{file}"), begin, "\n    @property", &fields);
    }
}

#[test]
fn cells_are_of_the_type_that_the_list_says() {
    for document in documents() {
        let context = context(&document);
        let record = Record::new(&document, &context);
        for field in FIELDS {
            let cell = field.value(&record);
            let fits = match (field.kind, cell) {
                (FieldType::Text, Cell::Text(text)) => text.is_some(),
                (FieldType::Number, Cell::Number(number)) => number.is_some(),
                (FieldType::Time, Cell::Time(time)) => time.is_some(),
                (FieldType::Count, Cell::Long(count)) => count.is_some(),
                (FieldType::OptionalText, Cell::Text(_))
                | (FieldType::OptionalNumber, Cell::Number(_))
                | (FieldType::Texts, Cell::Texts(_))
                | (FieldType::OptionalTime, Cell::Time(_))
                | (FieldType::OptionalCount, Cell::Long(_))
                | (FieldType::OptionalFlag, Cell::Flag(_))
                | (FieldType::OptionalSmallCount, Cell::Int(_)) => true,
                _ => false,
            };
            assert!(fits, "{}: {cell:?}", field.name);
        }
    }
}

#[test]
fn every_figure_of_a_condition_is_a_field_with_the_same_value() {
    for document in documents() {
        let context = RecordContext::default();
        let record = Record::new(&document, &context);
        for (figure, ..) in gleaner_corpus::condition::FIGURES {
            assert!(FIELDS.iter().any(|field| field.name == figure), "{figure}");
            if !["similarity", "near_duplicates"].contains(&figure) {
                assert_eq!(record.figure(figure), document.figure(figure), "{figure}");
            }
        }
    }
}

#[test]
fn figures_are_found_by_name() {
    let document = &documents()[0];
    let context = context(document);
    let record = Record::new(document, &context);
    assert_eq!(record.figure("words"), Some(13.0));
    assert_eq!((record.figure("similarity"), record.figure("near_duplicates")), (Some(0.75), Some(2.0)));
    assert_eq!(record.figure("confidence"), Some(0.87));
    assert_eq!(record.figure("url"), None);
}
