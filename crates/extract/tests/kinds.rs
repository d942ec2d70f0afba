//! Tests pages of every kind that is not an article, and articles that might be mistaken for these kinds. The
//! texts were written for the tests, in several languages.

use gleaner_extract::article::judge;
use gleaner_extract::{NotArticleReason, PageClass};
use gleaner_html::Page;

/// Returns a page with the usual parts of a newspaper's page: menu, main part, most read, notice.
fn page(title: &str, head: &str, main: &str) -> String {
    let item = |name: &&str| format!("<li><a href='/{name}'>{name}</a></li>");
    let menu: String =
        ["Home", "World", "Politics", "Business", "Sport", "Culture", "Opinion"].iter().map(item).collect();
    let most: String = MAX_READ
        .iter()
        .map(|text| format!("<li><a href='/most/{}.html'>{text}</a></li>", text.len()))
        .collect();
    format!(
        "<html><head><title>{title} - The Valley Paper</title>{head}</head><body>\
         <header><nav><ul class=menu>{menu}</ul></nav></header><main>{main}</main>\
         <aside><h3>Most read</h3><ol>{most}</ol></aside>\
         <footer><p>All rights in these pages are reserved by the publisher. Contact us for questions.</p></footer></body></html>"
    )
}

const MAX_READ: [&str; 5] = [
    "Council agrees on a new bridge after years of debate",
    "Choir of the valley wins the national prize for the third time",
    "Three lambs found in the church on Sunday morning",
    "Why the old mill will not be sold before spring",
    "Snow closes the pass, and schools open late",
];

const SENTENCES: [&str; 6] = [
    "Rain fell on the valley for the third day in a row, and the river rose above the old bridge.",
    "The mayor said on Monday that nobody had been hurt, and that the school would stay closed until the water had gone.",
    "Farmers brought their animals to the hills during the night, helped by some forty neighbours with tractors.",
    "According to the weather service, the rain will not end before Thursday, although it will be less strong.",
    "Twelve years ago the same road was under water for a week, and the repair cost the village two million.",
    "The council meets again on Friday, when it wants to decide whether the dam is to be raised by a metre.",
];

fn prose(sentences: usize) -> String {
    let said = |(n, sentence): (usize, &&str)| format!("{sentence} That was on day {n} of the flood.");
    let all: Vec<String> = SENTENCES.iter().cycle().take(sentences).enumerate().map(said).collect();
    all.chunks(2).map(|two| format!("<p>{}</p>", two.join(" "))).collect()
}

fn article(title: &str, body: &str) -> String {
    page(
        title,
        "",
        &format!(
            "<article><h1>{title}</h1><p class=byline>By Anna Weaver, 20 November 2026, 09:30</p><div class=article-body>{body}</div></article>"
        ),
    )
}

fn teasers(count: usize) -> String {
    let one = |n: usize| {
        let sentence = SENTENCES[n % 6];
        format!(
            "<div class=teaser><img src='/{n}.jpg'><h2><a href='/news/story-{n}.html'>{}</a></h2><span class=date>{}.11.2026</span><p>{sentence}</p></div>",
            MAX_READ[n % 5],
            n % 28 + 1
        )
    };
    (0..count).map(one).collect()
}

