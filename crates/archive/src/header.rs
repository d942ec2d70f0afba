//! Parses the named fields of a record (WARC 1.1, 4 and 5).
//!
//! Names are compared without case. The lines of a folded field are joined. If several fields have the same
//! name, the first applies.

/// The named fields of a record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Header {
    /// Names and values in the order of the file. The values are trimmed.
    pub fields: Vec<(String, String)>,
}

impl Header {
    /// Parses the lines between `WARC/1.x` and the empty line. Ignores lines that are not fields. U+FFFD
    /// replaces invalid UTF-8.
    #[must_use]
    pub fn parse(lines: &[u8]) -> Self {
        let mut fields: Vec<(String, String)> = Vec::new();
        for line in String::from_utf8_lossy(lines).split('\n') {
            let line = line.trim_end_matches('\r');
            if line.starts_with([' ', '\t']) {
                if let Some((_, value)) = fields.last_mut() {
                    value.push(' ');
                    value.push_str(line.trim());
                }
            } else if let Some((name, value)) = line.split_once(':') {
                fields.push((name.trim().to_owned(), value.trim().to_owned()));
            }
        }
        Self { fields }
    }

    /// Returns the value of the first field with this name, compared without case. Returns `None` if no field
    /// has this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let is_it = |(known, _): &&(String, String)| known.eq_ignore_ascii_case(name);
        self.fields.iter().find(is_it).map(|(_, value)| value.as_str())
    }

    /// Returns `WARC-Target-URI`, without the angle brackets that some writers add. Returns `None` if the
    /// field is absent.
    #[must_use]
    pub fn target(&self) -> Option<&str> {
        let value = self.get("WARC-Target-URI")?;
        Some(value.strip_prefix('<').and_then(|value| value.strip_suffix('>')).unwrap_or(value))
    }

    /// Returns `WARC-Date`, or `None` if the field is absent or not a time.
    #[must_use]
    pub fn date(&self) -> Option<jiff::Timestamp> {
        let value = self.get("WARC-Date")?;
        // Files that were converted from the older ARC format may have dates of 14 digits.
        let spread = || {
            let digits =
                Some(value).filter(|value| value.len() == 14 && value.bytes().all(|b| b.is_ascii_digit()))?;
            let part = |from: usize, to: usize| &digits[from..to];
            Some(format!(
                "{}-{}-{}T{}:{}:{}Z",
                part(0, 4),
                part(4, 6),
                part(6, 8),
                part(8, 10),
                part(10, 12),
                part(12, 14)
            ))
        };
        value.parse().ok().or_else(|| spread()?.parse().ok())
    }

    /// Returns `WARC-Type` in lower case, or `None` if the field is absent.
    #[must_use]
    pub fn kind(&self) -> Option<String> {
        self.get("WARC-Type").map(str::to_ascii_lowercase)
    }

    /// Returns `Content-Length`, or `None` if the field is absent or not a number.
    #[must_use]
    pub fn length(&self) -> Option<u64> {
        self.get("Content-Length")?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_without_case() {
        let header = Header::parse(
            b"WARC-Type: Response\r\nwarc-target-uri:  <http://a.example/x> \r\nX-Long: one\r\n two\r\nno field\r\n\
              WARC-Date: 2026-11-21T02:00:00.5Z\r\ncontent-length: 12\r\nContent-Length: 13\r\n",
        );
        assert_eq!(header.kind().as_deref(), Some("response"));
        assert_eq!(header.target(), Some("http://a.example/x"));
        assert_eq!(header.get("x-long"), Some("one two"));
        assert_eq!(header.length(), Some(12));
        assert_eq!(header.date(), Some("2026-11-21T02:00:00.5Z".parse().unwrap()));
        assert_eq!(header.get("absent"), None);
    }

    #[test]
    fn odd_values_are_none() {
        for (lines, date) in [("WARC-Date: 20261121020000", true), ("WARC-Date: 2026", false), ("", false)] {
            assert_eq!(Header::parse(lines.as_bytes()).date().is_some(), date, "{lines}");
        }
        assert_eq!(Header::parse(b"Content-Length: -1").length(), None);
        assert_eq!(Header::parse(b"\xff\xfe: \xff").fields.len(), 1);
    }
}
