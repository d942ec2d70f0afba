//! Generates readers' comments and advertisements. They are on the page of an article, but do not belong to
//! the article. Each comment combines entries of three lists. The choice depends only on the article, so a
//! page is always the same. Some sentences recur on several pages, more often than in real comments.

use crate::article::Article;
use crate::paper::Language;
use crate::site::choose;
use jiff::civil::DateTime;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Comment {
    pub name: String,
    pub text: String,
    pub at: DateTime,
}

/// Parts of comments in one language. `{}` is replaced by a tag of the article.
struct Lists {
    first: &'static [&'static str],
    last: &'static [&'static str],
    openings: &'static [&'static str],
    middles: &'static [&'static str],
    endings: &'static [&'static str],
}

const VIETNAMESE: Lists = Lists {
    first: &["Anh Tám", "Cô Lụa", "Bác Thịnh", "Chị Nhàn", "Chú Bảy", "Em Thóc", "Ông Vượng", "Bà Hiên"],
    last: &["xóm Trên", "xóm Dưới", "bến Cũ", "ngõ Đa", "chợ Chiều", "đồng Sậy", "cầu Tre"],
    openings: &[
        "Đọc xong thấy vui cho bà con mình.",
        "Tôi ở gần đó nên biết rõ chuyện này.",
        "Cảm ơn tòa soạn đã đưa tin.",
        "Theo tôi thì chưa hẳn như vậy đâu.",
        "Hôm đó tôi cũng có mặt.",
        "Nhà tôi ba đời gắn với {} rồi.",
        "Lâu lắm mới thấy ai viết về {}.",
        "Bài hay nhưng còn thiếu một ý.",
        "Xin hỏi ban biên tập một câu.",
    ],
    middles: &[
        "Chuyện {} năm nào cũng bàn mà năm nay mới thấy làm tới nơi tới chốn.",
        "Mấy đứa nhỏ nhà tôi cứ nhắc {} suốt bữa cơm tối.",
        "Nếu ai cần người phụ thì cứ gọi, tôi rảnh buổi chiều.",
        "Chỉ mong đừng để như hồi trước, làm nửa chừng rồi bỏ.",
        "Tôi thấy {} còn phải tính thêm chi phí đi lại nữa.",
        "Ông nội tôi kể ngày xưa khác bây giờ nhiều lắm.",
        "Hàng xóm tôi lại nghĩ ngược lại, cãi nhau cả buổi vì {}.",
        "Ảnh chụp đẹp quá, nhìn mà nhớ quê.",
    ],
    endings: &[
        "Mong báo có bài tiếp theo.",
        "Chúc mọi người mạnh khỏe!",
        "Ai biết thêm thì nói giúp nhé.",
        "Thế là mừng rồi.",
        "Hẹn gặp bà con cuối tuần.",
        "Tôi sẽ ghé xem tận nơi.",
        "Góp ý chân tình vậy thôi.",
    ],
};

const ENGLISH: Lists = Lists {
    first: &["Marrow", "Old Tam", "Ivy L.", "Fern", "Captain B.", "Nettie", "Rook", "Dora P."],
    last: &[
        "of Mill End",
        "on the hill",
        "down the lane",
        "of Quarry Row",
        "at number nine",
        "(retired)",
        "from the ferry",
    ],
    openings: &[
        "Well, this made my breakfast.",
        "I live two doors away and can confirm.",
        "Thank you for printing this.",
        "With respect, I see it differently.",
        "I was there with my sister.",
        "Nobody ever writes about {}, so hats off.",
        "My family has argued about {} since before the war.",
        "A question for the editor, if I may.",
        "Good piece, though one thing is missing.",
    ],
    middles: &[
        "Every year we talk about {} and this is the first time anyone did something.",
        "The children have spoken of nothing but {} since Sunday.",
        "If more hands are wanted I am free most afternoons.",
        "I only hope it does not end half finished like the bandstand.",
        "Someone ought to work out what {} costs in petrol alone.",
        "My grandmother told it quite another way.",
        "The fellow next door disagrees and we lost an evening to {}.",
        "Lovely photograph, it made me homesick.",
    ],
    endings: &[
        "More of this, please.",
        "Good luck to all concerned!",
        "Does anyone know more?",
        "That is all I have to say.",
        "See you on Saturday.",
        "I shall go and look for myself.",
        "No offence meant.",
    ],
};

/// Returns the two to five comments on an article. They depend only on the article.
pub(crate) fn comments(language: Language, article: &Article) -> Vec<Comment> {
    let path = &*article.number.to_string();
    let lists = match language {
        Language::Vietnamese => &VIETNAMESE,
        Language::English => &ENGLISH,
    };
    let count = 2 + choose(path, 0, 4);
    let written = (0..count).map(|n| {
        let pick = |salt: usize, list: &[&'static str]| list[choose(path, 10 * n + salt, list.len())];
        let tag = &article.tags[choose(path, 10 * n + 9, article.tags.len())];
        let parts = [pick(1, lists.openings), pick(2, lists.middles), pick(3, lists.endings)];
        let minutes = i64::try_from(37 * (n + 1) + choose(path, n, 30)).unwrap_or_default();
        Comment {
            name: format!("{} {}", pick(4, lists.first), pick(5, lists.last)),
            text: parts.join(" ").replace("{}", &tag.to_lowercase()),
            at: article.published.later(minutes),
        }
    });
    written.collect()
}

pub(crate) fn advertisement(language: Language, path: &str) -> &'static str {
    const VIETNAMESE: [&str; 5] = [
        "Cửa hàng Xe Đạp Gió Mới: giảm 15% khi mang xe cũ đến đổi, chỉ trong tuần này.",
        "Nước mắm Bến Cũ - ủ chum mười hai tháng, giao tận nhà trong ngày.",
        "Mái tôn Trường Sơn chống nóng, bảo hành hai mươi năm. Gọi ngay để được báo giá!",
        "Lớp học bơi cho trẻ từ sáu tuổi, thầy cô tận tâm, khai giảng đầu tháng.",
        "Vay mua máy cày lãi suất thấp cùng Quỹ Tín Dụng Đồng Xanh.",
    ];
    const ENGLISH: [&str; 5] = [
        "Brindle & Daughters Bicycles: bring your old one, take 15% off a new one. This week only.",
        "Saltmarsh Jam - twelve fruits, one spoon. Delivered to your door.",
        "Your roof deserves better! Free quotes from Halloran Slate and Tile.",
        "Swimming lessons from age six, warm water, patient teachers. Book now.",
        "Need a tractor before spring? Low rates at the Greenfield Savings Society.",
    ];
    match language {
        Language::Vietnamese => VIETNAMESE[choose(path, 77, VIETNAMESE.len())],
        Language::English => ENGLISH[choose(path, 77, ENGLISH.len())],
    }
}
