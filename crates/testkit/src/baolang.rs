//! Renders the pages of Báo Làng. Metadata are in OpenGraph and `meta` elements. The lead is in a separate
//! box above the body, and the by-line is the last line of the body. The markup is nested `div`s.

use crate::article::{Article, Block, plain};
use crate::comments::{advertisement, comments};
use crate::markup::{escape, inline, teaser};
use crate::paper::Language;
use crate::site::{LATEST, PER_PAGE, Site, special};
use std::fmt::Write;

pub(crate) fn article(site: &Site, article: &Article, path: &str, charset: &str) -> String {
    let main = format!(
        r#"<div class="chi-tiet">
<div class="duong-dan"><a href="/">Trang chủ</a> &rsaquo; <a href="/{slug}">{section}</a></div>
<h1 class="tieu-de">{title}</h1>
<div class="thong-tin"><span class="ngay-gio">{date}</span>{share}</div>
<div class="mo-bai"><p>{lead}</p></div>
<div class="noi-dung" id="noi-dung-bai">
{body}<p class="but-danh"><strong>{author}</strong></p>
</div>
<div class="tu-khoa"><span>Từ khóa:</span> {tags}</div>
{share}
{related}{thread}</div>
"#,
        slug = article.section,
        section = escape(site.paper.section_name(&article.section)),
        title = escape(&article.title),
        date = site.paper.date(&article.published),
        share = share(site, path),
        lead = inline(site, &article.standfirst),
        body = body(site, article, path),
        author = escape(&article.author),
        tags = tags(article),
        related = related(site, article),
        thread = thread(article),
    );
    frame(site, charset, &article.title, &meta(site, article, path), &main)
}

