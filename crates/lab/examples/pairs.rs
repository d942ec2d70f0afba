//! Prints how well duplicates are detected on labelled pairs, and draws the curve of precision and recall.
//!
//! ```sh
//! cargo run --release -p gleaner-lab --example pairs -- ../shared/sets docs/dedup.svg
//! ```
//!
//! The pairs are generated from the gold texts of the sets with a fixed seed, so two runs over the same sets
//! print the same results. The last table counts how many pairs of different articles share a key in the
//! index, for docs/dedup.md.

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use gleaner_corpus::dedup::{BANDS, SignedText};
use gleaner_lab::Dataset;
use gleaner_lab::pairs::figures::{Criterion, JudgedPair, KindFigures, by_kind, point};
use gleaner_lab::pairs::texts::{Text, TextLanguage, texts};
use gleaner_lab::pairs::{PairParams, curve, pairs};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let (pictures, folders): (Vec<PathBuf>, Vec<PathBuf>) =
        arguments.into_iter().partition(|path| path.extension().is_some_and(|ending| ending == "svg"));
    let texts = texts(&Dataset::find(&folders)?)?;
    let judged = JudgedPair::all(&pairs(&texts, &PairParams::default()));
    let mut out = io::stdout().lock();
    kinds(&mut out, &judged)?;
    thresholds(&mut out, &judged)?;
    numbers(&mut out, &judged)?;
    met_by_chance(&mut out, &texts)?;
    for picture in pictures {
        fs::write(&picture, curve::curve(&judged))?;
    }
    Ok(())
}

fn kinds(out: &mut impl Write, judged: &[JudgedPair]) -> io::Result<()> {
    writeln!(
        out,
        "| language | pair | pairs | words shared | similarity | share a key | duplicate | by the estimate alone | duplicate or related | found of what has to be |"
    )?;
    writeln!(out, "|---|---|{}", "---:|".repeat(8))?;
    for row in by_kind(judged) {
        let KindFigures { language, pairs, shared, similarity, .. } = row;
        let share = |count: usize| format!("{:.3}", count as f64 / pairs as f64);
        let shares = [row.candidates, row.duplicates, row.estimated, row.related].map(share).join(" | ");
        let (demanded, found) = row.demanded;
        let (language, kind) = (language.tag(), row.kind.name());
        writeln!(
            out,
            "| {language} | {kind} | {pairs} | {shared:.3} | {similarity:.3} | {shares} | {found} of {demanded} |"
        )?;
    }
    writeln!(out)
}

fn thresholds(out: &mut impl Write, judged: &[JudgedPair]) -> io::Result<()> {
    writeln!(
        out,
        "| similarity | language | called | precision | recall | called, estimate alone | precision | recall |"
    )?;
    writeln!(out, "|---:|---|{}", "---:|".repeat(6))?;
    for similarity in curve::similarities() {
        for language in TextLanguage::ALL {
            let of = || judged.iter().filter(|pair| pair.language == language);
            let cells = [Criterion::Texts, Criterion::Estimate].map(|by| {
                let point = point(of(), by, similarity);
                format!("{} | {:.4} | {:.4}", point.called, point.precision, point.recall)
            });
            writeln!(out, "| {similarity:.2} | {} | {} |", language.tag(), cells.join(" | "))?;
        }
    }
    writeln!(out)
}

/// Prints, for several thresholds of [`gleaner_corpus::dedup::SimilarityParams::series`], how many copies are
/// classified as series, and how many negative pairs are not.
fn numbers(out: &mut impl Write, judged: &[JudgedPair]) -> io::Result<()> {
    writeln!(
        out,
        "| one in 50 words and more than | one in 200 and more than | copies taken for series | negative pairs that are no series |"
    )?;
    writeln!(out, "|---:|---:|---:|---:|")?;
    for (many, most) in [(0.1, 0.1), (0.1, 0.5), (0.2, 0.2), (0.2, 0.5), (0.2, 0.7), (0.3, 0.5), (0.5, 0.5)] {
        let mut params = gleaner_corpus::dedup::SimilarityParams::default();
        (params.series[0].share, params.series[1].share) = (many, most);
        let is_alike = |pair: &&JudgedPair| pair.similarity >= params.related;
        let of = |is_copy| judged.iter().filter(is_alike).filter(move |pair| pair.is_copy() == is_copy);
        let taken = of(true).filter(|pair| params.is_series(&pair.alignment)).count();
        let missed = of(false).filter(|pair| !params.is_series(&pair.alignment)).count();
        writeln!(
            out,
            "| {many:.1} | {most:.1} | {taken} of {} | {missed} of {} |",
            of(true).count(),
            of(false).count()
        )?;
    }
    writeln!(out)
}

fn met_by_chance(out: &mut impl Write, texts: &[Text]) -> io::Result<()> {
    writeln!(
        out,
        "| language | pairs of different articles | mean similarity | meet in the index | similarity 0.3 and more |"
    )?;
    writeln!(out, "|---|{}", "---:|".repeat(4))?;
    for language in TextLanguage::ALL {
        let signed: Vec<(usize, SignedText)> = texts
            .iter()
            .filter(|text| text.language == language)
            .filter_map(|text| Some((text.article, SignedText::from_text(&text.whole())?)))
            .collect();
        let (mut pairs, mut sum, mut met, mut alike) = (0_u64, 0.0, 0_u64, 0_u64);
        for (at, (article, one)) in signed.iter().enumerate() {
            for (_, other) in signed[at + 1..].iter().filter(|(other, _)| other != article) {
                let similarity = one.signature.similarity(&other.signature);
                let shared = (0..BANDS).any(|band| one.keys.as_array()[band] == other.keys.as_array()[band]);
                (pairs, sum) = (pairs + 1, sum + similarity);
                met += u64::from(shared);
                alike += u64::from(similarity >= 0.3);
            }
        }
        writeln!(
            out,
            "| {} | {pairs} | {:.5} | {met} | {alike} |",
            language.tag(),
            sum / pairs.max(1) as f64
        )?;
    }
    Ok(())
}
