//! Generates the positive pairs. Each consists of a text and a copy with changes that an editor might make.
//!
//! All random choices of an edit depend on a seed. Inserted words come from another text of the same
//! language, so they are real words with realistic frequencies.
//!
//! Limitation: editors rewrite sentences, but rarely replace one word in ten at random. Random replacement
//! changes more shingles than real edits.

use unicode_normalization::UnicodeNormalization;

use super::random::Random;
use super::texts::TextLanguage;

/// How a copy differs from its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Edit {
    /// The copy has a different headline.
    Retitled,
    /// This percentage of the words is replaced, removed, or followed by an inserted word.
    Edited(u8),
    /// A tenth to a quarter of the paragraphs are removed.
    Dropped,
    /// The paragraphs are in a different order.
    Reordered,
    /// The beginning of another text is added at the end. Its length is a seventh of the text's words.
    Tail,
    /// The copy has only the first half.
    Half,
    /// A by-line and a lead are added before the text, and a closing line after it. Three percent of the
    /// words are edited. Up to a fifth of the paragraphs are removed from the end.
    Wire,
    /// The spelling differs: decomposed letters, another rule for tone marks, other quotation marks and
    /// dashes.
    Respelled,
}

impl Edit {
    /// All edits, with the parameters that are evaluated.
    pub const ALL: [Self; 11] = [
        Self::Retitled,
        Self::Respelled,
        Self::Edited(5),
        Self::Edited(10),
        Self::Edited(15),
        Self::Edited(20),
        Self::Dropped,
        Self::Reordered,
        Self::Tail,
        Self::Half,
        Self::Wire,
    ];

    /// Returns the edit's name in tables.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Retitled => "retitled".into(),
            Self::Edited(percent) => format!("{percent}% of words edited"),
            Self::Dropped => "paragraphs dropped".into(),
            Self::Reordered => "paragraphs reordered".into(),
            Self::Tail => "tail added".into(),
            Self::Half => "half kept".into(),
            Self::Wire => "wire copy".into(),
            Self::Respelled => "respelled".into(),
        }
    }

    /// Returns the text and its copy. `text` and `other` are lists of paragraphs. Inserted words come from
    /// `other`. Inserted by-lines are in `language`.
    #[must_use]
    pub fn pair(
        self,
        text: &[String],
        other: &[String],
        language: TextLanguage,
        random: &mut Random,
    ) -> (String, String) {
        let whole = text.join("\n");
        let copy = match self {
            Self::Retitled => {
                let title = |of: &[String]| head(of, 9).to_uppercase();
                return (format!("{}\n{whole}", head(text, 12)), format!("{}\n{whole}", title(other)));
            }
            Self::Edited(percent) => edited(text, other, f64::from(percent) / 100.0, random),
            Self::Dropped => dropped(text, random),
            Self::Reordered => {
                let mut moved = text.to_vec();
                random.shuffle(&mut moved);
                moved.join("\n")
            }
            Self::Tail => format!("{whole}\n{}", head(other, whole.split_whitespace().count() / 7)),
            Self::Half => head(text, whole.split_whitespace().count() / 2),
            Self::Wire => wire(text, other, language, random),
            Self::Respelled => respelled(&whole),
        };
        (whole, copy)
    }
}

fn head(text: &[String], words: usize) -> String {
    let mut left = words;
    let mut head = Vec::new();
    for paragraph in text {
        let taken: Vec<&str> = paragraph.split_whitespace().take(left).collect();
        left -= taken.len();
        head.push(taken.join(" "));
        if left == 0 {
            break;
        }
    }
    head.join("\n")
}

fn edited(text: &[String], other: &[String], share: f64, random: &mut Random) -> String {
    let stock: Vec<&str> = other.iter().flat_map(|paragraph| paragraph.split_whitespace()).collect();
    let paragraph = |paragraph: &String| {
        let mut words = Vec::new();
        for word in paragraph.split_whitespace() {
            let edit = if random.chance(share) { random.below(5) } else { 5 };
            match edit {
                0..3 => words.push(random.choose(&stock)),
                3 => {}
                4 => words.extend([word, random.choose(&stock)]),
                _ => words.push(word),
            }
        }
        words.join(" ")
    };
    text.iter().map(paragraph).collect::<Vec<_>>().join("\n")
}

