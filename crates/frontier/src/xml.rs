//! Walks through XML, including XML with errors. Reports elements by local name, and their unescaped text.
//!
//! The walk tolerates common errors of sitemaps and feeds: a bare `&` in an address, unmatched end tags,
//! undeclared prefixes and entities. It does not resolve namespaces, because prefixes are often undeclared or
//! wrong. If the parser cannot continue after an error, the walk ends with an [`IncompleteReason`], after
//! everything before the error was reported. The walk builds no tree, so deep nesting needs no memory.

use crate::body::{IncompleteReason, TextStream};
use quick_xml::Reader;
use quick_xml::escape::{resolve_predefined_entity, unescape};
use quick_xml::events::{BytesRef, BytesStart, Event};

/// Maximum number of bytes kept of one element's text. Addresses and dates are shorter.
const MAX_TEXT: usize = 16 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Pass,
    /// Collect the element's text up to the next tag and pass it to [`Visitor::text`].
    Collect,
    /// End the walk, because this is another type of document.
    Stop,
}

pub(crate) struct Element<'a> {
    start: &'a BytesStart<'a>,
}

impl Element<'_> {
    pub(crate) fn name(&self) -> &str {
        self.start.local_name().into_inner()
    }

    pub(crate) fn prefix(&self) -> &str {
        self.start.name().prefix().map_or("", |prefix| prefix.into_inner())
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        let mut attributes = self.start.html_attributes();
        attributes.with_checks(false);
        let found =
            attributes.flatten().find(|attribute| attribute.key.into_inner().eq_ignore_ascii_case(name))?;
        Some(unescape(&found.value).map_or_else(|_| found.value.to_string(), |value| value.into_owned()))
    }
}

pub(crate) trait Visitor {
    fn open(&mut self, element: &Element<'_>) -> Step;
    /// Receives the trimmed text of an element for which `open` returned [`Step::Collect`].
    fn text(&mut self, text: &str);
    fn close(&mut self, name: &str);
}

/// Walks to the end, or to the first error after which the parser cannot continue. Returns `None` if the
/// document is complete or the visitor ended the walk.
pub(crate) fn walk(stream: TextStream<'_>, visitor: &mut impl Visitor) -> Option<IncompleteReason> {
    let mut reader = Reader::from_reader(stream);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    config.expand_empty_elements = true;
    let mut walk = Walk { visitor, root: None, root_closed: false, collected: None };
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Eof) => break,
            Ok(event) => {
                if !walk.event(&event) {
                    return None;
                }
            }
            // Content after the end of the root element is ignored, so errors there are too.
            Err(_) if walk.root_closed => return None,
            Err(error) => {
                let at = reader.error_position();
                let broken = IncompleteReason::Broken { at, reason: error.to_string() };
                // If the document is cut off, the flaw of the stream is more precise.
                return Some(reader.get_ref().flaw().cloned().unwrap_or(broken));
            }
        }
    }
    if walk.root_closed {
        return None;
    }
    let truncated = walk.root.is_some().then_some(IncompleteReason::Truncated);
    reader.get_ref().flaw().cloned().or(truncated)
}

struct Walk<'v, V> {
    visitor: &'v mut V,
    root: Option<String>,
    root_closed: bool,
    collected: Option<String>,
}

impl<V: Visitor> Walk<'_, V> {
    fn event(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::Start(start) => {
                self.flush();
                let element = Element { start };
                if self.root.is_none() {
                    self.root = Some(element.name().to_owned());
                }
                match self.visitor.open(&element) {
                    Step::Pass => {}
                    Step::Collect => self.collected = Some(String::new()),
                    Step::Stop => return false,
                }
            }
            Event::End(end) => {
                self.flush();
                let name = end.local_name();
                self.root_closed |= self.root.as_deref() == Some(name.into_inner());
                self.visitor.close(name.into_inner());
            }
            Event::Text(text) => self.push(text),
            Event::CData(text) => self.push(text),
            Event::GeneralRef(reference) => self.push_reference(reference),
            _ => {}
        }
        true
    }

    fn flush(&mut self) {
        if let Some(text) = self.collected.take() {
            self.visitor.text(text.trim());
        }
    }

    fn push(&mut self, text: &str) {
        if let Some(collected) = &mut self.collected {
            let room = MAX_TEXT.saturating_sub(collected.len());
            let end = text.floor_char_boundary(room.min(text.len()));
            collected.push_str(&text[..end]);
        }
    }

    fn push_reference(&mut self, reference: &BytesRef<'_>) {
        if let Ok(Some(character)) = reference.resolve_char_ref() {
            self.push(character.encode_utf8(&mut [0; 4]));
        } else if let Some(text) = resolve_predefined_entity(reference) {
            self.push(text);
        } else {
            // The text is not an entity but part of an unescaped query, as in `&page=2;`.
            self.push("&");
            self.push(reference);
            self.push(";");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Element, Step, Visitor, walk};
    use crate::body::{IncompleteReason, TextStream};

    struct Record(String);

    impl Visitor for Record {
        fn open(&mut self, element: &Element<'_>) -> Step {
            let prefix = element.prefix();
            let href = element.attribute("href").map(|href| format!("[{href}]")).unwrap_or_default();
            self.0 += &format!("({prefix}:{}{href} ", element.name());
            if element.name() == "stop" { Step::Stop } else { Step::Collect }
        }
        fn text(&mut self, text: &str) {
            self.0 += &format!("{text} ");
        }
        fn close(&mut self, name: &str) {
            self.0 += &format!("{name}) ");
        }
    }

    fn check(xml: &str, expected: &str, flaw: Option<&str>) {
        let mut record = Record(String::new());
        let seen = walk(TextStream::new(xml.as_bytes(), 1 << 20), &mut record);
        let told = record.0.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(told, expected, "{xml}");
        let seen = seen.map(|flaw| match flaw {
            IncompleteReason::Broken { .. } => "broken",
            IncompleteReason::Truncated => "truncated",
            _ => "other",
        });
        assert_eq!(seen, flaw, "{xml}");
    }

    #[test]
    fn events() {
        check("<a> x </a>", "(:a x a)", None);
        check("<?xml version='1.0'?><!-- c --><n:a><![CDATA[ x&y ]]></n:a>", "(n:a x&y a)", None);
        check("<a>x&amp;y&#38;z&unknown;w</a>", "(:a x&y&z&unknown;w a)", None);
        check("<a>?b=1&c=2</a>", "(:a ?b=1&c=2 a)", None);
        check("<a href='b&amp;c'/>", "(:a[b&c] a)", None);
        check("<a href='b&c=1' href='d' x>t</a>", "(:a[b&c=1] t a)", None);
        check("<a><b>x</c></a>", "(:a (:b x c) a)", None);
        check("<a><stop>x</stop></a>", "(:a (:stop", None);
    }

    #[test]
    fn flaws() {
        check("<a><b>x", "(:a (:b", Some("truncated"));
        check("<a><b>x</b><b", "(:a (:b x b)", Some("broken"));
        check("<a><b>x</b><!-- ", "(:a (:b x b)", Some("broken"));
        check("<a>x</a> <b", "(:a x a)", None);
        check("", "", None);
    }
}
