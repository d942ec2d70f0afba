//! Writes TEI P5 (<https://tei-c.org/guidelines/p5/>): a `<teiCorpus>` with one `<TEI>` per document.
//!
//! The header contains title, authors, publisher, dates, source, language, keywords and description. The body
//! contains the lines of the text. A heading begins a `<div>`. List items become `<list>`, quotations
//! `<quote>`, captions `<figure><head>`, and table cells and preformatted lines `<ab>` with a type.
//! Characters that XML 1.0 does not allow are omitted. Tests validate the files with the TEI schema.
//!
//! Limitation: without documents, the file is not valid TEI, because a `<teiCorpus>` needs a `<TEI>`.

use crate::Record;

/// The text that ends a file.
pub const TAIL: &[u8] = b"</teiCorpus>\n";

/// Appends the text that begins a file to `out`.
pub fn head(out: &mut Vec<u8>) {
    let version = env!("CARGO_PKG_VERSION");
    let head = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<teiCorpus xmlns=\"http://www.tei-c.org/ns/1.0\">\n<teiHeader>\n\
         <fileDesc>\n<titleStmt><title>News texts</title></titleStmt>\n\
         <publicationStmt><p>Written by gleaner {version}. The texts belong to their publishers.</p></publicationStmt>\n\
         <sourceDesc><p>Pages of news sites; the header of each text names its own.</p></sourceDesc>\n\
         </fileDesc>\n</teiHeader>\n"
    );
    out.extend_from_slice(head.as_bytes());
}

/// Appends a record to `out` as one `<TEI>`.
pub fn render(record: &Record, out: &mut Vec<u8>) {
    let mut xml = String::from("<TEI>\n<teiHeader>\n<fileDesc>\n");
    file(record, &mut xml);
    xml += "</fileDesc>\n";
    profile(record, &mut xml);
    xml += "</teiHeader>\n<text";
    attribute("xml:lang", &record.document().language, &mut xml);
    xml += ">\n<body>\n";
    body(record, &mut xml);
    xml += "</body>\n</text>\n</TEI>\n";
    out.extend_from_slice(xml.as_bytes());
}

fn file(record: &Record, xml: &mut String) {
    let document = record.document();
    let titles = |xml: &mut String| {
        element("title", &[], record.title(), xml);
        // In TEI, an author may be an organization.
        document.authors.iter().for_each(|author| element("author", &[], author, xml));
    };
    let publisher = document.site_name.as_deref().unwrap_or(&document.host);
    *xml += "<titleStmt>\n";
    titles(xml);
    *xml += "</titleStmt>\n<extent>";
    let words = record.words().to_string();
    element("measure", &[("unit", "words"), ("quantity", &words)], &words, xml);
    *xml += "</extent>\n<publicationStmt>\n";
    element("publisher", &[], publisher, xml);
    element("idno", &[("type", "gleaner")], record.id(), xml);
    *xml += "</publicationStmt>\n<sourceDesc>\n<bibl>\n";
    titles(xml);
    element("publisher", &[], publisher, xml);
    element("ref", &[("target", &document.url)], &document.url, xml);
    let fetched = format!("{:.0}", document.fetched);
    let dates = [
        ("published", document.published.as_deref()),
        ("modified", document.modified.as_deref()),
        ("fetched", Some(fetched.as_str())),
    ];
    for (name, date) in dates {
        if let Some(date) = date {
            element("date", &[("type", name), ("when", date)], date, xml);
        }
    }
    *xml += "</bibl>\n</sourceDesc>\n";
}

