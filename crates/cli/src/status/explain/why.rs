//! Explains in a few sentences why a line is body text or not.

use gleaner_crawl::render::language::Bilingual;
use gleaner_extract::block_model::{ClassifiedBlock, Reason, RemovalReason, Repeated};
use gleaner_extract::lines::class::{ClassReason, LineClass};
use gleaner_extract::template::{PublishedTemplate, SiteTemplate};
use gleaner_html::{NodeId, Page};

use super::ExplanationInput;
use super::class_names::class_words;

pub(super) fn chance(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds).exp())
}

pub(super) fn percent(share: f32) -> String {
    gleaner_crawl::render::text::percent(share.into())
}

pub(super) fn why(
    explained: &ExplanationInput<'_>,
    at: usize,
    class: LineClass,
    because: ClassReason,
) -> Bilingual {
    let block = &explained.judgement.blocks[at];
    let class = explained.judgement.inserts[at].map_or(class, LineClass::from);
    let mut text = Bilingual::default();
    if let Some(pin) = explained.judgement.pins[at] {
        let pin = explained.pins.describe(pin);
        let vietnamese = pin.replace(", line ", ", dòng ");
        text = Bilingual::new(format!("Pinned: {pin}. "), format!("Được ghim: {vietnamese}. "));
    }
    if let Some(insert) = explained.judgement.inserts[at] {
        let (name, asked_by) = (class_words(insert.into()), explained.pins.asked_by());
        text = text.followed_by(&Bilingual::new(
            format!("Kept: {} ({asked_by}). ", name.english),
            format!("Được giữ: {} ({asked_by}). ", name.vietnamese),
        ));
    }
    let published = explained.template.and_then(|template| template.published.as_ref());
    let judgement = match (published, block.removed) {
        (Some(published), _) => by_published(published, block),
        (None, Some(removed)) if block.reason == Reason::Removed => why_removed(removed, explained.template),
        (None, _) => by_evidence(explained, block, at),
    };
    text.followed_by(&judgement).followed_by(&why_class(explained.page, block, class, because))
}

fn why_class(page: &Page, block: &ClassifiedBlock, class: LineClass, because: ClassReason) -> Bilingual {
    let Bilingual { english, vietnamese } = class_words(class);
    let (called, named) = (format!(" Called a {english}"), format!(" Xếp vào loại “{vietnamese}”"));
    match because {
        ClassReason::Links => {
            let share = percent(block.link_share);
            Bilingual::new(
                format!("{called} since {share} of its words are links."),
                format!("{named} vì {share} số từ là liên kết."),
            )
        }
        ClassReason::Element(element) => {
            let selector = selector(page, element, 1);
            Bilingual::new(
                format!("{called} for {selector} around it."),
                format!("{named} vì nằm trong {selector}."),
            )
        }
        ClassReason::Words => {
            Bilingual::new(format!("{called} for its words."), format!("{named} theo từ ngữ của nó."))
        }
        ClassReason::Judged | ClassReason::Nothing => Bilingual::default(),
    }
}

fn by_published(published: &PublishedTemplate, block: &ClassifiedBlock) -> Bilingual {
    let (english, vietnamese) = match (published, block.model > 0.0, block.removed.is_some()) {
        (PublishedTemplate::FastContentExtractor(_), true, _) => (
            "Its path is that of a content block, and no stored non-content block resembles it.",
            "Đường dẫn của nó là của khối nội dung, và không khối ngoài nội dung nào đã lưu giống nó.",
        ),
        (PublishedTemplate::FastContentExtractor(_), false, true) => (
            "Its path is that of a content block, but a stored non-content block resembles it.",
            "Đường dẫn của nó là của khối nội dung, nhưng một khối ngoài nội dung đã lưu giống nó.",
        ),
        (PublishedTemplate::FastContentExtractor(_), false, false) => {
            ("Its path is not that of a content block.", "Đường dẫn của nó không phải của khối nội dung.")
        }
        (PublishedTemplate::ContentExtractor(_), true, _) => {
            ("Too few pages of the site have a similar block.", "Quá ít trang của báo có khối tương tự.")
        }
        (PublishedTemplate::ContentExtractor(_), false, _) => {
            ("Many pages of the site have a similar block.", "Nhiều trang của báo có khối tương tự.")
        }
    };
    Bilingual::new(english, vietnamese)
}

fn why_removed(removed: RemovalReason, template: Option<&SiteTemplate>) -> Bilingual {
    match removed {
        RemovalReason::RepeatedBySite => {}
        RemovalReason::RepeatedOnPage => {
            return Bilingual::new(
                "The page repeats it, as it repeats placeholders.",
                "Trang lặp lại dòng này, như lặp lại phần giữ chỗ.",
            );
        }
        RemovalReason::Consent => {
            return Bilingual::new("It is part of a consent dialog.", "Dòng này thuộc hộp thoại xin đồng ý.");
        }
        RemovalReason::Box => {
            return Bilingual::new(
                "It is part of a box about the author, or of a request for support.",
                "Dòng này thuộc ô giới thiệu tác giả hoặc lời kêu gọi ủng hộ.",
            );
        }
        RemovalReason::Caption => {
            return Bilingual::new("It is named a caption.", "Tên phần tử cho biết đây là chú thích ảnh.");
        }
        RemovalReason::OtherStory => {
            return Bilingual::new(
                "It is part of another story below the page's own.",
                "Dòng này thuộc một bài khác ở dưới bài của trang.",
            );
        }
    }
    let pages = template.map_or(0, |template| template.site.pages as usize);
    let least = Repeated::least(pages);
    Bilingual::new(
        format!(
            "The site repeats it: the same text stands at the same place on at least {least} of the {pages} pages learned from."
        ),
        format!(
            "Trang báo lặp lại dòng này: cùng một văn bản ở cùng một vị trí trên ít nhất {least} trong {pages} trang đã học."
        ),
    )
}