/// Returns pages that are not articles, each with its name, URL and accepted reasons, best first.
fn others() -> Vec<(&'static str, String, &'static str, &'static [NotArticleReason])> {
    use NotArticleReason::{
        Challenge, ConsentWall, Gallery, Hub, Listing, LoginWall, NotFound, Shop, TooLittleText,
    };
    let challenge = |title: &str, text: &str| {
        format!(
            "<title>{title}</title><h1>paper.example</h1><p>{text}</p><noscript>Enable JavaScript</noscript><div>Ray ID: 8f2a</div>"
        )
    };
    let missing = |title: &str, text: &str| {
        page(
            title,
            "",
            &format!(
                "<h1>{title}</h1><p>{text}</p><form><input name=q></form><h3>You may like</h3>{}",
                teasers(3)
            ),
        )
    };
    let story = "https://paper.example/news/2026/bridge-in-the-valley-412345.html";
    let lists: &[NotArticleReason] = &[Listing, Hub];
    vec![
        ("challenge en", challenge("Just a moment...", "Checking your browser before you reach the site. This may take a few seconds."), story, &[Challenge]),
        ("challenge vi", challenge("Xác thực", "Vui lòng xác minh bạn là người trước khi tiếp tục truy cập trang này."), story, &[Challenge]),
        ("challenge ru", challenge("Проверка", "Проверяем ваш браузер. Это займёт несколько секунд, затем вы попадёте на сайт."), story, &[Challenge]),
        ("challenge zh", challenge("安全验证", "请完成验证后继续访问。"), story, &[Challenge]),
        ("consent en", page("Before you continue", "", "<h1>We value your privacy</h1><p>We and our partners store information on a device, such as cookies, and process personal data.</p><p>With your consent we may use precise geolocation data. You may change your mind at any time under privacy settings.</p><p>Our partners number 812. Read the cookie policy before you choose.</p><button>Accept all cookies</button><button>Manage consent</button>"), story, &[ConsentWall]),
        ("consent de", page("Zustimmung", "", "<h1>Willkommen in der Zeitung</h1><p>Mit Werbung weiterlesen: Besuchen Sie uns wie gewohnt mit Anzeigen. Näheres zum Widerruf in unserer Datenschutzerklärung.</p><button>Akzeptieren und weiter</button><p>Wir und unsere 250 Partner verarbeiten personenbezogene Daten, um Inhalte auf Sie zuzuschneiden. Ihre Einwilligung ist freiwillig.</p>"), story, &[ConsentWall]),
        ("consent pl", page("Zgoda", "", "<h2>Dbamy o Twoją prywatność</h2><p>My i nasi zaufani partnerzy używamy plików cookie, aby dopasować reklamy do Twoich zainteresowań i mierzyć ruch.</p><p>Administratorem Twoich danych osobowych jest wydawca gazety, który przetwarza je w celach opisanych poniżej.</p><p>Polityka prywatności opisuje, jak można wycofać zgodę w każdej chwili.</p><button>Akceptuję</button>"), story, &[ConsentWall]),
        ("login en", page("The bridge", "", &format!("<h1>The bridge</h1>{}<div class=wall><h3>Subscribe to continue reading</h3><p>Already a subscriber? Log in.</p><input type=password></div>", prose(2))), story, &[LoginWall]),
        ("login zh", page("桥", "", "<h1>河上的新桥</h1><p>市议会周一同意重建河上的旧桥。</p><p>请登录后阅读全文。</p>"), story, &[LoginWall]),
        ("login ru", page("Мост", "", "<h1>Новый мост</h1><p>Совет решил восстановить старый мост через реку.</p><p>Чтобы читать дальше, оформите подписку или войдите в личный кабинет.</p>"), story, &[LoginWall]),
        ("missing en", missing("Page not found", "Sorry, the page you are looking for does not exist or was moved."), story, &[NotFound]),
        ("missing vi", missing("Không tìm thấy trang", "Trang bạn tìm không tồn tại hoặc đã bị xóa. Mời bạn đọc các tin khác."), story, &[NotFound]),
        ("missing ru", missing("Страница не найдена", "Возможно, она была удалена или вы ошиблись в адресе."), story, &[NotFound]),
        ("missing zh", missing("页面不存在", "抱歉，您访问的页面不存在或已删除。"), story, &[NotFound]),
        ("missing pl", missing("Nie znaleziono strony", "Strona, której szukasz, nie istnieje lub została przeniesiona."), story, &[NotFound]),
        ("missing el", missing("Η σελίδα δεν βρέθηκε", "Η σελίδα που ζητήσατε δεν υπάρχει ή έχει μετακινηθεί."), story, &[NotFound]),
        ("empty gallery", format!("<title>Pictures of the flood</title><h1>Pictures of the flood</h1>{}", (0..14).map(|n| format!("<figure><img src='/{n}.jpg'><figcaption>{n}/14</figcaption></figure>")).collect::<String>()), story, &[Gallery, TooLittleText]),
        ("gallery of short captions", page("Pictures of the flood", "", &format!("<h1>Pictures of the flood</h1>{}", (0..12).map(|n| format!("<figure><img src='/{n}.jpg'><figcaption>Picture: archive {n}</figcaption></figure>")).collect::<String>())), story, &[Gallery, TooLittleText]),
        ("gallery of captions", page("Pictures of the flood", "", &format!("<h1>Pictures of the flood</h1>{}", (0..12).map(|n| format!("<figure><img src='/{n}.jpg'><figcaption>{} (Photo: Anna Weaver)</figcaption></figure>", SENTENCES[n % 6])).collect::<String>())), story, &[Gallery, Hub]),
        ("tag page", page("Flood", "", &format!("<h1>Tag: Flood</h1>{}<div class=pagination><a href='/tag/flood/page/2'>2</a><a href='/tag/flood/page/3'>Next page</a></div>", teasers(14))), "https://paper.example/tag/flood", lists),
        ("search", page("Search results for flood", "", &format!("<h1>Search results for flood</h1><p>Showing 1-20 of 412 results</p>{}", teasers(20))), "https://paper.example/search?q=flood", lists),
        ("archive", page("Archive, page 7", "", &format!("<h1>Archive</h1>{}<a rel=next href='/archive/page/8'>Older posts</a>", teasers(25))), "https://paper.example/archive/page/7", lists),
        ("front page", page("The Valley Paper", "", &teasers(40)), "https://paper.example/", &[Hub, Listing]),
        ("shop", page("Boots", "", &(0..20).map(|n| format!("<li class=product><a href='/p/{n}'><img src='/{n}.jpg'>Boots for the valley, number {n}</a><span class=price>${n}9.90</span><button>Add to cart</button></li>")).collect::<String>()), "https://paper.example/shop/boots", &[Shop, TooLittleText, Listing]),
    ]
}

