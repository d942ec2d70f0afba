//! Writes files that other programs expect: a dataset card for the Hugging Face library `datasets`, and a
//! registry file for Manatee, the search engine of Sketch Engine.
//!
//! The card contains languages, counts and sources. It names no licence, because the texts belong to their
//! publishers. Users must find out for themselves how they may use the texts.

use std::fmt::Write;

use crate::Manifest;
use crate::format::vertical::{ATTRIBUTES, COMPUTED};
use crate::record::Fields;

/// Maximum number of hosts in the card. The manifest contains all hosts.
const HOSTS: usize = 20;

/// Returns the `README.md` of a folder in the format `datasets`, with front matter and a
/// description of the fields.
#[must_use]
pub fn readme(manifest: &Manifest, fields: &Fields) -> String {
    let tally = &manifest.tally;
    let mut languages: Vec<_> = tally.languages.iter().collect();
    languages.sort_by_key(|(_, share)| std::cmp::Reverse(share.documents));
    let mut out = String::from("---\n");
    let known = languages.iter().filter(|(tag, _)| *tag != "und");
    let known: Vec<_> = known.map(|(tag, _)| format!("- {tag}\n")).collect();
    if !known.is_empty() {
        out += &format!("language:\n{}", known.concat());
    }
    out += &format!(
        "size_categories:\n- {}\ntask_categories:\n- text-generation\n- fill-mask\n\
         configs:\n- config_name: default\n  data_files:\n  - split: train\n    path: data/*.parquet\n---\n\n",
        size(tally.documents)
    );
    out += "# News texts\n\n\
            The front matter names no licence: the texts belong to their publishers. Find out what you may do \
            with them, and add `license:` yourself.\n\n";
    let _ = writeln!(
        out,
        "{} documents, {} words, from {} hosts, made by gleaner {} with `gleaner {}`.",
        tally.documents,
        tally.words,
        tally.hosts.len(),
        manifest.gleaner,
        manifest.command.join(" ")
    );
    if let (Some(first), Some(last)) = (tally.first_fetched, tally.last_fetched) {
        let _ = writeln!(out, "Fetched between {first:.0} and {last:.0}.");
    }
    out += "\n## Languages\n\n| language | documents | words |\n|---|---:|---:|\n";
    for (tag, share) in &languages {
        let _ = writeln!(out, "| {tag} | {} | {} |", share.documents, share.words);
    }
    let mut hosts: Vec<_> = tally.hosts.iter().collect();
    hosts.sort_by_key(|(_, share)| std::cmp::Reverse(share.documents));
    let _ = writeln!(out, "\n## Where from\n\nThe hosts with most documents; `manifest.json` has all.\n");
    out += "| host | documents | words |\n|---|---:|---:|\n";
    for (host, share) in hosts.iter().take(HOSTS) {
        let _ = writeln!(out, "| {host} | {} | {} |", share.documents, share.words);
    }
    out += "\nEach document names its `url`, all `urls` that carried its text, and when it was `fetched`.\n";
    if !tally.held_back.is_empty() {
        out += "\n## Held back\n\n| filter | documents |\n|---|---:|\n";
        for (filter, documents) in &tally.held_back {
            let _ = writeln!(out, "| `{filter}` | {documents} |");
        }
    }
    out += "\n## Fields\n\n| field | type |\n|---|---|\n";
    for field in fields.iter() {
        let _ = writeln!(out, "| `{}` | {} |", field.name, field.kind.label());
    }
    out
}

/// Returns the size category that the Hugging Face Hub defines.
const fn size(documents: u64) -> &'static str {
    match documents {
        0..1_000 => "n<1K",
        1_000..10_000 => "1K<n<10K",
        10_000..100_000 => "10K<n<100K",
        100_000..1_000_000 => "100K<n<1M",
        1_000_000..10_000_000 => "1M<n<10M",
        10_000_000..100_000_000 => "10M<n<100M",
        100_000_000..1_000_000_000 => "100M<n<1B",
        1_000_000_000..10_000_000_000 => "1B<n<10B",
        10_000_000_000..100_000_000_000 => "10B<n<100B",
        100_000_000_000..1_000_000_000_000 => "100B<n<1T",
        _ => "n>1T",
    }
}

