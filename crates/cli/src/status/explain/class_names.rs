//! Names the classes of lines for people and for style sheets.

use gleaner_crawl::render::language::Bilingual;
use gleaner_extract::lines::class::LineClass;

/// All classes, in the order of display.
pub(crate) const CLASSES: [LineClass; 9] = [
    LineClass::Content,
    LineClass::Repeated,
    LineClass::LinkList,
    LineClass::Caption,
    LineClass::Credit,
    LineClass::ByLine,
    LineClass::ReadMore,
    LineClass::Comment,
    LineClass::Other,
];

/// Returns the English name of a class.
pub(super) fn label(class: LineClass) -> &'static str {
    match class {
        LineClass::Content => "content",
        LineClass::Repeated => "repeated",
        LineClass::LinkList => "link list",
        LineClass::Caption => "caption",
        LineClass::Credit => "credit",
        LineClass::ByLine => "by-line",
        LineClass::ReadMore => "read more",
        LineClass::Comment => "comment",
        LineClass::Other => "other",
    }
}

/// Returns the name of a class in [`COLOURS`](super::COLOURS).
pub(crate) fn style_name(class: LineClass) -> &'static str {
    match class {
        LineClass::LinkList => "links",
        LineClass::ReadMore => "more",
        other => label(other),
    }
}

/// Returns the name of a class in both languages.
pub(crate) fn class_words(class: LineClass) -> Bilingual {
    let vietnamese = match class {
        LineClass::Content => "nội dung",
        LineClass::Repeated => "lặp lại",
        LineClass::LinkList => "danh sách liên kết",
        LineClass::Caption => "chú thích ảnh",
        LineClass::Credit => "nguồn ảnh",
        LineClass::ByLine => "tác giả, ngày",
        LineClass::ReadMore => "xem thêm",
        LineClass::Comment => "bình luận",
        LineClass::Other => "khác",
    };
    Bilingual::new(label(class), vietnamese)
}
