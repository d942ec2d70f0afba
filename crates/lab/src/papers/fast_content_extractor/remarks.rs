//! Writes the remarks of tables II, III and IV.

use gleaner_extract::site_methods::fast_content_extractor::FastContentExtractorParams;

use super::measured::{RUNS, SiteFigures, TIMED};
use crate::papers::statistics::mean;

const FEW: usize = 20;

const AS_IN_TABLE_2: &str = "Sites, pages and folds as in table II; other sites and years than the paper's.";

fn of_blocks() -> String {
    let (named, by_default) =
        (FastContentExtractorParams::of_the_paper(), FastContentExtractorParams::default());
    format!(
        "Blocks are cut at the tags that the papers name ({}); their list lost entries in print. A block is \
         repeated \"many times\" when it stands on {:.0}% of the pages that are learned from and on {} at \
         least: the paper has no number, and ours was chosen on these same sets. The default outside of \
         these tables is {} block tags; F with those is in columns of its own in tables III and IV.",
        named.block_tags.join(", "),
        100.0 * named.repeated_share,
        named.repeated_pages,
        by_default.block_tags.len()
    )
}

fn of_sites(sites: &[SiteFigures], left_out: &[&str]) -> Vec<String> {
    let mut remarks = vec![
        "The paper's pages are gone: its rows and ours differ in sites, pages and years. Means and medians \
         under its name are of its rows."
            .to_owned(),
        of_blocks(),
        "Ours: the template protocol, five folds a site, each page by what at most 30 pages of the other \
         folds teach; the paper learned from 20 to 30."
            .to_owned(),
    ];
    let few: Vec<String> = sites
        .iter()
        .filter(|site| site.training_pages < FEW)
        .map(|site| format!("{} ({})", site.name, site.training_pages))
        .collect();
    if !few.is_empty() {
        remarks.push(format!("Fewer than {FEW} pages to learn from: {}.", few.join(", ")));
    }
    if sites.is_empty() {
        remarks.push("No set at hand is of one site, so nothing is ours.".to_owned());
    }
    if !left_out.is_empty() {
        remarks.push(format!("No row, since the pages are not of one site: {}.", left_out.join(", ")));
    }
    remarks
}

pub(super) fn of_table_2(sites: &[SiteFigures], left_out: &[&str]) -> Vec<String> {
    let mut remarks = of_sites(sites, left_out);
    remarks.push(format!(
        "The paper gives PerTime no unit. It is read as seconds: in milliseconds a machine of 2009 would have \
         done all in about the time that parsing alone takes here, and in minutes the 269 pages of kenh14.vn \
         would have taken it three days. Between that machine and this one a difference means nothing, so \
         there is none; what is compared is the ratio. Ours is taken from the parsed page to its lines: \
         least of {RUNS} runs, mean over the pages, the first {TIMED} of a site at most, on one thread of \
         this machine; where others share it, ratios differ from run to run."
    ));
    remarks.push(
        "Our CE compares each block with all blocks of the other pages, as the paper describes it. The \
         paper's own seems to have compared with NumBlockTemp blocks only, as its column says, which is less \
         work; so the two improvements are not like for like. The last two columns are ours with those \
         blocks only, each distinct text once: nearest to the paper's, but only a time, not the method."
            .to_owned(),
    );
    remarks.push(
        "On vietnamnet.vn the paper's NumBlockTemp times NumBlock falls from 2,783 to 66, and its time only \
         from 0.563 s to 0.527 s: most of it must be a part that both methods share, such as parsing. Ours \
         leaves parsing out, which makes our ratios greater."
            .to_owned(),
    );
    remarks.extend(indexed(sites));
    let larger =
        sites.iter().filter(|site| site.named[1].num_block_temp > site.named[0].num_block_temp).count();
    remarks.push(format!(
        "FastCE's NumBlockTemp is smaller than CE's on all of the paper's sites and greater on {larger} of \
         our {}: a stored block is kept once a path, so one that stands on several is several.",
        sites.len()
    ));
    remarks.extend(paper_errors());
    remarks
}

fn indexed(sites: &[SiteFigures]) -> Option<String> {
    let time = mean(&sites.iter().map(|site| site.times.indexed).collect::<Vec<_>>())?;
    let ratios = sites.iter().filter(|site| site.times.fast > 0.0);
    let ratio = mean(&ratios.map(|site| site.times.indexed / site.times.fast).collect::<Vec<_>>())?;
    Some(format!(
        "With an index of rare features CE gives the same answer in {:.2} ms (mean of the sites), {:.1}% \
         of FastCE's time.",
        1e3 * time,
        100.0 * ratio
    ))
}

fn paper_errors() -> [String; 2] {
    [
        "\"Improvement\" is the ratio of both times: 100% would be none. By the times printed it is 146.05% \
         on cnn.com (146.5% in print) and 248.0% on news.bbc.co.uk (247.9% in print, cut off)."
            .to_owned(),
        "thanhvien.com.vn is thanhnien.com.vn in the paper's table I.".to_owned(),
    ]
}

pub(super) fn of_table_3() -> Vec<String> {
    let mut remarks = vec![AS_IN_TABLE_2.to_owned(), of_blocks()];
    remarks.push(
        "F is the mean over a site's pages of the page's F. Actual content blocks are the gold text's lines; \
         a block is found when more than half of its pairs of neighbouring words are. The paper does not say \
         how it decided, nor how its blocks were marked."
            .to_owned(),
    );
    remarks.push(
        "Ours is lower: precision counts every short block (comments, related links, dates) that differs \
         from page to page as much as a paragraph. The paper's text calls the two methods similar; its own \
         cnn.com has 0.91 and 0.75."
            .to_owned(),
    );
    remarks
}

pub(super) fn of_table_4() -> Vec<String> {
    let mut remarks = vec![AS_IN_TABLE_2.to_owned(), of_blocks()];
    remarks.push(
        "F is the mean over a site's pages of the page's F over the multiset of words; the gold leaves out \
         headline, by-line and captions, which the paper may have counted as content."
            .to_owned(),
    );
    remarks.push(
        "Ours is lower where something beside the article differs from page to page (comments, related \
         links, teasers): neither method can tell it from content, and a path of tags takes it in."
            .to_owned(),
    );
    remarks
}