/// What a concordance shows of a line's document, at its left and on a click.
const REFERENCES: &str = "DOCSTRUCTURE doc\nSHORTREF \"=doc.host,=doc.published\"\n\
     FULLREF \"=doc.title,=doc.host,=doc.published,=doc.authors,=doc.section,=doc.url\"\n";

/// The word in lower case, which Manatee computes.
const LOWER_CASE: &str = "ATTRIBUTE lc {
    LABEL \"word (lowercase)\"
    DYNAMIC utf8lowercase
    DYNLIB internal
    ARG1 \"C\"
    FUNTYPE s
    FROMATTR word
    DYNTYPE index
    TRANSQUERY yes
}
";

/// Returns a registry file for Manatee. The user must adapt the paths in it to their machine. The file names
/// a language only if all documents are Vietnamese, or all are English.
#[must_use]
pub fn registry(manifest: &Manifest) -> String {
    let files: Vec<_> = manifest.files.iter().map(|file| file.path.as_str()).collect();
    let mut out = String::from(
        "NAME \"News texts\"\n# Where the compiled corpus goes:\nPATH \"/corpora/manatee/news\"\n",
    );
    let _ = writeln!(out, "# The files, one after the other: {}", files.join(" "));
    out += "VERTICAL \"/corpora/vertical/news.vert\"\nENCODING \"UTF-8\"\n";
    let languages: Vec<_> = manifest.tally.languages.keys().map(String::as_str).collect();
    let language = match languages[..] {
        ["vi"] => "LANGUAGE \"Vietnamese\"\n",
        ["en"] => "LANGUAGE \"English\"\n",
        _ => "",
    };
    out += language;
    out += REFERENCES;
    out += "\nATTRIBUTE word\n";
    if manifest.tagged {
        out += "ATTRIBUTE tag\nATTRIBUTE lemma\n";
    }
    out += LOWER_CASE;
    out += "\nSTRUCTURE doc {\n";
    for attribute in ATTRIBUTES.into_iter().chain(COMPUTED) {
        match attribute {
            "authors" => {
                out += "    ATTRIBUTE \"authors\" {\n        MULTIVALUE yes\n        MULTISEP \"|\"\n    }\n";
            }
            _ => {
                let _ = writeln!(out, "    ATTRIBUTE \"{attribute}\"");
            }
        }
    }
    out += "}\nSTRUCTURE p {\n    ATTRIBUTE \"kind\"\n}\nSTRUCTURE s\nSTRUCTURE g {\n    DISPLAYTAG 0\n    DISPLAYBEGIN \"_EMPTY_\"\n}\n";
    out
}

#[cfg(test)]
mod tests {
    use gleaner_corpus::Condition;

    use super::*;
    use crate::RecordContext;
    use crate::record::tests::{documents, snapshot_fields};
    use crate::{Filter, FilterCounts, Selection};

    fn manifest() -> Manifest {
        let filter = Filter { conditions: vec![Condition::confidence(0.3).into()], ..Filter::default() };
        let mut selection = Selection::new(filter, FilterCounts::default());
        documents().iter().for_each(|document| drop(selection.take(document, &RecordContext::default())));
        Manifest {
            manifest_version: 1,
            gleaner: "0.1.0".into(),
            command: ["export", "--format", "datasets", "--into", "out"].map(String::from).into(),
            complete: true,
            started: "2026-11-21T00:00:00Z".parse().unwrap(),
            since: None,
            until: "2026-11-21T00:00:00Z".parse().unwrap(),
            tally: selection.tally().clone(),
            last_id: None,
            corpus_version: None,
            files: Vec::new(),
            tagged: false,
            unreadable: Vec::new(),
            removed: None,
        }
    }

    #[test]
    fn a_card_for_people_and_programs() {
        assert_eq!(readme(&manifest(), &snapshot_fields()), include_str!("format/snapshots/card.md"));
    }

    #[test]
    fn size_categories_are_those_of_the_hub() {
        for (documents, label) in [(999, "n<1K"), (999_999_999, "100M<n<1B"), (1_000_000_000, "1B<n<10B")] {
            assert_eq!(size(documents), label);
        }
        assert_eq!((size(999_999_999_999), size(u64::MAX)), ("100B<n<1T", "n>1T"));
    }

    #[test]
    fn a_registry_file_names_all_attributes() {
        assert_eq!(registry(&manifest()), include_str!("format/snapshots/registry"));
    }
}
