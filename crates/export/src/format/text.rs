//! Writes plain text: the headline, an empty line, then the text with one paragraph per line.
//!
//! In a file with all documents of a site, two empty lines separate documents. No document contains two
//! consecutive empty lines, so the file can be split again. The text files have no metadata such as URL or
//! dates. `metadata.csv` has them for files with one document each.

use crate::Record;

/// Appends a record as text to `out`. If the document has no headline, appends only the text.
pub fn render(record: &Record, out: &mut Vec<u8>) {
    let title = record.title().split_whitespace().collect::<Vec<_>>().join(" ");
    if !title.is_empty() {
        out.extend_from_slice(title.as_bytes());
        out.extend_from_slice(b"\n\n");
    }
    let mut was_empty = true;
    for line in record.text().lines().map(str::trim_end) {
        if !(was_empty && line.is_empty()) {
            out.extend_from_slice(line.as_bytes());
            out.push(b'\n');
        }
        was_empty = line.is_empty();
    }
}

/// Returns the file or folder name for a host: its first 200 characters. `+` replaces the colon before a
/// port, a leading full stop, and any other character that is not a letter, a digit, `.`, `-` or `_`.
///
/// ```
/// use gleaner_export::format::text::file_name;
/// assert_eq!(file_name("www.a.example"), "www.a.example");
/// assert_eq!(file_name("a.example:8080"), "a.example+8080");
/// assert_eq!(file_name(".."), "+.");
/// ```
#[must_use]
pub fn file_name(host: &str) -> String {
    let fits = |(at, c): (usize, char)| match c {
        '.' if at > 0 => c,
        '-' | '_' => c,
        c if c.is_alphanumeric() => c,
        _ => '+',
    };
    let name: String = host.chars().take(200).enumerate().map(fits).collect();
    if name.is_empty() { "+".into() } else { name }
}

/// Maximum length of a title in a file name, in characters.
const MAX_TITLE: usize = 60;

/// Returns a title as a part of a file name: its first words, joined by `-`. Returns `None` if it has no letters and no
/// digits.
///
/// ```
/// use gleaner_export::format::text::title_name;
/// assert_eq!(title_name("Giá vàng: tăng 5%").as_deref(), Some("Giá-vàng-tăng-5"));
/// assert_eq!(title_name("..."), None);
/// ```
#[must_use]
pub fn title_name(title: &str) -> Option<String> {
    let mut name = String::new();
    let mut length = 0;
    for word in title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let separator = usize::from(length > 0);
        length += separator + word.chars().count();
        if length > MAX_TITLE {
            if name.is_empty() {
                name.extend(word.chars().take(MAX_TITLE));
            }
            break;
        }
        name.push_str(&"-"[..separator]);
        name.push_str(word);
    }
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RecordContext;
    use crate::record::tests::documents;

    #[test]
    fn three_documents_as_text() {
        let rendered = documents().map_text();
        assert_eq!(
            rendered,
            [
                "Chợ \"quê\" <họp> sớm & tan sớm\n\nSáng nay, chợ quê họp sớm.\nBà con nói: \"Rau < cá & thịt\"…\nMưa\n",
                "It's 3.5 km.\n\nIt's 3.5 km.\n",
                "",
            ]
        );
    }

    trait MapText {
        fn map_text(&self) -> Vec<String>;
    }

    impl MapText for Vec<gleaner_corpus::Document> {
        fn map_text(&self) -> Vec<String> {
            let text = |document| {
                let mut out = Vec::new();
                render(&Record::new(document, &RecordContext::default()), &mut out);
                String::from_utf8(out).unwrap()
            };
            self.iter().map(text).collect()
        }
    }

    #[test]
    fn there_are_never_two_empty_lines() {
        let mut document = documents().remove(0);
        document.text = "\n\na\n\n \n\nb\n\n".into();
        assert!(!vec![document].map_text()[0].contains("\n\n\n"));
    }

    #[test]
    fn titles_in_file_names_are_short() {
        assert_eq!(title_name(&"ab ".repeat(30)).unwrap().chars().count(), 59);
        assert_eq!(title_name(&"ệ".repeat(200)).unwrap().chars().count(), 60);
        assert_eq!(title_name("../a\0b\\c").unwrap(), "a-b-c");
    }

    #[test]
    fn no_host_leaves_the_folder() {
        for host in ["", ".", "..", "../..", "/etc", "a/b", "a\\b", "a\0b"] {
            let name = file_name(host);
            assert!(!name.starts_with('.') && !name.contains(['/', '\\', '\0']), "{host:?}: {name}");
        }
        assert_eq!(file_name(&"a".repeat(300)).len(), 200);
    }
}