fn articles() -> Vec<(&'static str, String, &'static str)> {
    let story = "https://paper.example/news/2026/bridge-in-the-valley-412345.html";
    let live: String = (0..20)
        .map(|n| {
            format!(
                "<div class=entry><time>{:02}:{:02}</time><h3>Update number {n}</h3><p>{} {}</p></div>",
                20 - n,
                3 * n,
                SENTENCES[n % 6],
                SENTENCES[(n + 1) % 6]
            )
        })
        .collect();
    let photos: String = (0..8).map(|n| format!("<figure><img src='/{n}.jpg'><figcaption>The bridge on day {n}. Photo: Anna Weaver</figcaption></figure>{}", prose(2))).collect();
    let interview: String = SENTENCES
        .iter()
        .map(|answer| {
            format!(
                "<p><b>What happened then, and who was there to help you?</b></p><p>{answer} {answer}</p>"
            )
        })
        .collect();
    let recipe = format!(
        "<p>{}</p><h2>Ingredients</h2><ul><li>200 g of flour</li><li>3 eggs</li><li>a pinch of salt</li><li>half a litre of milk</li></ul><h2>Method</h2><ol><li>Mix flour and eggs in a bowl, and add the milk slowly while stirring.</li><li>Leave the dough alone for half an hour, so that the flour can swell.</li><li>Heat butter in a pan and bake thin cakes from both sides until they are golden.</li></ol><p>{}</p>",
        SENTENCES[0],
        "Serve them warm, with apples or with cheese, as the people of the valley do on the first of May."
    );
    let list: String = (1..=10)
        .map(|n| {
            format!(
                "<h2>{n}. The walk to mill number {n}</h2><p>{} {}</p>",
                SENTENCES[n % 6],
                SENTENCES[(n + 2) % 6]
            )
        })
        .collect();
    let cookies = format!(
        "{}<p>The site asks: we use cookies, says the note. Accept all cookies or go.</p><p>The cookie policy of the council names our partners.</p><p>Your consent, says the mayor, is what counts.</p>{}",
        prose(6),
        prose(6)
    );
    let dated = |body: &str| {
        let head = "<script type='application/ld+json'>{\"@type\": \"NewsArticle\", \"datePublished\": \"2026-11-20T09:30:00+07:00\"}</script>";
        page("Rain ends", head, &format!("<article><h1>Rain ends in the valley</h1>{body}</article>"))
    };
    let with = |sentence: &str| dated(&format!("{}<p>{sentence}</p>{}", prose(2), prose(1)));
    vec![
        ("breaking", dated(&prose(2)), story),
        ("what no longer exists", with("The company that built the dam no longer exists, he added, and its page does not exist either."), story),
        ("a moment", with("It was just a moment of weakness, and at the gate a sign said access denied."), story),
        ("a robot", with("Are you a robot? That is what the farmers asked the mayor on Monday evening."), story),
        ("box of comments", dated(&format!("{}<div class=comments><p>Log in to continue the discussion</p></div>", prose(3))), story),
        ("binh luan", dated(&format!("{}<p>Đăng nhập để tiếp tục bình luận</p>", prose(3))), story),
        ("personal data", dated("<p>The clinic was fined for its handling of personal data, the court said.</p><p>Nobody had asked the patients whether their personal data might be sold.</p><p>The clinic says that personal data are safe now, and that it is sorry.</p>"), story),
        ("cookies in the footer", dated(&format!("{}<footer><p>We use cookies. Accept all cookies or see the cookie policy.</p></footer>", prose(3))), story),
        ("brief", article("Rain ends", &prose(3)), story),
        ("brief of sixty words", format!("<title>Rain ends</title><h1>Rain ends in the valley</h1><p>{} {} {} {}</p>", SENTENCES[0], SENTENCES[1], SENTENCES[3], "Nobody was hurt."), story),
        ("news", article("The bridge in the valley", &prose(14)), story),
        ("live blog", article("Flood in the valley: live", &live), story),
        ("photo story", article("Eight days in pictures", &photos), story),
        ("interview", article("The mayor: we were lucky", &interview), story),
        ("recipe", article("Pancakes of the valley", &recipe), "https://paper.example/recipes/pancakes-of-the-valley"),
        ("list", article("Ten walks in the valley", &list), "https://paper.example/travel/ten-walks/"),
        ("about cookies", article("Council page not found to break the law on cookies", &cookies), story),
        ("chinese", article("河上的新桥", &"<p>市议会周一同意重建河上的旧桥，工程将于明年春天开始，预计两年完成。市长说，没有人受伤，学校将在水退之后重新开放。</p><p>当地居民对这个决定表示欢迎，许多人已经等了十二年。</p>".repeat(4)), "https://paper.example/news/20261120/412345.html"),
        ("vietnamese", article("Mưa lớn ở thung lũng", &"<p>Mưa lớn kéo dài ba ngày khiến nước sông dâng cao, nhiều tuyến đường bị ngập sâu và học sinh phải nghỉ học.</p><p>Chủ tịch xã cho biết không có ai bị thương, lực lượng chức năng đã đưa hơn bốn mươi hộ dân đến nơi an toàn trong đêm.</p>".repeat(3)), "https://paper.example/mua-lon-o-thung-lung-4123456.html"),
    ]
}

#[test]
fn what_is_no_article_is_refused_with_its_reason() {
    let mut wrong = Vec::new();
    for (name, html, url, reasons) in others() {
        let verdict = judge(&Page::parse(&html), url);
        if !reasons.iter().any(|reason| verdict == PageClass::NotArticle(*reason)) {
            wrong.push((name, verdict));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn every_kind_of_article_passes() {
    let refused: Vec<(&str, PageClass)> = articles()
        .into_iter()
        .flat_map(|(name, html, url)| {
            let page = Page::parse(&html);
            [(name, judge(&page, url)), (name, judge(&page, ""))]
        })
        .filter(|(_, verdict)| *verdict != PageClass::Article)
        .collect();
    assert!(refused.is_empty(), "{refused:?}");
}