pub(crate) fn front(site: &Site) -> String {
    let mut main = String::from("<div class=\"trang-nhat\">\n<h2 class=\"muc\">Tin mới</h2>\n");
    for article in site.articles.iter().take(LATEST) {
        main.push_str(&item(site, article, &site.path(article)));
    }
    for section in &site.paper.sections {
        let _ = writeln!(
            main,
            r#"<div class="khoi"><h2 class="muc"><a href="/{}">{}</a></h2><ul>"#,
            section.slug, section.name
        );
        for article in site.section(section.slug).into_iter().take(3) {
            let _ =
                writeln!(main, r#"<li><a href="{}">{}</a></li>"#, site.path(article), escape(&article.title));
        }
        main.push_str("</ul></div>\n");
    }
    main.push_str(&odd_links(site));
    main.push_str("</div>\n");
    frame(site, "utf-8", "Báo Làng - Tin tức xóm làng mỗi ngày", "", &main)
}

pub(crate) fn section(site: &Site, slug: &str, page: usize) -> String {
    let paper = site.paper;
    let name = paper.section_name(slug);
    let mut main = format!("<div class=\"danh-sach\">\n<h1 class=\"muc\">{}</h1>\n", escape(name));
    let all = site.section(slug);
    for article in all.iter().skip((page - 1) * PER_PAGE).take(PER_PAGE) {
        main.push_str(&item(site, article, &site.path(article)));
    }
    let twin = site.articles.get(special::TWIN).map(|a| (a, paper.twin(a)));
    if let Some((article, path)) =
        twin.filter(|(_, path)| page == 1 && path.starts_with(&format!("/{slug}/")))
    {
        main.push_str(&item(site, article, &path));
    }
    if let Some(wire) = site.wired(slug, page) {
        main.push_str(&item(site, wire, &site.path(wire)));
    }
    if page == 1 {
        main.push_str(&section_links(site, slug));
    }
    main.push_str("<div class=\"phan-trang\">");
    let mut head = String::new();
    if page > 1 {
        let back = paper.section_path(slug, page - 1);
        let _ = write!(main, r#"<a rel="prev" href="{back}">Trang trước</a> "#);
    }
    if page < site.pages(slug) {
        let next = paper.section_path(slug, page + 1);
        let _ = write!(main, r#"<a rel="next" href="{next}">Trang sau</a>"#);
        let _ = writeln!(head, r#"<link rel="next" href="{next}">"#);
    }
    main.push_str("</div>\n</div>\n");
    frame(site, "utf-8", &format!("{name} - Báo Làng"), &head, &main)
}

pub(crate) fn notice(site: &Site, title: &str, text: &str) -> String {
    framed(site, title, &format!("<p>{}</p>\n", escape(text)))
}

pub(crate) fn framed(site: &Site, title: &str, main: &str) -> String {
    let main = format!("<div class=\"trang\">\n<h1>{}</h1>\n{main}</div>\n", escape(title));
    frame(site, "utf-8", title, "", &main)
}

fn meta(site: &Site, article: &Article, path: &str) -> String {
    let url = site.paper.url(path);
    let pairs = [
        ("property", "og:type", "article"),
        ("property", "og:site_name", site.paper.name),
        ("property", "og:title", &article.title),
        ("property", "og:url", &url),
        ("property", "article:published_time", &article.published.iso),
        ("property", "article:section", site.paper.section_name(&article.section)),
        ("name", "author", &article.author),
        ("name", "description", &teaser(&plain(&article.standfirst))),
    ];
    let mut head = format!("<link rel=\"canonical\" href=\"{url}\">\n");
    for (kind, name, content) in pairs {
        let _ = writeln!(head, r#"<meta {kind}="{name}" content="{}">"#, escape(content));
    }
    head
}

fn body(site: &Site, article: &Article, path: &str) -> String {
    let mut out = String::new();
    for (n, block) in article.body.iter().enumerate() {
        let _ = match block {
            Block::Paragraph(spans) => {
                writeln!(out, r#"<p class="doan">{}</p>"#, inline(site, spans))
            }
            Block::Subheading(text) => writeln!(out, r#"<h2 class="de-muc">{}</h2>"#, escape(text)),
        };
        let caption = escape(&article.caption);
        let _ = match n {
            0 => writeln!(
                out,
                "<figure class=\"anh\"><img src=\"/anh/{}.jpg\" alt=\"{caption}\"><figcaption>{caption}</figcaption></figure>",
                article.number
            ),
            2 => writeln!(
                out,
                "<div class=\"quang-cao\"><span>Quảng cáo</span><a href=\"{}{}\" rel=\"nofollow sponsored\">{}</a></div>",
                site.paper.odd.ads,
                article.number % 5,
                advertisement(Language::Vietnamese, path)
            ),
            _ => Ok(()),
        };
    }
    out
}

fn tags(article: &Article) -> String {
    let tags = article.tags.iter().map(|tag| {
        let tag = escape(tag);
        format!(r#"<a href="/search?q={}">{tag}</a>"#, tag.replace(' ', "+"))
    });
    tags.collect::<Vec<_>>().join(", ")
}

fn share(site: &Site, path: &str) -> String {
    let url = site.paper.url(path);
    format!(
        "<ul class=\"chia-se\"><li><a href=\"http://social.example/share?u={url}\">Chia sẻ</a></li>\
         <li><a href=\"mailto:?body={url}\">Gửi thư</a></li><li><a href=\"#y-kien\">Ý kiến</a></li></ul>"
    )
}

fn related(site: &Site, article: &Article) -> String {
    let mut out = String::from("<div class=\"lien-quan\"><h3>Tin liên quan</h3><ul>\n");
    for other in site.related(article) {
        let lead = teaser(&plain(&other.standfirst));
        let _ = writeln!(
            out,
            r#"<li><a href="{}">{}</a><span>{}</span></li>"#,
            site.path(other),
            escape(&other.title),
            escape(&lead)
        );
    }
    out.push_str("</ul></div>\n");
    out
}

fn thread(article: &Article) -> String {
    let all = comments(Language::Vietnamese, article);
    let mut out = format!("<div class=\"y-kien\" id=\"y-kien\"><h3>Ý kiến bạn đọc ({})</h3>\n", all.len());
    for comment in all {
        let _ = writeln!(
            out,
            "<div class=\"y-kien-muc\"><b class=\"ten\">{}</b><span class=\"luc\">{}</span><p>{}</p><a href=\"#tra-loi\">Trả lời</a> <a href=\"#thich\">Thích</a></div>",
            escape(&comment.name),
            comment.at.strftime("%H:%M %d/%m/%Y"),
            escape(&comment.text)
        );
    }
    out.push_str("<div class=\"viet\">Mời bạn đọc gửi ý kiến bằng tiếng Việt có dấu. Ý kiến được biên tập trước khi đăng.</div></div>\n");
    out
}

fn item(site: &Site, article: &Article, path: &str) -> String {
    format!(
        "<div class=\"tin\"><h3><a href=\"{path}\">{}</a></h3><span class=\"luc\">{}</span><p>{}</p></div>\n",
        escape(&article.title),
        site.paper.date(&article.published),
        escape(&teaser(&plain(&article.standfirst)))
    )
}

/// Renders links that only the front page contains: variants of addresses, and addresses outside the paper.
fn odd_links(site: &Site) -> String {
    let odd = &site.paper.odd;
    let mut out = String::from("<div class=\"doc-nhieu-tuan\"><h3>Bạn đọc quan tâm</h3><ul>\n");
    if let Some(article) = site.articles.get(special::MOVED) {
        let _ = writeln!(
            out,
            r#"<li><a href="{}{}">{}</a></li>"#,
            odd.old,
            article.number,
            escape(&article.title)
        );
    }
    if let Some(article) = site.articles.get(special::TRACKED) {
        let path = site.path(article);
        let _ = writeln!(
            out,
            r#"<li><a href="{path}?utm_source=thu-tuan&amp;utm_medium=email">{}</a></li>"#,
            escape(&article.title)
        );
    }
    let _ = writeln!(
        out,
        r#"<li><a href="{}">Đối tác</a></li><li><a href="{}">Báo in số 47 (PDF)</a></li></ul></div>"#,
        odd.elsewhere, odd.print
    );
    out
}

/// Renders links for the first page of a section. The links do not lead to articles of the section.
fn section_links(site: &Site, slug: &str) -> String {
    let odd = &site.paper.odd;
    let mut out = format!(
        r#"<div class="tin-phu"><a href="{}?sid={slug}0">Rao vặt trong mục</a></div>"#,
        odd.classifieds
    );
    for (path, title) in [(odd.wall, odd.wall_title), (odd.gone, odd.gone_title)] {
        if path.starts_with(&format!("/{slug}/")) {
            let _ = writeln!(out, r#"<div class="tin"><h3><a href="{path}">{title}</a></h3></div>"#);
        }
    }
    out
}

fn menu(site: &Site) -> String {
    let mut menu = String::new();
    for section in &site.paper.sections {
        let _ = write!(menu, r#"<li><a href="/{}">{}</a></li>"#, section.slug, section.name);
    }
    menu
}

fn popular(site: &Site) -> String {
    let mut popular = String::new();
    for (n, article) in site.articles.iter().take(6).enumerate() {
        let _ = writeln!(
            popular,
            r#"<li><i>{}</i><a href="{}">{}</a></li>"#,
            n + 1,
            site.path(article),
            escape(&article.title)
        );
    }
    popular
}

/// Renders a page around `main`. `title` is text. `head` and `main` are HTML.
fn frame(site: &Site, charset: &str, title: &str, head: &str, main: &str) -> String {
    let (menu, popular) = (menu(site), popular(site));
    let odd = &site.paper.odd;
    format!(
        r##"<!DOCTYPE html>
<html lang="vi">
<head>
<meta charset="{charset}">
<title>{title}</title>
{head}<link rel="alternate" type="application/rss+xml" title="Báo Làng" href="{feed}">
<link rel="stylesheet" href="/tinh/bao.css">
<style>.quang-cao{{border:1px solid #ccc}} .mo-bai p{{font-weight:bold}}</style>
<script>window.bao = {{"phien": 3, "mau": "<p>không phải bài</p>"}};</script>
</head>
<body class="bao">
<div id="dau-trang"><a class="bieu-trung" href="/"><img src="/tinh/logo.png" alt="Báo Làng"></a>
<div class="khau-hieu">Tin tức xóm làng mỗi ngày</div>
<form action="{search}"><input name="q" placeholder="Tìm kiếm"><button>Tìm</button></form>
<a class="dang-nhap" href="{members}">Đăng nhập</a></div>
<ul id="menu"><li><a href="/">Trang chủ</a></li>{menu}<li><a href="{classifieds}?sid=b1">Rao vặt</a></li></ul>
<div id="than"><div id="cot-trai">
{main}</div>
<div id="cot-phai"><div class="xem-nhieu"><h3>Xem nhiều</h3><ul>
{popular}</ul></div>
<div class="lich-nho"><h3>Lịch làng</h3><a href="{calendar}/2026/12">Tháng 12/2026</a></div>
<div class="thu"><p>Nhận bản tin mỗi sáng thứ bảy qua thư điện tử, hoàn toàn miễn phí.</p><a href="{search}?q=ban+tin">Bản tin cũ</a></div></div></div>
<div id="chan-trang"><p>Báo Làng - Cơ quan của Hội Đọc Báo Xóm Trên. Trụ sở: số 3 ngõ Đa, làng Hạ Sậy.</p>
<p>Điện thoại: 0000 000 047. Thư: toasoan@baolang.example. © 2026 Báo Làng. Giữ mọi quyền.</p>
<a href="{about}">Giới thiệu</a> <a href="{members}">Góc thành viên</a></div>
</body>
</html>
"##,
        title = escape(title),
        feed = site.paper.feed,
        search = odd.search,
        members = odd.members,
        classifieds = odd.classifieds,
        calendar = odd.calendar,
        about = odd.about,
    )
}
