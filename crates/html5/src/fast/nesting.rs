//! Tracks which elements are open inside a skipped element, as long as this is certain.
//!
//! Paragraphs, items and options end implicitly as in the standard. Any other element must end with its own
//! end tag. Otherwise it is uncertain which elements are open.

use html5ever::LocalName;

use super::tag::{Tag, set};

pub(super) struct UncertainNesting;

/// Whether a tag is a table or one of its parts in which only other table parts are allowed.
pub(super) fn is_table_part(tag: Tag) -> bool {
    matches!(tag, Tag::Table | Tag::TableBody | Tag::Tr | Tag::Colgroup)
}

pub(super) fn check_table(open: &[(Tag, LocalName)], tag: Tag) -> Result<(), UncertainNesting> {
    let is_part = open.last().is_some_and(|(open, _)| is_table_part(*open));
    if is_part && !matches!(tag, Tag::HeadRaw) { Err(UncertainNesting) } else { Ok(()) }
}

pub(super) fn enter_foreign(
    open: &mut Vec<(Tag, LocalName)>,
    tag: Tag,
    name: LocalName,
    is_closed: bool,
) -> Result<(), UncertainNesting> {
    let is_html_inside = |tag| matches!(tag, Tag::Title | Tag::Desc | Tag::ForeignObject);
    let is_within_html = open.last().is_some_and(|(tag, _)| is_html_inside(*tag));
    let is_other = matches!(tag, Tag::A | Tag::Formatting | Tag::Script | Tag::Math | Tag::ForeignObject);
    if is_within_html || is_other || tag.breaks_out(&name) {
        return Err(UncertainNesting);
    }
    if !is_closed {
        open.push((tag, name));
    }
    Ok(())
}

pub(super) fn enter(
    open: &mut Vec<(Tag, LocalName)>,
    tag: Tag,
    name: LocalName,
) -> Result<(), UncertainNesting> {
    let has = |tag: Tag| open.iter().any(|(open, _)| *open == tag);
    let last = open.last().map_or(Tag::Other, |(tag, _)| *tag);
    match tag {
        Tag::TableBody | Tag::Caption | Tag::Colgroup if last != Tag::Table => return Err(UncertainNesting),
        Tag::Tr if !matches!(last, Tag::Table | Tag::TableBody) => return Err(UncertainNesting),
        Tag::Cell if last != Tag::Tr => return Err(UncertainNesting),
        Tag::Col if last != Tag::Colgroup => return Err(UncertainNesting),
        tag if tag.is_of_table() => {}
        _ if is_table_part(last) => return Err(UncertainNesting),
        Tag::Html | Tag::Body | Tag::Head | Tag::Frameset | Tag::Frame | Tag::Template | Tag::Title => {
            return Err(UncertainNesting);
        }
        Tag::Plaintext | Tag::Nobr | Tag::Math | Tag::Xmp | Tag::RubyBase | Tag::RubyText => {
            return Err(UncertainNesting);
        }
        Tag::A | Tag::Button | Tag::Select | Tag::Form if has(tag) => return Err(UncertainNesting),
        Tag::Input if has(Tag::Select) => return Err(UncertainNesting),
        Tag::Heading if last == Tag::Heading => return Err(UncertainNesting),
        Tag::Table if has(Tag::P) => return Err(UncertainNesting),
        Tag::Option | Tag::Optgroup if !has(Tag::Select) => return Err(UncertainNesting),
        Tag::Option if last == Tag::Option => drop(open.pop()),
        Tag::Option if !matches!(last, Tag::Select | Tag::Optgroup) => return Err(UncertainNesting),
        Tag::Optgroup if last != Tag::Select => return Err(UncertainNesting),
        Tag::Li | Tag::Definition => close_item(open, tag)?,
        _ => {}
    }
    let ends_paragraph = tag.is_block()
        || matches!(tag, Tag::P | Tag::Heading | Tag::Preformatted | Tag::Form | Tag::Hr)
        || matches!(tag, Tag::Li | Tag::Definition);
    if ends_paragraph {
        close_paragraph(open)?;
    }
    let is_void = matches!(tag, Tag::Br | Tag::Img | Tag::Image | Tag::Void | Tag::Keygen | Tag::Input);
    if !is_void && !matches!(tag, Tag::Param | Tag::Hr | Tag::HeadVoid | Tag::Col) {
        open.push((tag, name));
    }
    Ok(())
}

fn close_paragraph(open: &mut Vec<(Tag, LocalName)>) -> Result<(), UncertainNesting> {
    for index in (0..open.len()).rev() {
        let tag = open[index].0;
        if tag == Tag::P {
            if index + 1 < open.len() {
                return Err(UncertainNesting);
            }
            open.pop();
            return Ok(());
        }
        if tag.sets() & (set::SCOPE | set::BUTTON) != 0 {
            return Ok(());
        }
    }
    Ok(())
}

/// Closes the previous item when a new item starts. Fails if it contains open elements other than paragraphs.
fn close_item(open: &mut Vec<(Tag, LocalName)>, item: Tag) -> Result<(), UncertainNesting> {
    for index in (0..open.len()).rev() {
        let tag = open[index].0;
        if tag == item {
            let is_certain = open[index + 1..].iter().all(|(tag, _)| *tag == Tag::P);
            open.truncate(index);
            return if is_certain { Ok(()) } else { Err(UncertainNesting) };
        }
        if tag.sets() & set::SPECIAL != 0 && !matches!(tag, Tag::Div | Tag::P) {
            return Ok(());
        }
    }
    // The new item might close an item outside the skipped element.
    Err(UncertainNesting)
}

pub(super) fn leave(
    open: &mut Vec<(Tag, LocalName)>,
    tag: Tag,
    name: &LocalName,
) -> Result<(), UncertainNesting> {
    if tag == Tag::P && open.iter().all(|(open, _)| *open != Tag::P) {
        // The end tag creates an empty paragraph.
        return check_table(open, tag);
    }
    let lets_end = tag.is_block()
        || matches!(tag, Tag::Button | Tag::Preformatted | Tag::Select | Tag::Form | Tag::Li)
        || matches!(tag, Tag::Definition | Tag::Heading | Tag::Embedding | Tag::Cell | Tag::Optgroup);
    while let Some((last, last_name)) = open.pop() {
        if last == tag && (tag.is_one() || tag == Tag::Heading || last_name == *name) {
            return Ok(());
        }
        if !lets_end || last.sets() & set::IMPLIED == 0 {
            break;
        }
    }
    Err(UncertainNesting)
}
