//! Tests language detection with texts in many languages, including short, mixed and difficult texts.

use proptest::prelude::*;

use super::*;

const VI: &str = "Sáng nay, chợ quê họp sớm hơn thường lệ vì bà con muốn bán hết rau trước khi trời mưa. Người mua đến từ các xã bên cạnh, ai cũng mang theo giỏ tre.";
const EN: &str = "The market opened earlier than usual this morning because the growers wanted to sell their vegetables before the rain came.";

fn told(text: &str) -> (String, u8) {
    let answer = language(text, None);
    (answer.tag.clone(), answer.hundredths())
}

/// Article 1 of the Universal Declaration of Human Rights, or its beginning.
const ARTICLE_1: [(&str, &str); 18] = [
    ("vi", "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi."),
    (
        "en",
        "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and should act towards one another in a spirit of brotherhood.",
    ),
    (
        "fr",
        "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité.",
    ),
    (
        "es",
        "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y conciencia, deben comportarse fraternalmente los unos con los otros.",
    ),
    (
        "de",
        "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen.",
    ),
    (
        "it",
        "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione e di coscienza e devono agire gli uni verso gli altri in spirito di fratellanza.",
    ),
    (
        "pt",
        "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de consciência, devem agir uns para com os outros em espírito de fraternidade.",
    ),
    (
        "id",
        "Semua orang dilahirkan merdeka dan mempunyai martabat dan hak-hak yang sama. Mereka dikaruniai akal dan hati nurani dan hendaknya bergaul satu sama lain dalam semangat persaudaraan.",
    ),
    (
        "nl",
        "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand en geweten, en behoren zich jegens elkander in een geest van broederschap te gedragen.",
    ),
    (
        "tr",
        "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler.",
    ),
    (
        "pl",
        "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa.",
    ),
    (
        "ru",
        "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства.",
    ),
    ("el", "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα."),
    ("zh", "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。"),
    ("ja", "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。"),
    ("ko", "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다."),
    ("ar", "يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق."),
    ("th", "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ"),
];

#[test]
fn one_sentence_is_told_in_many_languages() {
    for (expected, text) in ARTICLE_1 {
        let (tag, hundredths) = told(text);
        assert_eq!((tag.as_str(), hundredths >= 95), (expected, true), "{hundredths}: {text}");
    }
}

#[test]
fn languages_of_short_syllables_are_neither_vietnamese_nor_sure() {
    // The detector does not support Swahili and Chinese in pinyin.
    for text in [
        "Watu wote wamezaliwa huru, hadhi na haki zao ni sawa. Wote wamejaliwa akili na dhamiri, hivyo yapasa watendeane kindugu.",
        "Ren ren sheng er zi you, zai zun yan he quan li shang yi lü ping deng. Ta men fu you li xing he liang xin, bing ying yi xiong di guan xi de jing shen xiang dui dai.",
    ] {
        let (tag, hundredths) = told(text);
        assert!(tag != "vi" && hundredths < 90, "{tag} {hundredths}: {text}");
    }
}

#[test]
fn vietnamese_is_told_with_and_without_marks() {
    for text in [
        VI,
        "Thu tuong hop voi cac bo nganh ve kinh te",
        "THỦ TƯỚNG HỌP VỚI CÁC BỘ NGÀNH",
        "THU TUONG HOP VOI CAC BO NGANH VE KINH TE",
        "Giá vàng hôm nay",
        "Gia vang hom nay tang manh",
        "Cho que hop som",
        "Ha Noi: nguoi dan di cho tet",
        "Du bao thoi tiet ngay mai, mien Bac co mua to",
        // Vietnamese in NFD, and Vietnamese with some marks missing.
        "Cho\u{31b}\u{323} que\u{302} ho\u{323}p so\u{31b}\u{301}m",
        "Chợ que họp som hơn thuong le vi bà con muon bán het rau",
    ] {
        let (tag, hundredths) = told(text);
        assert_eq!((tag.as_str(), hundredths >= 90), ("vi", true), "{hundredths}: {text}");
    }
}

#[test]
fn names_do_not_make_a_text_vietnamese() {
    for text in [
        "Nguyen Van Thieu said to Tran Thi Hong in Ha Noi",
        "Prime Minister Phạm Minh Chính met President Võ Văn Thưởng in Hà Nội on Monday",
        "Ho Chi Minh City and Da Nang are to get new metro lines, Le Minh Hoan told the assembly",
        "The song Hang on is too long, but then the men can sing to it",
        "To do: an inn, no ham, no tea, hot cocoa, a tin can",
        "Vietnam's Nguyen Thi Oanh won gold in the 5,000 m at the Games",
    ] {
        assert_eq!(told(text).0, "en", "{text}");
    }
}

#[test]
fn a_mixed_text_is_in_the_language_of_most_of_its_words() {
    assert_eq!(told(&format!("{VI}\n{EN}\n{VI}")).0, "vi");
    assert_eq!(told(&format!("{EN}\n{EN}\n{VI}\n{EN}")).0, "en");
    let whole = "新闻报道说今天早上市场很早就开始了。".repeat(10);
    assert_eq!(told(&format!("{whole} The Economist")).0, "zh");
}

#[test]
fn what_is_declared_is_evidence() {
    let tag = |text, declared| language(text, Some(declared)).tag;
    assert_eq!(tag(VI, "en"), "vi");
    assert_eq!(tag(EN, "vi-VN"), "en");
    let (alone, backed) = (language("Cho que hop som", None), language("Cho que hop som", Some("vi")));
    assert!(alone.probability < backed.probability, "{alone:?} {backed:?}");
    // Without evidence in the text, the page's declaration decides.
    assert_eq!(language("2026", Some("vi_VN")), Language { tag: "vi".into(), probability: 0.9 });
    for (text, declared) in [("", Some("x-klingon")), ("", None), ("2026 – 5%", None), ("\0\0", Some("und"))]
    {
        assert_eq!(language(text, declared), Language::undetermined(), "{text:?}");
    }
}

#[test]
fn long_texts_and_long_words_are_bounded() {
    for text in
        ["Mưa to. ".repeat(500_000), "ệ".repeat(2_000_000), "a".repeat(5_000_000), " \n".repeat(3_000_000)]
    {
        let answer = language(&text, None);
        assert!((0.0..=1.0).contains(&answer.probability), "{answer:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_probability_is_one(
        text in "(\\PC|[a-zA-Z ]|[àễộươđ]|the |cua |là ){0,120}",
        declared in proptest::option::of("[a-zA-Z_-]{0,6}"),
    ) {
        let answer = language(&text, declared.as_deref());
        prop_assert!((0.0..=1.0).contains(&answer.probability), "{:?}", answer);
        prop_assert_eq!(answer.tag == "und", answer.probability < LEAST, "{:?}", answer);
        prop_assert!(answer.hundredths() <= 100);
    }
}
