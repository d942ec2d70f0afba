//! Generates labelled pairs from gold texts, to evaluate the detection of duplicates.
//!
//! | file | content |
//! |---|---|
//! | [`texts`] | reads gold texts by language, and cuts them to the length of news |
//! | [`edits`] | generates positive pairs: copies with changes such as editors make |
//! | [`series`] | generates negative pairs: parts of series with fixed wording |
//! | [`share`] | measures shared words by alignment, independently of shingles |
//! | [`figures`] | computes precision and recall by similarity, language and kind |
//! | [`curve`] | draws precision and recall |
//!
//! Further negative pairs consist of two different texts: the most similar texts of a site, two parts of an
//! article, any two texts, or any two texts with the same boilerplate added. Such a pair counts as a
//! duplicate if the texts share 70% of the shorter text's words ([`share`]), although it was not generated as
//! a copy.
//!
//! All random choices depend on a seed, so the same sets always yield the same pairs.
//!
//! Limitation: copies and series are artificial, because no recorded set contains real edits of news agency
//! texts.

pub mod curve;
pub mod edits;
pub mod figures;
pub mod random;
pub mod series;
pub mod share;
pub mod texts;

use rayon::prelude::*;

use self::edits::Edit;
use self::random::Random;
use self::series::{Series, renumbered};
use self::texts::{Text, TextLanguage};
use crate::measure::words::WordBag;

/// The kind of a negative pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DifferenceKind {
    /// A text, and the text of another article of its site that shares the most words with it.
    SameTopic,
    /// Two parts of the same article.
    SameArticle,
    /// Two texts of different articles.
    Other,
    /// Two texts of different articles, both with the same boilerplate at the end.
    Framed,
    /// Two parts of a generated series.
    Series(Series),
    /// A gold text, and the same text with different numbers.
    Renumbered,
}

impl DifferenceKind {
    /// Returns the kind's name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SameTopic => "same site, nearest text",
            Self::SameArticle => "other part of the article",
            Self::Other => "other text",
            Self::Framed => "other text, same frame",
            Self::Series(Series::Weather) => "series: weather",
            Self::Series(Series::Prices) => "series: prices",
            Self::Series(Series::Lottery) => "series: lottery",
            Self::Series(Series::Market) => "series: markets",
            Self::Renumbered => "other numbers",
        }
    }
}

/// The kind of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PairKind {
    /// A text and its copy.
    Copy(Edit),
    /// Two different texts.
    DifferenceKind(DifferenceKind),
}

impl PairKind {
    /// Returns the kind's name in tables.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Copy(edit) => edit.name(),
            Self::DifferenceKind(unlike) => unlike.name().to_owned(),
        }
    }
}

/// A labelled pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The language of both texts.
    pub language: TextLanguage,
    /// The kind of the pair.
    pub kind: PairKind,
    /// The texts.
    pub texts: (String, String),
}

/// The numbers of generated pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairParams {
    /// The seed of all random choices.
    pub seed: u64,
    /// Maximum number of texts per language from which pairs are generated.
    pub texts: usize,
    /// Minimum number of copies per kind and language. If there are fewer texts, some are copied repeatedly.
    pub copies: usize,
    /// The number of pairs per series and language.
    pub series: usize,
}

impl Default for PairParams {
    fn default() -> Self {
        Self { seed: 1, texts: 1_500, copies: 300, series: 500 }
    }
}

/// Generates all pairs from these texts.
#[must_use]
pub fn pairs(texts: &[Text], params: &PairParams) -> Vec<Pair> {
    let of = |language: TextLanguage| {
        let mut of: Vec<&Text> = texts.iter().filter(|text| text.language == language).collect();
        Random::new(params.seed).shuffle(&mut of);
        of.truncate(params.texts);
        let mut pairs = copies(&of, language, params);
        pairs.extend(others(&of, language, params.seed));
        pairs.extend(of_series(&of, language, params));
        pairs
    };
    TextLanguage::ALL.into_iter().flat_map(of).collect()
}

fn stream(seed: u64, of: usize, round: usize) -> Random {
    Random::new(Random::new(seed ^ ((of as u64) << 20 | round as u64)).number())
}

fn copies(texts: &[&Text], language: TextLanguage, params: &PairParams) -> Vec<Pair> {
    if texts.len() < 2 {
        return Vec::new();
    }
    let count = texts.len().max(params.copies);
    let copy = |(round, edit): (usize, Edit), at: usize| {
        let mut random = stream(params.seed, at, round);
        let other = texts[(at + 1 + random.below(texts.len() - 1)) % texts.len()];
        let texts = edit.pair(&texts[at % texts.len()].paragraphs, &other.paragraphs, language, &mut random);
        Pair { language, kind: PairKind::Copy(edit), texts }
    };
    let edits = Edit::ALL.into_iter().enumerate();
    edits.flat_map(|edit| (0..count).map(move |at| (edit, at))).map(|(edit, at)| copy(edit, at)).collect()
}

