//! Writes Markdown (CommonMark) with YAML front matter.
//!
//! The front matter is between two lines `---`. Its strings are in quotation marks, as in JSON. The headline
//! follows, and then one block for each line of the text. The kind of the line determines whether it becomes
//! a heading of level 2, a list item, a quotation, code or a paragraph. Characters that Markdown would
//! interpret are escaped. A line `---` occurs only before and after front matter, so a stream of documents
//! can be split again.

use std::io::Write;

use crate::Record;
use crate::record::Cell;

const FRONT_MATTER: [&str; 15] = [
    "id",
    "url",
    "host",
    "title",
    "language",
    "authors",
    "credits",
    "published",
    "published_utc",
    "modified",
    "section",
    "keywords",
    "description",
    "site_name",
    "fetched",
];

/// Appends a record to `out`.
pub fn render(record: &Record, out: &mut Vec<u8>) {
    out.extend_from_slice(b"---\n");
    for name in FRONT_MATTER {
        let cell = record.cell(name).expect("the list names fields");
        writeln!(out, "{name}: {}", yaml(cell)).expect("memory takes all");
    }
    out.extend_from_slice(b"---\n\n");
    let title = plain(record.title());
    if !title.is_empty() {
        out.extend_from_slice(format!("# {}\n\n", escaped(&title)).as_bytes());
    }
    let lines = record.lines().map(|(kind, line)| (kind, plain(line)));
    let lines: Vec<(char, String)> = lines.filter(|(_, line)| !line.is_empty()).collect();
    out.extend_from_slice(blocks(&lines).as_bytes());
}

/// Returns a value as YAML: JSON in which characters that YAML does not allow are escaped.
fn yaml(cell: Cell) -> String {
    let json = serde_json::to_string(&cell).expect("a value is JSON, and memory takes all");
    let is_refused = |c: char| {
        c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
    };
    let mut out = String::new();
    for c in json.chars() {
        if is_refused(c) {
            out += &format!("\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

fn blocks(lines: &[(char, String)]) -> String {
    let fence = fence(lines);
    let (mut text, mut before) = (String::new(), None);
    for (kind, line) in lines {
        let continues = before == Some(*kind);
        if !continues {
            end(before, &fence, &mut text);
            if *kind == 'x' {
                text += &format!(" {fence}\n");
            }
        }
        before = Some(*kind);
        text += &match kind {
            'h' => format!("## {}\n\n", escaped(line)),
            'i' => format!("- {}\n", escaped(line)),
            'q' => format!("{}> {}\n", if continues { ">\n" } else { "" }, escaped(line)),
            // The line is indented like the fence, so that no line of code is exactly `---`.
            'x' => format!(" {line}\n"),
            _ => format!("{}\n\n", escaped(line)),
        };
    }
    end(before, &fence, &mut text);
    text
}

/// Returns a code fence that does not occur in any line of the code.
fn fence(lines: &[(char, String)]) -> String {
    let runs = |line: &String| line.split(|c| c != '~').map(str::len).max();
    let longest = lines.iter().filter_map(|(_, line)| runs(line)).max().unwrap_or_default();
    "~".repeat(longest.max(2) + 1)
}

fn end(kind: Option<char>, fence: &str, text: &mut String) {
    match kind {
        Some('i' | 'q') => text.push('\n'),
        Some('x') => *text += &format!(" {fence}\n\n"),
        _ => {}
    }
}

fn plain(line: &str) -> String {
    let parts = line.split(|c: char| c.is_whitespace() || c.is_control()).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" ")
}

fn escaped(line: &str) -> String {
    let mut out = String::new();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    for (at, c) in line.char_indices() {
        let is_special = match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&' | '~' | '|' | '#' => true,
            '+' | '-' | '=' => at == 0,
            '.' | ')' => digits > 0 && at == digits,
            _ => false,
        };
        if is_special {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RecordContext;
    use crate::record::tests::documents;

    #[test]
    fn three_documents_as_a_stream() {
        let mut out = Vec::new();
        for document in documents() {
            render(&Record::new(&document, &RecordContext::default()), &mut out);
        }
        assert_eq!(String::from_utf8(out).unwrap(), include_str!("snapshots/documents.md"));
    }

    #[test]
    fn what_markdown_would_interpret_is_escaped() {
        for (line, expected) in [
            ("1. An", "1\\. An"),
            ("2026) An", "2026\\) An"),
            ("- a - b", "\\- a - b"),
            ("a_b *c* #d", "a\\_b \\*c\\* \\#d"),
            ("<b> &amp; [x](y)", "\\<b\\> \\&amp; \\[x\\](y)"),
            ("3.5 km. An", "3\\.5 km. An"),
        ] {
            assert_eq!(escaped(line), expected);
        }
    }

    #[test]
    fn lines_are_blocks_by_their_kinds() {
        let lines = [('i', "a"), ('i', "b"), ('q', "c"), ('q', "d"), ('x', "---"), ('x', "~~~"), ('f', "e")];
        assert_eq!(
            blocks(&lines.map(|(kind, line)| (kind, line.to_owned()))),
            "- a\n- b\n\n> c\n>\n> d\n\n ~~~~\n ---\n ~~~\n ~~~~\n\ne\n\n"
        );
    }

    #[test]
    fn yaml_has_no_character_that_its_readers_refuse() {
        assert_eq!(yaml(Cell::Text(Some("a\u{7f}\u{2028}\"\u{85}ệ"))), "\"a\\u007f\\u2028\\\"\\u0085ệ\"");
        assert_eq!(yaml(Cell::Texts(&["a: b".into()])), "[\"a: b\"]");
    }

    fn read(markdown: &str) -> Vec<String> {
        use pulldown_cmark::{Event, Options, Parser};
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
        let mut texts = vec![String::new()];
        for event in Parser::new_ext(markdown, options) {
            match event {
                Event::Text(text) => texts.last_mut().unwrap().push_str(&text),
                Event::Start(_) | Event::End(_) => texts.push(String::new()),
                other => panic!("{other:?} in {markdown:?}"),
            }
        }
        let lines = texts.iter().flat_map(|text| text.lines());
        lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn a_parser_reads_the_lines(
            lines in proptest::collection::vec(("[pqihxf]", "[-+*#=_~`<>&|.)(\\[\\]\\\\!:$^\"' 1aệ]{1,12}|\\PC{1,12}"), 0..8)
        ) {
            let lines = lines.iter().map(|(kind, line)| (kind.chars().next().unwrap(), plain(line)));
            let lines: Vec<(char, String)> = lines.filter(|(_, line)| !line.is_empty()).collect();
            let expected: Vec<String> = lines.iter().map(|(_, line)| line.clone()).collect();
            proptest::prop_assert_eq!(read(&blocks(&lines)), expected);
        }
    }
}
