//! Computes the space saving: the share of a page's size that is saved if only the text is stored.
//!
//! Weninger and Hsu (2008), 5.2 and table 4, compare the sizes of the HTML and of the extracted text, both
//! plain and compressed. The size of a page is the number of its recorded bytes. The size of a text is the
//! number of its bytes in UTF-8. Each page and each text is compressed with gzip at level 6.
//!
//! Limitation: a method that extracts nothing gets the best possible value.

use std::io::Write;
use std::ops::AddAssign;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::share;

/// Sizes in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    /// The uncompressed size.
    pub plain: u64,
    /// The size after compression with gzip.
    pub gzip: u64,
}

/// The sizes of one or more pages and of the extracted texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sizes {
    /// The HTML.
    pub html: Size,
    /// The extracted text.
    pub text: Size,
}

impl Size {
    /// Measures the plain and the compressed size.
    ///
    /// # Panics
    /// Never panics, because the compression runs in memory.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        let compressed = encoder.write_all(bytes).and_then(|()| encoder.finish());
        let gzip = compressed.expect("memory takes what is written").len() as u64;
        Self { plain: bytes.len() as u64, gzip }
    }
}

impl Sizes {
    /// Returns the saved share of the uncompressed HTML. The share is negative if the text is larger.
    #[must_use]
    pub fn saving(self) -> f64 {
        saving(self.html.plain, self.text.plain)
    }

    /// Returns the saved share if both HTML and text are compressed.
    #[must_use]
    pub fn saving_gzip(self) -> f64 {
        saving(self.html.gzip, self.text.gzip)
    }
}

fn saving(html: u64, text: u64) -> f64 {
    if html == 0 { 0.0 } else { 1.0 - share(text, html) }
}

impl AddAssign for Sizes {
    fn add_assign(&mut self, other: Self) {
        self.html.plain += other.html.plain;
        self.html.gzip += other.html.gzip;
        self.text.plain += other.text.plain;
        self.text.gzip += other.text.gzip;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn savings_are_shares_of_the_html() {
        let sized = |plain, gzip| Size { plain, gzip };
        let space = Sizes { html: sized(200, 50), text: sized(20, 10) };
        assert!((space.saving() - 0.9).abs() < 1e-12 && (space.saving_gzip() - 0.8).abs() < 1e-12);
        assert_eq!(Sizes::default().saving(), 0.0);
        let mut sum = space;
        sum += space;
        assert_eq!((sum.html.plain, sum.text.gzip), (400, 20));
    }

    /// The paper gives mean sizes in KB in 5.2, and the savings "a mean space savings of 95%" and "88%".
    #[test]
    fn the_papers_sizes_give_the_papers_savings() {
        let html = Size { plain: 963_034, gzip: 223_477 };
        let space = Sizes { html, text: Size { plain: 49_770, gzip: 27_553 } };
        assert_eq!(((space.saving() * 100.0).round(), (space.saving_gzip() * 100.0).round()), (95.0, 88.0));
    }

    #[test]
    fn what_repeats_compresses() {
        let size = Size::from_bytes("rain ".repeat(1_000).as_bytes());
        assert!(size.plain == 5_000 && size.gzip < 100, "{size:?}");
    }
}