fn profile(record: &Record, xml: &mut String) {
    let document = record.document();
    *xml += "<profileDesc>\n";
    if let Some(description) = &document.description {
        *xml += "<abstract>";
        element("p", &[], description, xml);
        *xml += "</abstract>\n";
    }
    *xml += "<langUsage>";
    element("language", &[("ident", &record.document().language)], &record.document().language, xml);
    *xml += "</langUsage>\n";
    if document.section.is_some() || !document.keywords.is_empty() {
        *xml += "<textClass><keywords>\n";
        document.section.iter().for_each(|section| element("term", &[("type", "section")], section, xml));
        document.keywords.iter().for_each(|keyword| element("term", &[("type", "keyword")], keyword, xml));
        *xml += "</keywords></textClass>\n";
    }
    *xml += "</profileDesc>\n";
}

/// Appends the lines of the text. An empty text becomes an empty paragraph, because a body must not be empty.
fn body(record: &Record, xml: &mut String) {
    let (mut is_head, mut is_list) = (false, false);
    *xml += "<div>\n";
    let mut any = false;
    for (kind, line) in record.lines().filter(|(_, line)| !line.trim().is_empty()) {
        if is_list != (kind == 'i') {
            *xml += if is_list { "</list>\n" } else { "<list>\n" };
            is_list = !is_list;
        }
        if kind == 'h' && any && !is_head {
            *xml += "</div>\n<div>\n";
        }
        (is_head, any) = (kind == 'h', true);
        self::line(kind, line, xml);
    }
    if is_list {
        *xml += "</list>\n";
    } else if !any {
        *xml += "<p/>\n";
    }
    *xml += "</div>\n";
}

fn line(kind: char, line: &str, xml: &mut String) {
    match kind {
        'h' => element("head", &[], line, xml),
        'i' => element("item", &[], line, xml),
        'q' => element("quote", &[], line, xml),
        'c' => element("ab", &[("type", "cell")], line, xml),
        'x' => element("ab", &[("type", "preformatted")], line, xml),
        'f' => {
            *xml += "<figure>";
            element("head", &[], line, xml);
            *xml += "</figure>\n";
        }
        _ => element("p", &[], line, xml),
    }
}

fn element(name: &str, attributes: &[(&str, &str)], text: &str, xml: &mut String) {
    *xml += "<";
    *xml += name;
    attributes.iter().for_each(|(name, value)| attribute(name, value, xml));
    *xml += ">";
    escape(text.trim(), xml);
    *xml += "</";
    *xml += name;
    *xml += ">\n";
}

fn attribute(name: &str, value: &str, xml: &mut String) {
    *xml += " ";
    *xml += name;
    *xml += "=\"";
    escape(value, xml);
    *xml += "\"";
}

fn escape(text: &str, xml: &mut String) {
    for c in text.chars() {
        match c {
            '<' => *xml += "&lt;",
            '>' => *xml += "&gt;",
            '&' => *xml += "&amp;",
            '"' => *xml += "&quot;",
            '\t' => xml.push(' '),
            '\u{fffe}' | '\u{ffff}' => {}
            c if c.is_control() && c != '\n' => {}
            c => xml.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RecordContext;
    use crate::record::tests::documents;

    #[test]
    fn three_documents_as_a_corpus() {
        let mut out = Vec::new();
        head(&mut out);
        for document in documents() {
            render(&Record::new(&document, &RecordContext::default()), &mut out);
        }
        out.extend_from_slice(TAIL);
        assert_eq!(String::from_utf8(out).unwrap(), include_str!("snapshots/documents.xml"));
    }

    #[test]
    fn lines_are_elements_by_their_kinds() {
        let mut document = documents().remove(0);
        document.text = "a\nb\nc\nd\ne\nf\n\u{1}g\u{ffff}\nh\ni".into();
        document.kinds = "phhiiqcfx".into();
        let (context, mut xml) = (RecordContext::default(), String::new());
        body(&Record::new(&document, &context), &mut xml);
        let expected = "<div><p>a</p></div><div><head>b</head><head>c</head><list><item>d</item>\
            <item>e</item></list><quote>f</quote><ab type=\"cell\">g</ab><figure><head>h</head></figure>\
            <ab type=\"preformatted\">i</ab></div>";
        assert_eq!(xml.replace('\n', ""), expected);
    }
}
