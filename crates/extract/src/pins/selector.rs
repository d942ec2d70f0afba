//! Parses and matches the subset of CSS selectors that pins use.
//!
//! | selector | selected elements |
//! |---|---|
//! | `p`, `*` | `p` elements; all elements |
//! | `.lead`, `#main` | elements with this class; with this id |
//! | `[role]`, `[role=note]` | elements with this attribute; with this value (`~=`, `^=`, `$=`, `*=` as in CSS) |
//! | `div p`, `div > p` | descendants of a `div`; children of a `div` |
//! | `a, b` | elements that `a` or `b` selects |
//!
//! Parts without a space between them apply to one element: `p.lead[dir=ltr]`. A backslash escapes the next
//! character: `.md\:flex`.
//!
//! Limitation: siblings, `:not(...)`, `:nth-child(...)` and all other pseudo-classes are rejected with a
//! message. In practice, classes are sufficient to select elements. This subset needs only one pass over the
//! page. The time is proportional to elements times steps and does not depend on the nesting
//! ([`super::Pins::of_page`]).

use gleaner_html::{NodeId, Page};
use thiserror::Error;

/// Maximum number of steps of a selector, which is the number of bits in a [`State`].
const MAX_STEPS: usize = 32;

/// The error for a text that is not a supported selector.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SelectorError {
    /// The text is empty, or no selector follows a comma or combinator.
    #[error("a selector is missing; write a name, .class, #id or [attribute]")]
    Missing,
    /// Syntax that pins do not support.
    #[error(
        "`{0}` is not known in pins: write names, .class, #id, [attribute=value] (or ~= ^= $= *=), with a space or > between"
    )]
    NotKnown(String),
    /// A character in a wrong position.
    #[error("`{0}` has nothing to do here")]
    Misplaced(char),
    /// A class, id or attribute without a name.
    #[error("a name is missing behind `{0}`")]
    NoName(char),
    /// A bracket or quotation mark is not closed.
    #[error("`{0}` is not closed")]
    Open(char),
    /// A selector has too many steps. Each part between spaces or `>` is a step.
    #[error("more than {MAX_STEPS} steps")]
    TooLong,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Selector {
    /// The steps, from the outermost element to the selected element.
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Step {
    /// Whether the preceding step must match the parent, and not just any ancestor.
    is_child: bool,
    tests: Vec<Test>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Test {
    Tag(String),
    Class(String),
    /// The attribute's name, and the comparison with a value, if any.
    Attribute(String, Option<(Compare, String)>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compare {
    Equal,
    Word,
    Start,
    End,
    Part,
}

/// The state of a selector at an open element: one bit per step.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct State {
    /// The steps that this element matches, if its ancestors match all preceding steps.
    met: u32,
    /// The union of `met` of this element and its ancestors.
    above: u32,
}

impl Selector {
    pub(super) fn parse_list(text: &str) -> Result<Vec<Self>, SelectorError> {
        Parser { rest: text.trim() }.list()
    }

    pub(super) fn enter(&self, page: &Page, element: NodeId, parent: State) -> State {
        let mut met = 0;
        for (at, step) in self.steps.iter().enumerate() {
            let before = if step.is_child { parent.met } else { parent.above };
            let is_open = at == 0 || before >> (at - 1) & 1 == 1;
            if is_open && step.tests.iter().all(|test| test.holds(page, element)) {
                met |= 1 << at;
            }
        }
        State { met, above: met | parent.above }
    }

    pub(super) fn selects(&self, state: State) -> bool {
        state.met >> (self.steps.len() - 1) & 1 == 1
    }
}

impl Test {
    fn holds(&self, page: &Page, element: NodeId) -> bool {
        match self {
            Self::Tag(name) => page.tag(element) == Some(name),
            Self::Class(name) => {
                page.attribute(element, "class").is_some_and(|names| Compare::Word.holds(names, name))
            }
            Self::Attribute(name, wanted) => page.attribute(element, name).is_some_and(|value| {
                wanted.as_ref().is_none_or(|(compare, wanted)| compare.holds(value, wanted))
            }),
        }
    }
}

impl Compare {
    /// Whether a value matches. As in CSS, an empty `wanted` never matches as a prefix, suffix or part.
    fn holds(self, value: &str, wanted: &str) -> bool {
        match self {
            Self::Equal => value == wanted,
            Self::Word => value.split_ascii_whitespace().any(|word| word == wanted),
            Self::Start => !wanted.is_empty() && value.starts_with(wanted),
            Self::End => !wanted.is_empty() && value.ends_with(wanted),
            Self::Part => !wanted.is_empty() && value.contains(wanted),
        }
    }
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    fn take(&mut self, sign: char) -> bool {
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn space(&mut self) -> bool {
        let rest = self.rest.trim_start();
        let was = rest.len() < self.rest.len();
        self.rest = rest;
        was
    }

    fn list(&mut self) -> Result<Vec<Selector>, SelectorError> {
        let mut list = vec![self.selector()?];
        while self.take(',') {
            self.space();
            list.push(self.selector()?);
        }
        self.peek().map_or(Ok(list), |sign| Err(SelectorError::Misplaced(sign)))
    }

    fn selector(&mut self) -> Result<Selector, SelectorError> {
        let mut steps = vec![self.step(false)?];
        loop {
            let spaced = self.space();
            match self.peek() {
                None | Some(',') => return Ok(Selector { steps }),
                Some('>') => {
                    self.next();
                    self.space();
                    steps.push(self.step(true)?);
                }
                Some('+' | '~') => return Err(SelectorError::NotKnown(self.rest.chars().take(1).collect())),
                Some(_) if spaced => steps.push(self.step(false)?),
                Some(sign) => return Err(SelectorError::Misplaced(sign)),
            }
            if steps.len() > MAX_STEPS {
                return Err(SelectorError::TooLong);
            }
        }
    }

    fn step(&mut self, is_child: bool) -> Result<Step, SelectorError> {
        let any = self.take('*');
        let mut tests = Vec::new();
        let tag = if any { String::new() } else { self.name()? };
        if !tag.is_empty() {
            tests.push(Test::Tag(tag.to_ascii_lowercase()));
        }
        loop {
            match self.peek() {
                Some(sign @ ('.' | '#')) => {
                    self.next();
                    let name = self.wanted_name(sign)?;
                    tests.push(match sign {
                        '.' => Test::Class(name),
                        _ => Test::Attribute("id".into(), Some((Compare::Equal, name))),
                    });
                }
                Some('[') => tests.push(self.attribute()?),
                Some(':') => return Err(SelectorError::NotKnown(self.pseudo())),
                _ if any || !tests.is_empty() => return Ok(Step { is_child, tests }),
                None | Some(',') => return Err(SelectorError::Missing),
                Some(sign) => return Err(SelectorError::Misplaced(sign)),
            }
        }
    }

    fn attribute(&mut self) -> Result<Test, SelectorError> {
        self.next();
        self.space();
        let name = self.wanted_name('[')?.to_ascii_lowercase();
        self.space();
        let compare = match self.peek() {
            Some('~') => Compare::Word,
            Some('^') => Compare::Start,
            Some('$') => Compare::End,
            Some('*') => Compare::Part,
            _ => Compare::Equal,
        };
        if compare != Compare::Equal {
            self.next();
        }
        let wanted = if self.take('=') {
            self.space();
            Some((compare, self.value()?))
        } else {
            None
        };
        self.space();
        match (self.next(), wanted) {
            (Some(']'), wanted) if wanted.is_some() || compare == Compare::Equal => {
                Ok(Test::Attribute(name, wanted))
            }
            (None, _) => Err(SelectorError::Open('[')),
            (Some(sign), _) => Err(SelectorError::Misplaced(sign)),
        }
    }

    fn value(&mut self) -> Result<String, SelectorError> {
        let Some(quote) = self.peek().filter(|sign| matches!(sign, '"' | '\'')) else {
            return self.wanted_name('=');
        };
        self.next();
        let mut value = String::new();
        loop {
            match self.next() {
                None => return Err(SelectorError::Open(quote)),
                Some('\\') => value.extend(self.next()),
                Some(sign) if sign == quote => return Ok(value),
                Some(sign) => value.push(sign),
            }
        }
    }

    fn wanted_name(&mut self, behind: char) -> Result<String, SelectorError> {
        let name = self.name()?;
        if name.is_empty() { Err(SelectorError::NoName(behind)) } else { Ok(name) }
    }

    /// Parses a name: letters, digits, `-`, `_`, non-ASCII characters, and escaped characters. Unlike in CSS,
    /// a name may begin with a digit.
    fn name(&mut self) -> Result<String, SelectorError> {
        let mut name = String::new();
        while let Some(sign) = self.peek() {
            match sign {
                '\\' => {
                    self.next();
                    match self.next() {
                        Some(digit) if digit.is_ascii_hexdigit() => {
                            return Err(SelectorError::NotKnown(format!("\\{digit}")));
                        }
                        escaped => name.extend(escaped),
                    }
                }
                sign if sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_') || !sign.is_ascii() => {
                    self.next();
                    name.push(sign);
                }
                _ => break,
            }
        }
        Ok(name)
    }

    fn pseudo(&self) -> String {
        let is_part = |c: &char| c.is_alphanumeric() || matches!(c, ':' | '-');
        self.rest.chars().take_while(is_part).take(40).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(html: &str, list: &str) -> Vec<String> {
        let page = Page::parse(html);
        let mut found = Vec::new();
        for selector in Selector::parse_list(list).unwrap() {
            let mut states: Vec<State> = Vec::new();
            for (id, node) in page.iter() {
                states.truncate(node.depth as usize);
                if page.tag(id).is_none() {
                    continue;
                }
                let state = selector.enter(&page, id, states.last().copied().unwrap_or_default());
                states.push(state);
                if selector.selects(state) {
                    found.extend(page.attribute(id, "id").map(str::to_owned));
                }
            }
        }
        found
    }

    const HTML: &str = "<div id=a class='box big'><section id=b><p id=c class=lead>x</p>\
        <div id=d data-kind='note low'><p id=e dir=ltr>y</p></div></section></div><p id=f class=leading>z</p>";

    #[test]
    fn selects_as_css_does() {
        let cases: &[(&str, &[&str])] = &[
            ("p", &["c", "e", "f"]),
            ("P.lead", &["c"]),
            (".lead, #f", &["c", "f"]),
            ("*.box.big", &["a"]),
            ("div p", &["c", "e"]),
            ("div > p", &["e"]),
            ("div>section>p", &["c"]),
            ("div div p", &["e"]),
            ("section > div p", &["e"]),
            ("div > div p", &[]),
            ("body > *", &["a", "f"]),
            ("[dir]", &["e"]),
            ("[data-kind~=note]", &["d"]),
            ("[data-kind=note]", &[]),
            ("[ data-kind = 'note low' ]", &["d"]),
            ("[class^=lead][class$=\"ing\"]", &["f"]),
            ("[class*=ea]", &["c", "f"]),
            ("[class*='']", &[]),
            ("p[class=lead]", &["c"]),
        ];
        for (list, expected) in cases {
            assert_eq!(selected(HTML, list), *expected, "{list}");
        }
        assert_eq!(selected("<p id=x class='md:flex 2'>", r".md\:flex.2"), ["x"]);
        assert_eq!(selected("<p id=x class=bình-luận>", ".bình-luận"), ["x"]);
    }

    #[test]
    fn what_is_not_known_is_said() {
        let cases = [
            ("", "a selector is missing"),
            ("p,", "a selector is missing"),
            ("p >", "a selector is missing"),
            ("p:not(.a)", "`:not` is not known in pins"),
            ("li:nth-child(2)", "`:nth-child` is not known"),
            ("h2 + p", "`+` is not known"),
            ("h2 ~ p", "`~` is not known"),
            ("p.", "a name is missing behind `.`"),
            ("#", "a name is missing behind `#`"),
            ("[=a]", "a name is missing behind `[`"),
            ("[a", "`[` is not closed"),
            ("[a='b]", "`'` is not closed"),
            ("[a|=b]", "`|` has nothing to do here"),
            ("[a^]", "`]` has nothing to do here"),
            ("[a=b i]", "`i` has nothing to do here"),
            ("> p", "`>` has nothing to do here"),
            ("p!", "`!` has nothing to do here"),
            (r"#\31 23", r"`\3` is not known"),
        ];
        for (text, expected) in cases {
            let message = Selector::parse_list(text).unwrap_err().to_string();
            assert!(message.starts_with(expected), "{text}: {message}");
        }
        assert_eq!(Selector::parse_list(&["p"; 33].join(" ")), Err(SelectorError::TooLong));
        assert!(Selector::parse_list(&["p"; 32].join(" > ")).is_ok());
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn no_text_panics(text in r#"[a-c.#*>,:+~\[\]="'\\ ^é-]{0,40}"#) {
            if let Ok(list) = Selector::parse_list(&text) {
                assert!(list.iter().all(|selector| !selector.steps.is_empty()));
            }
        }
    }
}
