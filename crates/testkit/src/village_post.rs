//! Renders the pages of The Village Post. Metadata are only in JSON-LD. The by-line is below the headline,
//! and the lead is the first paragraph of the body. The markup consists of HTML5 elements with few classes.

use crate::article::{Article, Block, plain};
use crate::comments::{advertisement, comments};
use crate::markup::{escape, inline, json, teaser};
use crate::paper::Language;
use crate::site::{LATEST, PER_PAGE, Site, special};
use std::fmt::Write;

pub(crate) fn article(site: &Site, article: &Article, path: &str, charset: &str) -> String {
    let main = format!(
        r#"<nav class="crumbs"><a href="/">Home</a> / <a href="/{slug}">{section}</a></nav>
<article class="story">
<header><h1>{title}</h1>
<p class="byline">By <a rel="author" href="/search?q={query}">{author}</a> <time datetime="{iso}">{date}</time></p></header>
{share}<section class="story-body">
<p class="standfirst">{lead}</p>
{body}</section>
<ul class="tags">{tags}</ul>
</article>
{related}{thread}"#,
        slug = article.section,
        section = escape(site.paper.section_name(&article.section)),
        title = escape(&article.title),
        query = escape(&article.author.replace(' ', "+")),
        author = escape(&article.author),
        iso = article.published.iso,
        date = site.paper.date(&article.published),
        share = share(site, path),
        lead = inline(site, &article.standfirst),
        body = body(site, article, path),
        tags = tags(article),
        related = related(site, article),
        thread = thread(article),
    );
    let title = format!("{} | The Village Post", article.title);
    frame(site, charset, &title, &json_ld(site, article, path), &main)
}