fn others(texts: &[&Text], language: TextLanguage, seed: u64) -> Vec<Pair> {
    let pair = |unlike, one: String, other: String| Pair {
        language,
        kind: PairKind::DifferenceKind(unlike),
        texts: (one, other),
    };
    let bags: Vec<WordBag> = texts.par_iter().map(|text| WordBag::from_text(&text.whole())).collect();
    let mut pairs = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        if let Some(near) = nearest(texts, &bags, at) {
            pairs.push(pair(DifferenceKind::SameTopic, text.whole(), texts[near].whole()));
        }
        let later = texts[at + 1..].iter().find(|other| other.article == text.article);
        pairs.extend(later.map(|later| pair(DifferenceKind::SameArticle, text.whole(), later.whole())));
        let other = texts[stream(seed, at, 100).below(texts.len())];
        if other.article != text.article {
            let frame = frame(language);
            pairs.push(pair(DifferenceKind::Other, text.whole(), other.whole()));
            let framed = |text: &Text| format!("{}\n{frame}", text.whole());
            pairs.push(pair(DifferenceKind::Framed, framed(text), framed(other)));
        }
    }
    pairs
}

/// Returns the index of the text that shares the most words with the text at index `at`, among the other
/// articles of its site.
fn nearest(texts: &[&Text], bags: &[WordBag], at: usize) -> Option<usize> {
    let same = (0..texts.len())
        .filter(|other| texts[*other].site == texts[at].site && texts[*other].article != texts[at].article);
    same.max_by(|a, b| {
        let likeness = |other: usize| bags[at].against(&bags[other]).ratios().f1;
        likeness(*a).total_cmp(&likeness(*b)).then(b.cmp(a))
    })
}

const fn frame(language: TextLanguage) -> &'static str {
    match language {
        TextLanguage::English => {
            "Follow us on all social networks and sign up for our free daily newsletter, delivered to your \
             inbox every morning before seven.\nThis material may not be published, broadcast, rewritten or \
             redistributed without permission. Comments are open to subscribers only and are moderated."
        }
        TextLanguage::Vietnamese => {
            "Mời quý độc giả theo dõi các chương trình đã phát sóng và bấm đăng ký kênh để nhận tin tức mới \
             nhất mỗi ngày.\nMọi ý kiến đóng góp xin gửi về tòa soạn theo địa chỉ thư điện tử. Nghiêm cấm sao \
             chép nội dung dưới mọi hình thức nếu chưa có sự đồng ý bằng văn bản."
        }
    }
}

fn of_series(texts: &[&Text], language: TextLanguage, params: &PairParams) -> Vec<Pair> {
    let made = Series::ALL.into_iter().enumerate().flat_map(|(number, series)| {
        (0..params.series).map(move |at| {
            let mut random = stream(params.seed, at, 200 + number);
            let texts = (series.part(language, &mut random), series.part(language, &mut random));
            Pair { language, kind: PairKind::DifferenceKind(DifferenceKind::Series(series)), texts }
        })
    });
    let renumbered = texts.iter().enumerate().filter_map(|(at, text)| {
        let text = text.whole();
        let other = renumbered(&text, &mut stream(params.seed, at, 300))?;
        Some(Pair {
            language,
            kind: PairKind::DifferenceKind(DifferenceKind::Renumbered),
            texts: (text, other),
        })
    });
    made.chain(renumbered).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts() -> Vec<Text> {
        let paragraph = |text: usize, at: usize| {
            (0..30)
                .map(|word| format!("{}x{} ", "abcdefgh".chars().nth(text).unwrap(), (at * 30 + word) % 97))
                .collect()
        };
        let text = |at: usize| Text {
            language: TextLanguage::English,
            site: "a.example".into(),
            article: at / 2,
            paragraphs: (0..5).map(|line| paragraph(at, line)).collect(),
        };
        (0..8).map(text).collect()
    }

    #[test]
    fn a_seed_gives_its_pairs_and_another_one_others() {
        let params = PairParams { copies: 10, series: 3, ..PairParams::default() };
        let made = pairs(&texts(), &params);
        assert_eq!(made, pairs(&texts(), &params));
        assert_ne!(made, pairs(&texts(), &PairParams { seed: 2, ..params }));
        let count = |kind| made.iter().filter(|pair| pair.kind == kind).count();
        assert!(Edit::ALL.iter().all(|edit| count(PairKind::Copy(*edit)) == 10));
        // Series need no gold texts, so Vietnamese series exist although there are no Vietnamese gold texts.
        assert!(
            Series::ALL.iter().all(|of| count(PairKind::DifferenceKind(DifferenceKind::Series(*of))) == 6)
        );
        assert_eq!(count(PairKind::DifferenceKind(DifferenceKind::SameTopic)), 8);
        assert_eq!(count(PairKind::DifferenceKind(DifferenceKind::SameArticle)), 4);
    }

    #[test]
    fn texts_of_no_set_give_series_only() {
        let made = pairs(&[], &PairParams::default());
        assert!(
            made.iter().all(|pair| matches!(pair.kind, PairKind::DifferenceKind(DifferenceKind::Series(_))))
        );
    }
}
