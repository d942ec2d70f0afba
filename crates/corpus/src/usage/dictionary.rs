//! Parses dictionaries of structured fields (RFC 9651, 4.2.2), such as `train-ai=n, search=y`.
//!
//! Only tokens matter here. All other values must be well-formed, but are not kept, and neither are parameters.

/// A member of a dictionary: the key, and the value if it is a token.
pub(super) type Member<'a> = (&'a str, Option<&'a str>);

/// Parses a dictionary. If a key occurs several times, the last value counts. Returns `None` if the text is no
/// dictionary.
pub(super) fn parse(text: &str) -> Option<Vec<Member<'_>>> {
    let mut rest = Rest(text.trim_matches(' '));
    let mut members: Vec<Member<'_>> = Vec::new();
    while !rest.0.is_empty() {
        let key = rest.key()?;
        let value = if rest.eat('=') { rest.item_or_list()? } else { None };
        rest.parameters()?;
        members.push((key, value));
        rest.skip_white_space();
        if rest.0.is_empty() {
            break;
        }
        if !rest.eat(',') {
            return None;
        }
        rest.skip_white_space();
        if rest.0.is_empty() {
            return None;
        }
    }
    Some(members)
}

/// Returns the last token of a key.
pub(super) fn value_of<'a>(members: &[Member<'a>], key: &str) -> Option<&'a str> {
    members.iter().rev().find(|(known, _)| *known == key)?.1
}

/// The text that is still to be parsed.
struct Rest<'a>(&'a str);

impl<'a> Rest<'a> {
    fn eat(&mut self, wanted: char) -> bool {
        let rest = self.0.strip_prefix(wanted);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn skip_white_space(&mut self) {
        self.0 = self.0.trim_start_matches([' ', '\t']);
    }

    fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        let end = self.0.find(|c: char| !is_part(c)).unwrap_or(self.0.len());
        let (taken, rest) = self.0.split_at(end);
        self.0 = rest;
        taken
    }

    fn key(&mut self) -> Option<&'a str> {
        let is_start = |c: char| c.is_ascii_lowercase() || c == '*';
        let is_part = |c: char| is_start(c) || c.is_ascii_digit() || matches!(c, '_' | '-' | '.');
        self.0.starts_with(is_start).then(|| self.take_while(is_part))
    }

    fn parameters(&mut self) -> Option<()> {
        while self.eat(';') {
            self.0 = self.0.trim_start_matches(' ');
            self.key()?;
            if self.eat('=') {
                self.item()?;
            }
        }
        Some(())
    }

    fn item_or_list(&mut self) -> Option<Option<&'a str>> {
        if !self.eat('(') {
            return self.item();
        }
        loop {
            self.0 = self.0.trim_start_matches(' ');
            if self.eat(')') {
                return Some(None);
            }
            self.item()?;
            self.parameters()?;
            if !self.0.starts_with([' ', ')']) {
                return None;
            }
        }
    }

    /// Parses a bare item. Returns the token, or `Some(None)` if it is of another type.
    fn item(&mut self) -> Option<Option<&'a str>> {
        match self.0.chars().next()? {
            c if c.is_ascii_alphabetic() || c == '*' => {
                let is_part = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~:/".contains(c);
                return Some(Some(self.take_while(is_part)));
            }
            '"' => self.string()?,
            ':' => self.bytes()?,
            '?' => self.boolean()?,
            '@' => {
                self.eat('@');
                self.number(false)?;
            }
            '%' => self.display_string()?,
            _ => self.number(true)?,
        }
        Some(None)
    }

    fn string(&mut self) -> Option<()> {
        self.eat('"');
        loop {
            self.take_while(|c| matches!(c, ' '..='~') && !matches!(c, '"' | '\\'));
            if self.eat('"') {
                return Some(());
            }
            if !(self.eat('\\') && (self.eat('"') || self.eat('\\'))) {
                return None;
            }
        }
    }

    fn bytes(&mut self) -> Option<()> {
        self.eat(':');
        self.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '='));
        self.eat(':').then_some(())
    }

    fn boolean(&mut self) -> Option<()> {
        self.eat('?');
        (self.eat('0') || self.eat('1')).then_some(())
    }

    fn display_string(&mut self) -> Option<()> {
        self.eat('%');
        if !self.eat('"') {
            return None;
        }
        self.take_while(|c| matches!(c, ' '..='~') && c != '"');
        self.eat('"').then_some(())
    }

    /// Parses an integer of up to 15 digits or, if `has_decimals`, a decimal number.
    fn number(&mut self, has_decimals: bool) -> Option<()> {
        self.eat('-');
        let digits = self.take_while(|c| c.is_ascii_digit()).len();
        if has_decimals && self.0.starts_with('.') {
            self.eat('.');
            let decimals = self.take_while(|c| c.is_ascii_digit()).len();
            return ((1..=12).contains(&digits) && (1..=3).contains(&decimals)).then_some(());
        }
        (1..=15).contains(&digits).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_all_types_are_parsed_and_only_tokens_kept() {
        for (text, token) in [
            ("a=y", Some("y")),
            (" a=n ", Some("n")),
            ("a=y,a=n", Some("n")),
            ("a=y , \tb=n", Some("y")),
            ("a;x=1;y=\"q\\\"\";z, b", None),
            ("a=n;x;y=?0", Some("n")),
            ("a=y, a", None),
            ("a=\"n\"", None),
            ("a=?1", None),
            ("a=-1.5", None),
            ("a=999999999999999", None),
            ("a=:aGk=:", None),
            ("a=@1659578233", None),
            ("a=%\"f%c3%bc\"", None),
            ("a=(x \"y\";p=1 2.5);q", None),
            ("a=( )", None),
            ("*=n, a=Yes/no", Some("Yes/no")),
        ] {
            let members = parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(value_of(&members, "a"), token, "{text}");
        }
        assert_eq!(parse(""), Some(Vec::new()));
    }

    #[test]
    fn other_texts_are_no_dictionaries() {
        for text in [
            "A=n",
            "a=n,",
            "a=n b=y",
            "a=n;",
            "a = n",
            "=n",
            "a=",
            "a=\"n",
            "a=\"\\n\"",
            "a=(n",
            "a=(n,m)",
            "a=1.",
            "a=1234567890123456",
            "a=1.2345",
            "a=?2",
            "a=:a",
            "a=@1.5",
            "a=%n",
            "a=ü",
            "ä=n",
            "a=n,,b=y",
            "a=n;A=1",
            "a=\u{a0}n",
            "-a=n",
            "{\"a\": \"n\"}",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn any_text_is_parsed_or_refused(text in "[a-c*=;, ()\"\\\\:?@%0-9.y\\PC-]{0,40}") {
            let _ = parse(&text);
        }

        #[test]
        fn a_token_is_found_among_other_members(before in "(b(=(1|\"x\"|\\?0|\\(1 2\\)))?(;p=q)?, ){0,3}", value in "[yn]") {
            let text = format!("{before}a={value}");
            proptest::prop_assert_eq!(parse(&text).and_then(|members| value_of(&members, "a")), Some(value.as_str()));
        }
    }
}
