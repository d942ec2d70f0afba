//! Decides by its words whether a name is that of a newspaper, an agency or a desk.
//!
//! Limitation: lists decide, so an agency that is not in them counts as a nickname.

/// Words of names of newspapers, agencies and companies that hardly occur in names of persons.
const WORDS: [&str; 57] = [
    "news",
    "newswire",
    "newspaper",
    "newspapers",
    "times",
    "desk",
    "editorial",
    "newsroom",
    "agency",
    "wire",
    "wires",
    "bureau",
    "service",
    "services",
    "media",
    "magazine",
    "journal",
    "network",
    "tribune",
    "gazette",
    "online",
    "digital",
    "sport",
    "sports",
    "radio",
    "television",
    "publishing",
    "group",
    "university",
    "institute",
    "department",
    "ministry",
    "association",
    "associated",
    "foundation",
    "company",
    "administrator",
    "inc",
    "ltd",
    "llc",
    "gmbh",
    "corp",
    "corporation",
    "getty",
    "reuters",
    "afp",
    "dpa",
    "upi",
    "ansa",
    "tass",
    "xinhua",
    "kyodo",
    "yonhap",
    "bernama",
    "ttxvn",
    "bbc",
    "cnn",
];

/// Parts of such words.
const PARTS: [&str; 12] = [
    "redaktion",
    "redacci",
    "rédaction",
    "redazione",
    "redakcj",
    "agentur",
    "agence",
    "agencia",
    "agenzia",
    "ajans",
    "nachrichten",
    "zeitung",
];

/// Parts of such names in scripts without capitals.
const UNCASED: [&str; 16] = [
    "新聞",
    "新闻",
    "通信",
    "通讯",
    "新华社",
    "新華社",
    "編集",
    "编辑",
    "編輯",
    "뉴스",
    "일보",
    "신문",
    "网",
    "報社",
    "日報",
    "وكالة",
];

/// Other names of agencies, broadcasters and desks, in lower case.
const NAMES: [&str; 16] = [
    "al jazeera",
    "canadian press",
    "europa press",
    "keystone-sda",
    "pa media",
    "antara",
    "belga",
    "lusa",
    "ritzau",
    "tanjug",
    "nhóm pv",
    "nhóm phóng viên",
    "phóng viên",
    "ban biên tập",
    "tòa soạn",
    "редакция",
];

/// Abbreviations of such names, in lower case. In names, they have capitals only or none, unlike `Ani`.
const ABBREVIATIONS: [&str; 23] = [
    "aap", "ani", "anp", "ap", "apa", "čtk", "efe", "epd", "ians", "kna", "mti", "ntb", "pa", "pap", "pti",
    "pv", "sda", "sid", "stt", "tasr", "tt", "vna", "wam",
];

/// Whether a word names a role, such as `editor`.
pub(super) fn is_role(word: &str) -> bool {
    const ROLES: [&str; 34] = [
        "director",
        "manager",
        "president",
        "officer",
        "team",
        "correspondent",
        "editor",
        "editors",
        "reporter",
        "reporters",
        "staff",
        "writer",
        "writers",
        "columnist",
        "contributor",
        "contributors",
        "developer",
        "producer",
        "photographer",
        "journalist",
        "journaliste",
        "korrespondent",
        "korrespondentin",
        "redakteur",
        "redakteurin",
        "redactor",
        "redactora",
        "periodista",
        "giornalista",
        "dziennikarz",
        "dziennikarka",
        "корреспондент",
        "обозреватель",
        "журналист",
    ];
    ROLES.contains(&word.trim_end_matches([',', '.']))
}

/// Whether a name is that of a newspaper, agency, company or desk, or only a role such as `Staff Writer`.
pub(super) fn is_organization(name: &str) -> bool {
    let lower = name.trim().to_lowercase();
    let is_word = |word: &str| WORDS.contains(&word) || PARTS.iter().any(|part| word.contains(part));
    let mut words = lower.split([' ', '\u{a0}', '/', ',']).map(|word| word.trim_end_matches([',', '.']));
    let is_abbreviation = || ABBREVIATIONS.contains(&lower.as_str()) && !has_both_cases(name);
    NAMES.contains(&lower.as_str())
        || is_abbreviation()
        || words.any(|word| is_role(word) || is_word(word))
        || UNCASED.iter().any(|part| lower.contains(part))
}

fn has_both_cases(name: &str) -> bool {
    name.chars().any(char::is_uppercase) && name.chars().any(char::is_lowercase)
}
