//! Determines whether a document type causes quirks mode, which affects only tables in paragraphs.
//!
//! Limitation: only the most common document types are known. For any other type, the mode is unknown.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quirks {
    No,
    Yes,
    Unknown,
}

/// Public identifiers that do not cause full quirks mode if a system identifier follows.
const KNOWN: [&str; 6] = [
    "-//w3c//dtd xhtml 1.0 strict//en",
    "-//w3c//dtd xhtml 1.0 transitional//en",
    "-//w3c//dtd xhtml 1.1//en",
    "-//w3c//dtd xhtml+rdfa 1.0//en",
    "-//w3c//dtd html 4.01//en",
    "-//w3c//dtd html 4.01 transitional//en",
];

pub(super) fn quirks(declaration: &str) -> Quirks {
    let declaration = declaration.trim_ascii().to_ascii_lowercase();
    let is_known = || {
        let public = declaration.strip_prefix("html")?.trim_ascii().strip_prefix("public")?.trim_ascii();
        let mut parts = public.split('"');
        let identifiers = [parts.next()?, parts.next()?, parts.next()?, parts.next()?, parts.next()?];
        let [before, public, between, system, behind] = identifiers.map(str::trim_ascii);
        let is_bare = parts.next().is_none() && [before, between, behind].iter().all(|part| part.is_empty());
        (is_bare && KNOWN.contains(&public) && system.starts_with("http://www.w3.org/")).then_some(())
    };
    if declaration == "html" || is_known().is_some() { Quirks::No } else { Quirks::Unknown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn document_types() {
        for (declaration, expected) in [
            (" html", Quirks::No),
            (" HTML ", Quirks::No),
            (
                " html PUBLIC \"-//W3C//DTD XHTML 1.0 Transitional//EN\"\n \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd\"",
                Quirks::No,
            ),
            (" html PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\"", Quirks::Unknown),
            (" html x", Quirks::Unknown),
            ("", Quirks::Unknown),
        ] {
            assert_eq!(quirks(declaration), expected, "{declaration}");
        }
    }
}
