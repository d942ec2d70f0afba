//! Describes a template as text, for `gleaner template show`.

use std::fmt::Write;

use gleaner_crawl::render::language::UiLanguage;
use gleaner_crawl::render::text::minute;
use gleaner_extract::Health;
use gleaner_extract::block_model::DomPathStats;
use gleaner_extract::template::{PublishedTemplate, SiteTemplate};

const MAX_PLACES: usize = 40;

/// Returns a description of several lines: first the template's origin, then the 40 DOM paths with the most
/// body text. Before each DOM path are its estimated share of body text and its numbers of blocks and pages.
/// For a published method, the description lists the data of this method instead of DOM paths.
#[must_use]
pub(crate) fn describe(template: &SiteTemplate, language: UiLanguage) -> String {
    let site = &template.site;
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "{text}").expect("writing to a string cannot fail");
    line(fact(language, "host", "trang báo", &template.host));
    line(fact(language, "version", "phiên bản", &template.version.to_string()));
    let learned = match language {
        UiLanguage::English => format!("{} from {} pages", minute(template.learned), site.pages),
        UiLanguage::Vietnamese => format!("{} từ {} trang", minute(template.learned), site.pages),
    };
    line(fact(language, "learned", "học lúc", &learned));
    line(fact(language, "method", "phương pháp", &template.method().to_string()));
    if let Some(published) = &template.published {
        return out + &describe_published(published, language);
    }
    let (places, repeated) = (site.dom_paths.len(), site.repeated.len());
    let holds = match language {
        UiLanguage::English => format!("{places} places in pages, {repeated} repeated texts"),
        UiLanguage::Vietnamese => format!("{places} vị trí, {repeated} văn bản lặp lại"),
    };
    line(fact(language, "holds", "gồm", &holds));
    line(fact(language, "health", "tình trạng", &health(&template.health, language)));
    line(String::new());
    line(
        language
            .choose(
                "A place is where a line stands in the HTML. Content: the share of its lines that are body text.",
                "Vị trí: chỗ của dòng trong HTML. Nội dung: phần dòng ở đó thuộc bài.",
            )
            .to_owned(),
    );
    let heads = match language {
        UiLanguage::English => ["content", "lines", "pages", "place"],
        UiLanguage::Vietnamese => ["nội dung", "dòng", "trang", "vị trí"],
    };
    line(format!("{:>8}  {:>6}  {:>5}  {}", heads[0], heads[1], heads[2], heads[3]));
    let mut dom_paths: Vec<(&String, &DomPathStats)> = site.dom_paths.iter().collect();
    let sum = |dom_path: &DomPathStats| dom_path.all().sum;
    dom_paths.sort_by(|a, b| sum(b.1).total_cmp(&sum(a.1)).then_with(|| a.0.cmp(b.0)));
    for (name, dom_path) in dom_paths.iter().take(MAX_PLACES) {
        let all = dom_path.all();
        let chance = 100.0 / (1.0 + (-all.sum / f64::from(all.lines.max(1))).exp());
        line(format!("{chance:7.0}%  {:6}  {:5}  {name}", all.lines, dom_path.pages));
    }
    if dom_paths.len() > MAX_PLACES {
        let more = dom_paths.len() - MAX_PLACES;
        line(match language {
            UiLanguage::English => format!("... and {more} more; all are in --json"),
            UiLanguage::Vietnamese => format!("... và {more} vị trí nữa; --json có tất cả"),
        });
    }
    out
}

fn fact(language: UiLanguage, english: &'static str, vietnamese: &'static str, value: &str) -> String {
    match language {
        UiLanguage::English => format!("{english:<9} {value}"),
        UiLanguage::Vietnamese => format!("{vietnamese:<11} {value}"),
    }
}

