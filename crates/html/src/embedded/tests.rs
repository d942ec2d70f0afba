//! Tests the texts that pages embed as data for scripts.

use super::*;
use crate::text::{lines, plain};

fn story(from: usize, to: usize) -> Vec<String> {
    let line = |n: usize| {
        format!(
            "In village number {n} the river rose by {n}{n} centimetres overnight, and all {n} bridges were closed."
        )
    };
    (from..to).map(line).collect()
}

fn text(html: &str) -> (String, bool) {
    let page = complete(html);
    (plain(&lines(&page, 0, |_| true)), is_completed(&page))
}

const TITLE: &str = "<title>The river rose, and bridges were closed</title>";

#[test]
fn texts_are_found_in_every_usual_form_of_data() {
    let paragraphs = story(0, 8);
    let markup = paragraphs.iter().map(|line| format!("<p>{line}</p>")).collect::<String>();
    let json = |value: &serde_json::Value| value.to_string();
    let markup_json = json(&markup.clone().into());
    let inner = json(&format!("{{\"story\":{{\"html\":{markup_json}}}}}").into());
    let row = json(&format!("24:T{:x},{markup}", markup.len()).into());
    let elements: Vec<_> =
        paragraphs.iter().map(|line| serde_json::json!({"type": "text", "content": line})).collect();
    let elements = json(&elements.into());
    let cases = [
        format!(
            r#"<script type="application/ld+json">{{"@type":"NewsArticle","articleBody":{}}}</script>"#,
            json(&paragraphs.join("\n").into())
        ),
        format!(
            r#"<script id="__NEXT_DATA__" type="application/json">{{"props":{{"body":{markup_json}}}}}</script>"#
        ),
        format!("<script>self.__next_f.push([1,{inner}])</script>"),
        format!("<script>self.__next_f.push([1,{row}])</script>"),
        format!("<script>Fusion.globalContent={{\"content_elements\":{elements}}};</script>"),
        format!("<script>window.__STATE__ = {{page: {{story: {markup_json}}}}};</script>"),
    ];
    for script in cases {
        let (text, is_embedded) = text(&format!("{TITLE}<h1>The river rose</h1><div id=root></div>{script}"));
        assert!(is_embedded, "{script}");
        let expected = format!("The river rose\n{}", paragraphs.join("\n"));
        assert_eq!(text, expected, "{script}");
    }
}

#[test]
fn a_text_for_browsers_without_scripts_is_inserted() {
    let paragraphs = story(0, 8);
    let body: String = paragraphs.iter().map(|line| format!("<p>{line}</p>")).collect();
    let html =
        format!("{TITLE}<h1>The river rose</h1><p>A river rose.</p><noscript><div>{body}</div></noscript>");
    let (text, is_embedded) = text(&html);
    assert!(is_embedded);
    assert_eq!(text, format!("The river rose\n{}\nA river rose.", paragraphs.join("\n")));
}

#[test]
fn long_scripts_are_no_prose_of_the_page() {
    let paragraphs = story(0, 60);
    let body = serde_json::Value::from(paragraphs.join("\n")).to_string();
    let html = format!(
        r#"{TITLE}<h1>The river rose</h1><div id=root></div><script type="application/json">{{"body":{body}}}</script>"#
    );
    assert!(is_completed(&complete(&html)));
}

#[test]
fn a_teaser_is_not_repeated() {
    let paragraphs = story(0, 8);
    let body = serde_json::Value::from(paragraphs.join("\n")).to_string();
    let html = format!(
        r#"{TITLE}<h1>The river rose</h1><p>{}</p><p>Read on with a subscription.</p><script type="application/ld+json">{{"articleBody":{body}}}</script>"#,
        paragraphs[0]
    );
    let (text, is_embedded) = text(&html);
    assert!(is_embedded);
    assert_eq!(text.matches(&paragraphs[0]).count(), 1, "{text}");
    assert!(text.contains(&paragraphs[7]), "{text}");
}

#[test]
fn no_text_is_there_twice() {
    let paragraphs = story(0, 8);
    let quoted: Vec<String> =
        paragraphs.iter().map(|line| line.replace("the river rose", "\"the river\" rose")).collect();
    let curly =
        |line: &String| format!("<p>{}</p>", line.replacen('"', "\u{201c}", 1).replacen('"', "\u{201d}", 1));
    let shown = quoted[..2].iter().map(curly).collect::<String>();
    let cut = format!("<p>{}</p><p>{}…</p>", paragraphs[0], &paragraphs[1][..80]);
    let one = format!("<p>{}</p>", paragraphs[..3].join(" "));
    let lines = format!("<div>{}<br>{}<br>Read on with a subscription.</div>", paragraphs[0], paragraphs[1]);
    let short = format!("<div><p>{}</p><p>The mayor resigned.</p></div>", paragraphs[0]);
    let (line, pairs) =
        (paragraphs.join(" "), paragraphs.chunks(2).map(|two| two.join(" ")).collect::<Vec<_>>().join("\n"));
    let escaped: String = paragraphs.iter().map(|line| format!("&lt;p&gt;{line}&lt;/p&gt;")).collect();
    let resigned = format!("{}\nThe mayor resigned.\n{}", paragraphs[0], paragraphs[1..].join("\n"));
    let cases = [
        (&shown, quoted.join(" ")),
        (&shown, quoted.join("\n")),
        (&cut, paragraphs.join("\n")),
        (&cut, pairs),
        (&one, paragraphs.join("\n")),
        (&lines, line),
        (&one, escaped),
        (&short, resigned),
    ];
    for (shown, body) in cases {
        for key in ["articleBody", "content"] {
            let data = serde_json::Value::from(body.as_str()).to_string();
            let html = format!(
                r#"{TITLE}<h1>The river rose</h1>{shown}<script type="application/json">{{"{key}":{data}}}</script>"#
            );
            let (text, is_embedded) = text(&html);
            assert!(is_embedded, "{html}");
            for number in 0..8 {
                let start = format!("In village number {number} ");
                assert_eq!(text.matches(&start).count(), 1, "{number} {text}");
            }
            assert!(text.starts_with("The river rose\n") && !text.contains("<p>"), "{text}");
            assert!(text.matches("The mayor resigned.").count() < 2, "{text}");
            assert_eq!(text.contains("subscription"), shown.contains("subscription"), "{text}");
        }
    }
}

#[test]
fn a_page_that_shows_its_article_is_left_alone() {
    let (own, other) = (story(0, 8), story(20, 28));
    let shown = own.iter().map(|line| format!("<p>{line}</p>")).collect::<String>();
    for body in [&own, &other] {
        let body = serde_json::Value::from(body.join("\n")).to_string();
        let html = format!(r#"{TITLE}<h1>The river rose</h1>{shown}<script>x={{"body":{body}}}</script>"#);
        assert!(!is_completed(&complete(&html)));
    }
    let about_else = serde_json::Value::from(story(0, 8).join("\n")).to_string();
    let html = format!(r#"<title>Election results</title><script>x={{"body":{about_else}}}</script>"#);
    assert!(!is_completed(&complete(&html)), "it is about something else");
}