fn by_evidence(explained: &ExplanationInput<'_>, block: &ClassifiedBlock, at: usize) -> Bilingual {
    let at_path = |english: &str, vietnamese: &str| {
        let path = explained.template.map(|template| of_path(template, block)).unwrap_or_default();
        Bilingual::new(english, vietnamese).followed_by(&path)
    };
    match block.reason {
        Reason::Path if block.path.is_some_and(|path| path.mean > 0.0) => {
            at_path("Its place decides: ", "Vị trí quyết định: ")
        }
        Reason::Path => at_path("Dropped by its place: ", "Bỏ theo vị trí: "),
        Reason::Unlikely => at_path(
            "Dropped: its place does not decide, and it is a line of links, or short and away from the content: ",
            "Bỏ: vị trí không đủ để quyết định, và dòng này là liên kết, hoặc ngắn và xa nội dung: ",
        ),
        Reason::Between => Bilingual::new(
            "It is between lines of content, and nothing strong speaks against it.",
            "Dòng này nằm giữa các dòng nội dung, và không có dấu hiệu mạnh nào ngược lại.",
        ),
        Reason::Words => Bilingual::new(
            "Its words, or what is around it, are those of a caption, a credit, a by-line, a comment, a note of the editors, a \"read more\" line or the label of an advertisement.",
            "Từ ngữ hoặc những gì ở quanh là của chú thích ảnh, nguồn ảnh, tên tác giả, bình luận, lời tòa soạn, dòng “xem thêm” hoặc nhãn quảng cáo.",
        ),
        Reason::Subtree => Bilingual::new(
            "It is in an element that had no content on the pages learned from.",
            "Dòng này nằm trong phần tử không có nội dung trên các trang đã học.",
        ),
        Reason::Model | Reason::Removed => by_model(explained, block, at),
    }
}

fn of_path(template: &SiteTemplate, block: &ClassifiedBlock) -> Bilingual {
    let (pages, path) = (template.site.pages, &block.dom_path);
    let Some(known) = block.path else {
        return Bilingual::new(
            format!("no line of the {pages} pages learned from is at {path}."),
            format!("không dòng nào trên {pages} trang đã học ở {path}."),
        );
    };
    let (on, content) = (known.pages, percent(chance(known.mean)));
    Bilingual::new(
        format!(
            "{on} of {pages} pages have lines of this length at {path}, with a mean probability of {content}."
        ),
        format!("{on} trong {pages} trang có dòng dài như vậy ở {path}, với xác suất trung bình {content}."),
    )
}

fn by_model(explained: &ExplanationInput<'_>, block: &ClassifiedBlock, at: usize) -> Bilingual {
    let alone = percent(chance(block.model));
    let Some(template) = explained.template.filter(|template| template.site.pages > 0) else {
        return Bilingual::new(
            format!("{alone} by the model; there is no template."),
            format!("{alone} theo mô hình; chưa có mẫu trang."),
        );
    };
    let before = match explained.judgement.pins[at].is_some() {
        true => Bilingual::new("Without it: ", "Nếu không có ghim: "),
        false => Bilingual::same(percent(chance(block.log_odds)) + ": "),
    };
    let model = Bilingual::new(format!("the model says {alone}; "), format!("mô hình cho {alone}; "));
    before.followed_by(&model).followed_by(&of_path(template, block))
}

const MAX_ELEMENTS: usize = 4;

const MAX_NAME_LENGTH: usize = 80;

/// Returns a selector for a pins file. It has at least `least` steps, and up to four until one has a class or
/// id.
pub(super) fn selector(page: &Page, element: NodeId, least: usize) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut node = element;
    loop {
        let tag = page.tag(node).unwrap_or_default();
        let names = names(page, node);
        let is_named = !names.is_empty();
        parts.push(escaped(tag) + &names);
        let parent = page.node(node).parent;
        let is_enough =
            parts.len() >= least && (is_named || parts.iter().any(|part| part.contains(['.', '#'])));
        if is_enough || parts.len() == MAX_ELEMENTS || parent == node {
            break;
        }
        node = parent;
    }
    parts.reverse();
    parts.join(" > ")
}

fn names(page: &Page, element: NodeId) -> String {
    let mut out = String::new();
    for (sign, attribute) in [('#', "id"), ('.', "class")] {
        let value = page.attribute(element, attribute).unwrap_or_default();
        for name in value.split_ascii_whitespace().filter(|name| name.len() <= MAX_NAME_LENGTH).take(4) {
            out.push(sign);
            out += &escaped(name);
        }
    }
    out
}

pub(super) fn escaped(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii() && !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_extract::Pins;

    #[test]
    fn selectors_can_be_pinned() {
        let page = Page::parse(
            "<div class='md:w-1/2 big' id=a.b><section><p>x</p></section></div><p class=lead>y</p><b>z</b>",
        );
        let p: Vec<NodeId> = page.elements("p").collect();
        assert_eq!(selector(&page, p[0], 1), r"div#a\.b.md\:w-1\/2.big > section > p");
        assert_eq!(selector(&page, p[1], 1), "p.lead");
        assert_eq!(selector(&page, p[1], 2), "body > p.lead");
        assert_eq!(selector(&page, page.elements("b").next().unwrap(), 1), "html > body > b");
        for element in p {
            let written = selector(&page, element, 2);
            assert!(Pins::new("x", &[(1, &written)], &[]).is_ok(), "{written}");
        }
    }
}