fn describe_published(published: &PublishedTemplate, language: UiLanguage) -> String {
    let holds = |what: &str| fact(language, "holds", "gồm", what);
    let template = match published {
        PublishedTemplate::FastContentExtractor(template) => template,
        PublishedTemplate::ContentExtractor(site) => {
            let blocks = format!("{} {}", site.blocks(), language.choose("blocks", "khối"));
            return holds(&blocks) + "\n";
        }
    };
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "{text}").expect("writing to a string cannot fail");
    let (mut paths, stored) = (template.content_paths().iter().collect::<Vec<_>>(), template.non_content());
    paths.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
    let (with, without) = (paths.len(), stored.len());
    let counts = match language {
        UiLanguage::English => format!("{with} content paths, {without} non-content blocks"),
        UiLanguage::Vietnamese => format!("{with} đường dẫn nội dung, {without} khối ngoài nội dung"),
    };
    line(holds(&counts));
    let heads = language.choose("\nblocks  path of content blocks", "\n  khối  đường dẫn của khối nội dung");
    line(heads.to_owned());
    for (path, blocks) in paths.iter().take(MAX_PLACES) {
        line(format!("{blocks:6}  {path}"));
    }
    let heads = language
        .choose("\n pages  beginning of a non-content block", "\n trang  phần đầu của khối ngoài nội dung");
    line(heads.to_owned());
    for block in stored.iter().take(MAX_PLACES) {
        line(format!("{:6}  {}", block.pages, block.beginning));
    }
    if with.max(without) > MAX_PLACES {
        line(match language {
            UiLanguage::English => format!("Only {MAX_PLACES} of each are listed; all are in --json."),
            UiLanguage::Vietnamese => format!("Mỗi loại chỉ nêu {MAX_PLACES}; --json có tất cả."),
        });
    }
    out
}

fn health(health: &Health, language: UiLanguage) -> String {
    let Health { words, margin, .. } = health;
    let percent = |share: f32| format!("{:.0}%", 100.0 * share);
    let (known, repeated, alone) = (percent(health.known), percent(health.repeated), percent(health.alone));
    match language {
        UiLanguage::English => format!(
            "a usual page: {words} words, {known} of lines at known places, {repeated} repeated; certainty {margin:.2} (0 to 1); {alone} of pages judged alone"
        ),
        UiLanguage::Vietnamese => format!(
            "{words} từ, độ rõ {margin:.2}, {known} số dòng ở vị trí đã biết, {repeated} lặp lại; {alone} số trang được xét riêng"
        ),
    }
}

#[cfg(test)]
mod tests {
    use gleaner_html::Page;

    use super::*;

    #[test]
    fn a_template_in_words() {
        let page = |text: &str| {
            let html = format!("<p>{text}</p><p><a href=/>All rights</a> reserved.</p>");
            Page::parse(&html)
        };
        let pages = ["rain", "wind", "snow"].map(page);
        let pages: Vec<_> = pages.iter().map(|page| ("https://a.example/", page)).collect();
        let template = SiteTemplate::learn("a.example", 1, jiff::Timestamp::UNIX_EPOCH, &pages);
        let text = describe(&template, UiLanguage::English);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..6],
            [
                "host      a.example",
                "version   1",
                "learned   1970-01-01 00:00 UTC from 3 pages",
                "method    gleaner",
                "holds     1 places in pages, 1 repeated texts",
                "health    a usual page: 0 words, 100% of lines at known places, 50% repeated; certainty 0.00 (0 to 1); 100% of pages judged alone",
            ]
        );
        assert!(lines[9].ends_with("       3      3  html > body > p"), "{text}");
        let vietnamese = describe(&template, UiLanguage::Vietnamese);
        let lines: Vec<&str> = vietnamese.lines().collect();
        assert_eq!(lines[2], "học lúc     1970-01-01 00:00 UTC từ 3 trang");
        assert_eq!(lines[8], "nội dung    dòng  trang  vị trí");
        assert_eq!(lines[9], text.lines().nth(9).unwrap());
    }
}