fn dropped(text: &[String], random: &mut Random) -> String {
    let share = random.between(10, 25);
    let mut order: Vec<usize> = (0..text.len()).collect();
    random.shuffle(&mut order);
    let gone = &order[..(text.len() * share / 100).max(1).min(text.len() - 1)];
    let kept = text.iter().enumerate().filter(|(at, _)| !gone.contains(at));
    kept.map(|(_, paragraph)| paragraph.as_str()).collect::<Vec<_>>().join("\n")
}

fn wire(text: &[String], other: &[String], language: TextLanguage, random: &mut Random) -> String {
    let (line, end): (&[&str], &[&str]) = match language {
        TextLanguage::English => (
            &["By our correspondent in Brussels", "LONDON, Nov 3 (Agency) -", "Staff and agencies, Monday"],
            &["Reporting by our staff; editing by the desk", "With material from the agencies."],
        ),
        TextLanguage::Vietnamese => (
            &["Theo phóng viên tại Hà Nội", "TP.HCM, ngày 3/11 -", "Nhóm phóng viên thời sự"],
            &["Theo TTXVN và các hãng tin", "Biên tập: ban thời sự quốc tế"],
        ),
    };
    let cut = text.len() - text.len() * random.below(20) / 100;
    let body = edited(&text[..cut.max(1)], other, 0.03, random);
    let lead = head(other, random.between(8, 20));
    format!("{}\n{lead}\n{body}\n{}", random.choose(line), random.choose(end))
}

/// Moves tone marks to the position of the other common rule, decomposes all letters, and replaces quotation
/// marks and dashes.
fn respelled(text: &str) -> String {
    const OTHER_RULE: [(&str, &str); 10] = [
        ("òa", "oà"),
        ("óa", "oá"),
        ("ỏa", "oả"),
        ("õa", "oã"),
        ("ọa", "oạ"),
        ("òe", "oè"),
        ("óe", "oé"),
        ("ỏe", "oẻ"),
        ("úy", "uý"),
        ("ủy", "uỷ"),
    ];
    let moved = OTHER_RULE.iter().fold(text.to_owned(), |text, (one, other)| text.replace(one, other));
    moved.replace(['“', '”'], "\"").replace('’', "'").replace(" - ", " — ").nfd().collect()
}

#[cfg(test)]
mod tests {
    use super::super::share::SharedWords;
    use super::*;

    fn text(of: &str) -> Vec<String> {
        (0..20).map(|line| (0..25).map(|at| format!("{of}{} ", line * 25 + at)).collect()).collect()
    }

    #[test]
    fn edits_leave_what_their_names_say() {
        let bounds = |edit| match edit {
            Edit::Retitled => (0.95, 1.0),
            Edit::Edited(5) => (0.92, 0.98),
            Edit::Edited(10) => (0.85, 0.95),
            Edit::Edited(15) => (0.79, 0.91),
            Edit::Edited(_) => (0.73, 0.87),
            Edit::Dropped => (0.74, 0.91),
            Edit::Reordered | Edit::Respelled => (1.0, 1.0),
            Edit::Tail => (0.86, 0.89),
            Edit::Half => (0.49, 0.51),
            Edit::Wire => (0.7, 0.99),
        };
        for edit in Edit::ALL {
            for seed in 0..20 {
                let mut random = Random::new(seed);
                let (one, copy) = edit.pair(&text("a"), &text("b"), TextLanguage::Vietnamese, &mut random);
                let (least, most) = bounds(edit);
                let share = SharedWords::new(&one, &copy).share();
                assert!((least..=most).contains(&share), "{edit:?} {seed}: {share}");
                assert!(edit == Edit::Half || one != copy || edit == Edit::Respelled);
            }
        }
    }

    #[test]
    fn another_spelling_is_the_other_rule_in_decomposed_letters() {
        assert_eq!(respelled("hòa “tủy”"), "hoa\u{300} \"tuy\u{309}\"");
    }

    #[test]
    fn a_text_of_one_paragraph_survives_every_edit() {
        let one = vec!["alpha beta gamma delta".to_owned()];
        for edit in Edit::ALL {
            let (_, copy) = edit.pair(&one, &one, TextLanguage::English, &mut Random::new(3));
            assert!(!copy.trim().is_empty(), "{edit:?}");
        }
    }
}
