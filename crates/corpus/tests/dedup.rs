//! Tests hand-written borderline pairs in English and Vietnamese: copies, and texts of a series. crates/lab
//! measures many generated pairs.

use gleaner_corpus::dedup::{Alignment, Relation, SignedText, SimilarityParams};

/// Returns the verdict on a pair as in a crawl. Unlike in a crawl, the two texts need not share an index key.
fn verdict(one: &str, other: &str) -> Relation {
    let (one, other) =
        (SignedText::from_text(one).expect("ten words"), SignedText::from_text(other).expect("ten words"));
    let similarity = one.signature.similarity(&other.signature);
    SimilarityParams::default().relation(similarity, &Alignment::new(&one.tokens, &other.tokens))
}

const ARTICLE: &str = "The council agreed on Monday to build a second bridge over the river, after eleven years \
of argument about where it should stand and who should pay for it.\nWork will begin in the spring of 2027 and take \
two years, the mayor told reporters. The state is to carry 60 percent of the cost of 48 million dollars, the town \
and its neighbours the rest.\nShopkeepers on the north bank had asked for a tunnel instead. Their speaker said that \
the plan would take away 120 parking spaces, and that nobody had answered the letters which they wrote in June.\n\
An older bridge, some 300 metres upstream, has been closed to lorries since cracks were found in two of its piers.";

const BÀI_BÁO: &str = "Sáng nay, hội đồng thành phố đã thống nhất xây thêm một cây cầu bắc qua sông sau mười một năm \
bàn cãi về vị trí và nguồn vốn.\nCông trình sẽ khởi công vào mùa xuân năm 2027 và kéo dài hai năm, thị trưởng cho biết. \
Ngân sách trung ương chi 60% trong tổng vốn 480 tỷ đồng, phần còn lại do thành phố và các huyện lân cận đóng góp.\n\
Các hộ kinh doanh ở bờ bắc từng đề nghị làm hầm. Người đại diện nói phương án này lấy đi 120 chỗ đậu xe và chưa ai \
trả lời lá thư mà họ gửi hồi tháng sáu.\nCây cầu cũ cách đó chừng 300 mét đã cấm xe tải từ khi phát hiện vết nứt ở hai trụ.";

#[test]
fn copies_are_duplicates() {
    for text in [ARTICLE, BÀI_BÁO] {
        let moved: Vec<&str> = text.lines().rev().collect();
        let copies = [
            text.to_owned(),
            format!("A bridge at last / Cây cầu thứ hai\n{text}"),
            text.lines().skip(1).collect::<Vec<_>>().join("\n"),
            moved.join("\n"),
            // The text has a corrected figure and a corrected date.
            text.replace("120", "140").replace("2027", "2028"),
            text.to_uppercase(),
        ];
        for copy in copies {
            assert_eq!(verdict(text, &copy), Relation::Duplicate, "{copy}");
            assert_eq!(verdict(&copy, text), Relation::Duplicate, "{copy}");
        }
    }
}

#[test]
fn the_next_part_of_a_series_is_no_duplicate() {
    let pairs = [
        // A short text with as many unchanged numbers as changed numbers.
        (
            "Weather for Tuesday: highs of 25 degrees, lows of 14 and a 20 percent chance of rain before 6 p.m. \
             Call 1800 or 1801 for news of storms at sea, open from 7 to 19.",
            "Weather for Tuesday: highs of 22 degrees, lows of 11 and a 70 percent chance of rain before 6 p.m. \
             Call 1800 or 1801 for news of storms at sea, open from 7 to 19.",
        ),
        (
            "Giá vàng hôm nay 21/11: vàng miếng mua vào 80,5 triệu đồng một lượng, bán ra 82,5 triệu đồng một lượng, \
             không đổi so với hôm qua.",
            "Giá vàng hôm nay 22/11: vàng miếng mua vào 81,3 triệu đồng một lượng, bán ra 83,3 triệu đồng một lượng, \
             không đổi so với hôm qua.",
        ),
        (
            "Giải đặc biệt: 12345. Giải nhất: 54321. Giải nhì: 11122, 33344. Vé trúng thưởng được lĩnh trong 30 ngày \
             tại công ty xổ số kiến thiết các tỉnh.",
            "Giải đặc biệt: 90817. Giải nhất: 26354. Giải nhì: 77788, 99900. Vé trúng thưởng được lĩnh trong 30 ngày \
             tại công ty xổ số kiến thiết các tỉnh.",
        ),
        // A text with only one number.
        (
            "The central bank set the reference rate at 24250 on the day, it said in a statement on its website.",
            "The central bank set the reference rate at 24263 on the day, it said in a statement on its website.",
        ),
    ];
    for (one, other) in pairs {
        assert!(verdict(one, other) < Relation::Duplicate, "{one}");
        assert_eq!(verdict(one, one), Relation::Duplicate, "{one}");
    }
}

#[test]
fn other_texts_are_nothing_to_each_other() {
    assert_eq!(verdict(ARTICLE, BÀI_BÁO), Relation::Other);
}