pub(crate) fn front(site: &Site) -> String {
    let mut main = String::from("<section class=\"latest\"><h2>Latest</h2>\n");
    for article in site.articles.iter().take(LATEST) {
        main.push_str(&card(site, article, &site.path(article)));
    }
    main.push_str("</section>\n");
    for section in &site.paper.sections {
        let _ = writeln!(
            main,
            r#"<section class="strip"><h2><a href="/{}">{}</a></h2><ol>"#,
            section.slug, section.name
        );
        for article in site.section(section.slug).into_iter().take(3) {
            let _ =
                writeln!(main, r#"<li><a href="{}">{}</a></li>"#, site.path(article), escape(&article.title));
        }
        main.push_str("</ol></section>\n");
    }
    main.push_str(&odd_links(site));
    frame(site, "utf-8", "The Village Post: news from around the green", "", &main)
}

pub(crate) fn section(site: &Site, slug: &str, page: usize) -> String {
    let paper = site.paper;
    let name = paper.section_name(slug);
    let mut main = format!("<section class=\"list\"><h1>{}</h1>\n", escape(name));
    let all = site.section(slug);
    for article in all.iter().skip((page - 1) * PER_PAGE).take(PER_PAGE) {
        main.push_str(&card(site, article, &site.path(article)));
    }
    let twin = site.articles.get(special::TWIN).map(|a| (a, paper.twin(a)));
    if let Some((article, path)) =
        twin.filter(|(_, path)| page == 1 && path.starts_with(&format!("/{slug}/")))
    {
        main.push_str(&card(site, article, &path));
    }
    if let Some(wire) = site.wired(slug, page) {
        main.push_str(&card(site, wire, &site.path(wire)));
    }
    if page == 1 {
        main.push_str(&section_links(site, slug));
    }
    main.push_str("</section>\n<nav class=\"pager\">");
    let mut head = String::new();
    if page > 1 {
        let back = paper.section_path(slug, page - 1);
        let _ = write!(main, r#"<a rel="prev" href="{back}">Newer</a> "#);
    }
    if page < site.pages(slug) {
        let next = paper.section_path(slug, page + 1);
        let _ = write!(main, r#"<a rel="next" href="{next}">Older</a>"#);
        let _ = writeln!(head, r#"<link rel="next" href="{next}">"#);
    }
    main.push_str("</nav>\n");
    frame(site, "utf-8", &format!("{name} | The Village Post"), &head, &main)
}

pub(crate) fn notice(site: &Site, title: &str, text: &str) -> String {
    framed(site, title, &format!("<p>{}</p>\n", escape(text)))
}

pub(crate) fn framed(site: &Site, title: &str, main: &str) -> String {
    let main = format!("<section class=\"page\"><h1>{}</h1>\n{main}</section>\n", escape(title));
    frame(site, "utf-8", title, "", &main)
}

fn json_ld(site: &Site, article: &Article, path: &str) -> String {
    let url = site.paper.url(path);
    format!(
        "<link rel=\"canonical\" href=\"{url}\">\n<script type=\"application/ld+json\">\n\
         {{\"@context\":\"https://schema.org\",\"@type\":\"NewsArticle\",\"headline\":{title},\
         \"datePublished\":{date},\"author\":[{{\"@type\":\"Person\",\"name\":{author}}}],\
         \"articleSection\":{section},\"mainEntityOfPage\":{url_json},\
         \"publisher\":{{\"@type\":\"Organization\",\"name\":\"The Village Post\"}}}}\n</script>\n",
        title = json(&article.title),
        date = json(&article.published.iso),
        author = json(&article.author),
        section = json(site.paper.section_name(&article.section)),
        url_json = json(&url),
    )
}

fn body(site: &Site, article: &Article, path: &str) -> String {
    let mut out = String::new();
    for (n, block) in article.body.iter().enumerate() {
        let _ = match block {
            Block::Paragraph(spans) => writeln!(out, "<p>{}</p>", inline(site, spans)),
            Block::Subheading(text) => writeln!(out, "<h2>{}</h2>", escape(text)),
        };
        let caption = escape(&article.caption);
        let _ = match n {
            1 => writeln!(
                out,
                "<figure><img src=\"/pictures/{}.jpg\" alt=\"{caption}\"><figcaption>{caption}</figcaption></figure>",
                article.slug
            ),
            3 => writeln!(
                out,
                "<aside class=\"ad\"><small>Advertisement</small><p><a rel=\"sponsored\" href=\"{}{}\">{}</a></p></aside>",
                site.paper.odd.ads,
                article.number % 5,
                escape(advertisement(Language::English, path))
            ),
            _ => Ok(()),
        };
    }
    out
}

fn tags(article: &Article) -> String {
    let tags = article.tags.iter().map(|tag| {
        let tag = escape(tag);
        format!(r#"<li><a href="/search?q={}">{tag}</a></li>"#, tag.replace(' ', "+"))
    });
    tags.collect()
}

fn share(site: &Site, path: &str) -> String {
    let url = site.paper.url(path);
    format!(
        "<div class=\"share\"><a href=\"http://social.example/share?u={url}\">Share</a> \
         <a href=\"mailto:?body={url}\">Email</a> <a href=\"#comments\">Comments</a></div>\n"
    )
}

fn related(site: &Site, article: &Article) -> String {
    let mut out = String::from("<aside class=\"related\"><h3>Read also</h3><ul>\n");
    for other in site.related(article) {
        let lead = teaser(&plain(&other.standfirst));
        let _ = writeln!(
            out,
            r#"<li><a href="{}">{}</a><p>{}</p></li>"#,
            site.path(other),
            escape(&other.title),
            escape(&lead)
        );
    }
    out.push_str("</ul></aside>\n");
    out
}

fn thread(article: &Article) -> String {
    let all = comments(Language::English, article);
    let mut out = format!("<section id=\"comments\"><h3>{} comments</h3><ol>\n", all.len());
    for comment in all {
        let _ = writeln!(
            out,
            "<li class=\"comment\"><cite>{}</cite> <time>{}</time><blockquote><p>{}</p></blockquote><a href=\"#reply\">Reply</a></li>",
            escape(&comment.name),
            comment.at.strftime("%-d %b, %H:%M"),
            escape(&comment.text)
        );
    }
    out.push_str(
        "</ol><p class=\"rules\">Be kind. Comments are read by an editor before they appear.</p></section>\n",
    );
    out
}

fn card(site: &Site, article: &Article, path: &str) -> String {
    format!(
        "<div class=\"card\"><h3><a href=\"{path}\">{}</a></h3><p>{}</p><time>{}</time></div>\n",
        escape(&article.title),
        escape(&teaser(&plain(&article.standfirst))),
        site.paper.date(&article.published)
    )
}

/// Renders links that only the front page contains: variants of addresses, and addresses outside the paper.
fn odd_links(site: &Site) -> String {
    let odd = &site.paper.odd;
    let mut out = String::from("<section class=\"letterbox\"><h3>From our letter</h3><ul>\n");
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
            r#"<li><a href="{path}?utm_source=letter&amp;utm_campaign=saturday">{}</a></li>"#,
            escape(&article.title)
        );
    }
    let _ = writeln!(
        out,
        r#"<li><a href="{}">Our partners</a></li><li><a href="{}">Print edition no. 47 (PDF)</a></li></ul></section>"#,
        odd.elsewhere, odd.print
    );
    out
}

/// Renders links for the first page of a section. The links do not lead to articles of the section.
fn section_links(site: &Site, slug: &str) -> String {
    let odd = &site.paper.odd;
    let mut out = format!(r#"<p class="more"><a href="{}?sid={slug}0">Classifieds</a></p>"#, odd.classifieds);
    for (path, title) in [(odd.wall, odd.wall_title), (odd.gone, odd.gone_title)] {
        if path.starts_with(&format!("/{slug}/")) {
            let _ = writeln!(out, r#"<div class="card"><h3><a href="{path}">{title}</a></h3></div>"#);
        }
    }
    out
}

fn menu(site: &Site) -> String {
    let mut menu = String::new();
    for section in &site.paper.sections {
        let _ = write!(menu, r#"<a href="/{}">{}</a> "#, section.slug, section.name);
    }
    menu
}

fn popular(site: &Site) -> String {
    let mut popular = String::new();
    for article in site.articles.iter().take(6) {
        let _ =
            writeln!(popular, r#"<li><a href="{}">{}</a></li>"#, site.path(article), escape(&article.title));
    }
    popular
}

/// Renders a page around `main`. `title` is text. `head` and `main` are HTML.
fn frame(site: &Site, charset: &str, title: &str, head: &str, main: &str) -> String {
    let (menu, popular) = (menu(site), popular(site));
    let odd = &site.paper.odd;
    format!(
        r##"<!doctype html>
<html lang="en">
<head>
<meta charset="{charset}">
<title>{title}</title>
{head}<link rel="alternate" type="application/atom+xml" href="{feed}">
<link rel="stylesheet" href="/assets/post.css">
</head>
<body>
<a class="skip" href="#main">Skip to the news</a>
<header class="masthead"><a href="/"><img src="/assets/post.svg" alt="The Village Post"></a><p>News from around the green since 1911</p>
<a href="{members}">Sign in</a></header>
<nav class="sections"><a href="/">Home</a> {menu}<a href="{classifieds}?sid=a1">Classifieds</a></nav>
<div class="columns"><main id="main">
{main}</main>
<aside class="rail"><h3>Most read</h3><ol>
{popular}</ol>
<h3>What's on</h3><p><a href="{calendar}/2026/12">December 2026</a></p>
<form action="{search}"><label>Search <input name="q"></label></form>
<p class="letter">Our letter comes every Saturday morning and costs nothing. <a href="{search}?q=letter">Past letters</a></p></aside></div>
<footer><p>The Village Post, 2 Pump Lane, Little Harrow. Telephone 00000 470047. post@villagepost.example</p>
<p>© 2026 The Village Post Co-operative. All rights reserved.</p>
<nav><a href="{about}">About us</a> <a href="{members}">Members' corner</a></nav></footer>
<script>var post = {{ build: 12, note: "</p> is not markup here" }};</script>
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
