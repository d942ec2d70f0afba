//! Prints how often the language of short texts is detected correctly, and how accurate its probability is.
//!
//! ```sh
//! cargo run --release -p gleaner-lab --example languages -- ../shared/sets
//! ```
//!
//! Gold texts are cut into pieces of 10 to 200 words, at most 20 per page. The manifest states the language
//! of a page. A set without languages counts as English. Vietnamese texts are also tested without their
//! diacritics. A text in the row `mixed` is three quarters English followed by one quarter Vietnamese, or
//! three quarters Vietnamese followed by one quarter English. The expected language of a mixed text is that
//! of the longer part. The declared language of a page is not used.

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use gleaner_corpus::{each_word, language};
use gleaner_lab::Dataset;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

const LENGTHS: [usize; 5] = [10, 20, 50, 100, 200];

/// Maximum number of pieces of one page, so that long pages do not dominate.
const PIECES: usize = 20;

const BOUNDS: [f64; 7] = [0.0, 0.5, 0.8, 0.9, 0.95, 0.99, 1.01];

/// A text and its expected tag.
struct Text {
    kind: &'static str,
    tag: String,
    text: String,
}

/// The result for one text.
struct Answer {
    is_right: bool,
    tag: String,
    probability: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let folders: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    let mut out = io::stdout().lock();
    let texts = texts(&folders)?;
    writeln!(out, "| texts | words | pieces | right | `und` | wrong | probability, mean | Brier |")?;
    writeln!(out, "|---|---:|---:|---:|---:|---:|---:|---:|")?;
    let mut all = Vec::new();
    let mut kinds: Vec<&str> = texts.iter().map(|text| text.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds {
        for length in LENGTHS {
            let of_kind = texts.iter().filter(|text| text.kind == kind);
            let answers: Vec<Answer> = of_kind.flat_map(|text| answers(text, length)).collect();
            row(&mut out, kind, &length.to_string(), &answers)?;
            all.extend(answers);
        }
    }
    for (length, answers) in mixed(&texts) {
        row(&mut out, "mixed", &length.to_string(), &answers)?;
    }
    calibration(&mut out, &all)?;
    whole(&mut out, &texts)?;
    Ok(())
}

fn texts(folders: &[PathBuf]) -> Result<Vec<Text>, Box<dyn Error>> {
    let mut texts = Vec::new();
    for set in Dataset::find(folders)? {
        for entry in &set.entries {
            let Some(path) = &entry.gold else { continue };
            let text: String = std::fs::read_to_string(path)?.nfc().collect();
            let tag = if entry.lang.is_empty() { "en" } else { &entry.lang };
            let kind = kind(tag);
            if tag == "vi" {
                let text = without_marks(&text);
                texts.push(Text { kind: "vi, no marks", tag: tag.into(), text });
            }
            texts.push(Text { kind, tag: tag.into(), text });
        }
    }
    Ok(texts)
}

fn kind(tag: &str) -> &'static str {
    ["vi", "en", "el", "pl", "ru", "zh"].into_iter().find(|known| *known == tag).unwrap_or("others")
}

fn without_marks(text: &str) -> String {
    text.replace('đ', "d").replace('Đ', "D").nfd().filter(|c| !is_combining_mark(*c)).collect()
}

/// Returns pieces of `length` words, evenly distributed over the text.
fn pieces(text: &str, length: usize) -> Vec<&str> {
    let at = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    let words: Vec<(usize, usize)> = each_word(text).map(|word| (at(word), at(word) + word.len())).collect();
    let all: Vec<&str> =
        words.chunks_exact(length).map(|part| &text[part[0].0..part[length - 1].1]).collect();
    let step = all.len().div_ceil(PIECES).max(1);
    all.into_iter().step_by(step).collect()
}

fn answer(text: &str, expected: &str) -> Answer {
    let answer = language(text, None);
    if std::env::var_os("SHOW_WRONG").is_some() && answer.tag != expected {
        eprintln!("{expected} {} {:.2}: {}", answer.tag, answer.probability, text.replace('\n', " / "));
    }
    Answer { is_right: answer.tag == expected, tag: answer.tag, probability: answer.probability }
}

fn answers(text: &Text, length: usize) -> Vec<Answer> {
    pieces(&text.text, length).into_iter().map(|piece| answer(piece, &text.tag)).collect()
}

/// Detects the language of mixed texts: three quarters in one language, followed by one quarter in the other.
fn mixed(texts: &[Text]) -> Vec<(usize, Vec<Answer>)> {
    let of = |kind: &str, length| -> Vec<&str> {
        texts.iter().filter(|text| text.kind == kind).flat_map(|text| pieces(&text.text, length)).collect()
    };
    let mixed = |length: usize| {
        let mut answers = Vec::new();
        for (long, short) in [("vi", "en"), ("en", "vi")] {
            let pairs = of(long, length / 4 * 3).into_iter().zip(of(short, length / 4));
            answers.extend(pairs.map(|(long_text, short)| answer(&format!("{long_text}\n{short}"), long)));
        }
        (length, answers)
    };
    LENGTHS.into_iter().skip(1).map(mixed).collect()
}

fn row(out: &mut impl Write, kind: &str, words: &str, answers: &[Answer]) -> io::Result<()> {
    let count = answers.len().max(1) as f64;
    let right = answers.iter().filter(|answer| answer.is_right).count() as f64;
    let none = answers.iter().filter(|answer| answer.tag == "und").count() as f64;
    let mean = answers.iter().map(|answer| answer.probability).sum::<f64>() / count;
    let brier = |answer: &Answer| (answer.probability - f64::from(u8::from(answer.is_right))).powi(2);
    let brier = answers.iter().map(brier).sum::<f64>() / count;
    writeln!(
        out,
        "| {kind} | {words} | {} | {:.4} | {:.4} | {:.4} | {mean:.3} | {brier:.4} |",
        answers.len(),
        right / count,
        none / count,
        1.0 - (right + none) / count,
    )
}

fn calibration(out: &mut impl Write, answers: &[Answer]) -> io::Result<()> {
    writeln!(out, "\n| stated | answers | mean of stated | right |\n|---|---:|---:|---:|")?;
    for bounds in BOUNDS.windows(2) {
        let inside =
            |answer: &&Answer| (bounds[0]..bounds[1]).contains(&answer.probability) && answer.tag != "und";
        let inside: Vec<&Answer> = answers.iter().filter(inside).collect();
        let count = inside.len().max(1) as f64;
        let mean = inside.iter().map(|answer| answer.probability).sum::<f64>() / count;
        let right = inside.iter().filter(|answer| answer.is_right).count() as f64 / count;
        let (from, to) = (bounds[0], bounds[1].min(1.0));
        writeln!(out, "| {from:.2} to {to:.2} | {} | {mean:.3} | {right:.3} |", inside.len())?;
    }
    Ok(())
}

/// Detects the language of whole texts, and measures the time.
fn whole(out: &mut impl Write, texts: &[Text]) -> io::Result<()> {
    let long: Vec<&Text> = texts.iter().filter(|text| each_word(&text.text).count() >= 20).collect();
    let began = Instant::now();
    let answers: Vec<Answer> = long.iter().map(|text| answer(&text.text, &text.tag)).collect();
    let each = began.elapsed().as_secs_f64() * 1e6 / long.len().max(1) as f64;
    let right = answers.iter().filter(|answer| answer.is_right).count();
    writeln!(out, "\nwhole texts of 20 words and more: {right} of {} right, {each:.0} µs each", long.len())
}
