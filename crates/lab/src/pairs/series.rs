//! Generates texts of series with fixed wording: weather, prices, lottery results, markets.
//!
//! In a pattern, `#5-20` is replaced by a number from 5 to 20, and `[a|b]` by `a` or `b`. Two texts from one
//! pattern are like two texts of a real series: nearly all words are equal, but each text is separate news.
//! [`renumbered`] generates such a text from a gold text with many numbers.
//!
//! Limitation: the patterns only imitate real reports.

use super::random::Random;
use super::texts::TextLanguage;

/// The topic of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Series {
    /// A weather forecast.
    Weather,
    /// Prices of goods.
    Prices,
    /// Lottery results.
    Lottery,
    /// The prices of an exchange on one day.
    Market,
}

impl Series {
    /// All series.
    pub const ALL: [Self; 4] = [Self::Weather, Self::Prices, Self::Lottery, Self::Market];

    const fn pattern(self, language: TextLanguage) -> &'static str {
        match (self, language) {
            (Self::Weather, TextLanguage::English) => WEATHER_EN,
            (Self::Weather, TextLanguage::Vietnamese) => WEATHER_VI,
            (Self::Prices, TextLanguage::English) => PRICES_EN,
            (Self::Prices, TextLanguage::Vietnamese) => PRICES_VI,
            (Self::Lottery, TextLanguage::English) => LOTTERY_EN,
            (Self::Lottery, TextLanguage::Vietnamese) => LOTTERY_VI,
            (Self::Market, TextLanguage::English) => MARKET_EN,
            (Self::Market, TextLanguage::Vietnamese) => MARKET_VI,
        }
    }

    /// Generates one text of the series.
    #[must_use]
    pub fn part(self, language: TextLanguage, random: &mut Random) -> String {
        filled(self.pattern(language), random)
    }
}

const WEATHER_EN: &str = "Weather forecast for [Monday|Tuesday|Friday|Sunday]\n\
The north will be [mostly sunny|mostly cloudy|wet] with highs of #19-34 and lows of #8-18 degrees Celsius. Humidity will range from #45-60 to #65-95 percent.\n\
Along the coast, winds from the [east|north-east|south-west] will reach #10-60 km an hour, with waves of #1-5.#0-9 metres offshore.\n\
In the central provinces, #2-90 mm of rain is expected between 1 p.m. and 7 p.m., and the chance of thunderstorms is #10-95 percent.\n\
In the south, temperatures will range from #22-26 to #29-36 degrees, with light winds and visibility of more than 10 km.\n\
The weather service advises residents of low-lying areas to follow bulletins on its website and to call 1800 in an emergency.";

const WEATHER_VI: &str = "Dự báo thời tiết ngày #1-28/#1-12\n\
Phía Tây Bắc Bộ [nhiều mây, có mưa vài nơi|có mưa rào và dông|ngày nắng], nhiệt độ thấp nhất từ #12-24 đến #25-27 độ C, cao nhất từ #26-30 đến #31-38 độ C. Độ ẩm từ #50-70 đến #75-99%.\n\
Thủ đô Hà Nội [có lúc có mưa|ngày nắng nóng|trời rét], gió đông bắc cấp #2-4, nhiệt độ từ #14-25 đến #26-38 độ C.\n\
Các tỉnh từ Thanh Hóa đến Thừa Thiên - Huế có mưa, lượng mưa #5-150 mm, có nơi trên #150-300 mm.\n\
Khu vực Nam Bộ chiều tối có mưa rào và dông rải rác, nhiệt độ từ #22-26 đến #30-36 độ C. Trên biển gió cấp #4-8, giật cấp #7-10, sóng cao #1-5 m.\n\
Trung tâm Dự báo khí tượng thủy văn quốc gia khuyến cáo người dân theo dõi các bản tin tiếp theo.";

const PRICES_EN: &str = "Fuel and gold prices on #1-28 [January|March|June|October]\n\
A litre of regular petrol costs #1-2.#10-99 dollars on average, [up|down] #1-9 cents from a week ago. Diesel is at #1-2.#10-99 dollars a litre.\n\
Gold was bought at #1500-2900.#10-99 dollars an ounce and sold at #1500-2900.#10-99 dollars. Silver stood at #18-38.#10-99 dollars.\n\
A tonne of rice of five percent broken grains was offered at #380-620 dollars, [little changed|higher|lower], while robusta coffee traded at #1800-5400 dollars a tonne.\n\
Prices are collected every morning from dealers in the main markets and may differ from those in shops.";

const PRICES_VI: &str = "Giá vàng, giá xăng hôm nay #1-28/#1-12\n\
Sáng nay, vàng miếng SJC được các doanh nghiệp niêm yết ở mức #70-90.#0-9 triệu đồng mỗi lượng chiều mua vào và #80-95.#0-9 triệu đồng chiều bán ra, [tăng|giảm] #100-900.000 đồng so với hôm qua.\n\
Vàng nhẫn trơn giao dịch quanh #60-88.#10-99 triệu đồng một lượng. Giá vàng thế giới ở mức #1800-2900 USD một ounce.\n\
Giá xăng RON 95 là #19-26.#100-990 đồng một lít, xăng E5 là #18-25.#100-990 đồng, dầu diesel #16-24.#100-990 đồng một lít.\n\
Tỷ giá trung tâm do Ngân hàng Nhà nước công bố ở mức #23-25.#100-990 đồng. Giá cà phê tại Tây Nguyên từ #38-130.#100-900 đồng một kg.\n\
Giá có thể thay đổi trong ngày, người đọc nên tham khảo tại cửa hàng trước khi giao dịch.";

const LOTTERY_EN: &str = "Lottery results for draw #1000-4999\n\
The winning numbers drawn on [Wednesday|Saturday] night were #1-49, #1-49, #1-49, #1-49, #1-49 and #1-49, with bonus number #1-49.\n\
The jackpot of #2-90.#1-9 million dollars was [not won|won by one ticket] and #2-60 tickets matched five numbers, each winning #11000-98000 dollars. A further #1000-9000 tickets matched four.\n\
In the daily draws the numbers were #100-999 at midday and #1000-9999 in the evening. Tickets are on sale until 8.30 p.m. on the day of the draw; prizes can be claimed within 180 days.";

const LOTTERY_VI: &str = "Kết quả xổ số miền Bắc ngày #1-28/#1-12\n\
Giải đặc biệt: #10000-99999. Giải nhất: #10000-99999. Giải nhì: #10000-99999, #10000-99999.\n\
Giải ba: #10000-99999, #10000-99999, #10000-99999, #10000-99999, #10000-99999, #10000-99999.\n\
Giải tư: #1000-9999, #1000-9999, #1000-9999, #1000-9999. Giải năm: #1000-9999, #1000-9999, #1000-9999.\n\
Giải sáu: #100-999, #100-999, #100-999. Giải bảy: #10-99, #10-99, #10-99, #10-99.\n\
Vé trúng giải được lĩnh thưởng trong thời hạn 30 ngày kể từ ngày mở thưởng tại công ty xổ số kiến thiết các tỉnh, thành phố. Kết quả chỉ mang tính chất tham khảo, mời quý vị đối chiếu với biên bản của hội đồng xổ số.";

const MARKET_EN: &str = "[Shares end higher|Shares end lower|Shares little changed]\n\
The benchmark index [rose|fell] #0-3.#10-99 percent, or #2-90.#10-99 points, to close at #5000-9900.#10-99 on [Monday|Tuesday|Thursday]. Turnover was #300-990 million shares worth #2-9.#1-9 billion dollars.\n\
Advancers led decliners by #210-480 to #90-205, and #40-99 shares were unchanged. Banks [gained|lost] #0-3.#1-9 percent, energy [gained|lost] #0-4.#1-9 percent and technology [gained|lost] #0-5.#1-9 percent.\n\
Foreign investors were net [buyers|sellers] of #10-400 million dollars. The dollar traded at #1-2.#1000-9999 and the ten-year bond yielded #1-5.#10-99 percent. The exchange is open from 9 a.m. to 4 p.m. on weekdays.";

const MARKET_VI: &str = "Chứng khoán phiên #1-28/#1-12\n\
Chốt phiên, VN-Index [tăng|giảm] #1-25.#10-99 điểm, lên mức #900-1400.#10-99 điểm. Toàn sàn có #110-320 mã tăng, #90-290 mã giảm và #30-89 mã đứng giá.\n\
Khối lượng khớp lệnh đạt #300-990 triệu cổ phiếu, tương ứng giá trị #8000-29000 tỷ đồng. HNX-Index [tăng|giảm] #0-5.#10-99 điểm, còn #180-290.#10-99 điểm.\n\
Nhóm ngân hàng [dẫn dắt thị trường|gây áp lực lên thị trường] với mức thay đổi #1-4.#1-9%. Khối ngoại [mua ròng|bán ròng] #50-900 tỷ đồng, tập trung vào các mã vốn hóa lớn.\n\
Tỷ giá tại các ngân hàng thương mại quanh mức #23-25.#100-990 đồng một USD. Nhà đầu tư được khuyến nghị theo dõi sát diễn biến thị trường.";

fn filled(pattern: &str, random: &mut Random) -> String {
    let mut text = String::new();
    let mut rest = pattern;
    while let Some(at) = rest.find(['#', '[']) {
        text += &rest[..at];
        let slot = &rest[at + 1..];
        rest = match rest.as_bytes()[at] {
            b'#' => number(slot, &mut text, random),
            _ => wording(slot, &mut text, random),
        };
    }
    text + rest
}

/// Parses a placeholder such as `5-20` at the beginning of `slot`, and appends a number. Returns the text
/// after the placeholder.
fn number<'a>(slot: &'a str, text: &mut String, random: &mut Random) -> &'a str {
    let (from, behind) = digits(slot);
    let (to, behind) = digits(behind.strip_prefix('-').unwrap_or(behind));
    *text += &random.between(from, to).to_string();
    behind
}

fn digits(text: &str) -> (usize, &str) {
    let (digits, behind) = text.split_at(text.bytes().take_while(u8::is_ascii_digit).count());
    (digits.parse().expect("patterns have a number here"), behind)
}

/// Parses alternatives such as `a|b]` at the beginning of `slot`, and appends one of them. Returns the text
/// after the placeholder.
fn wording<'a>(slot: &'a str, text: &mut String, random: &mut Random) -> &'a str {
    let (wordings, behind) = slot.split_once(']').expect("patterns close their wordings");
    *text += random.choose(&wordings.split('|').collect::<Vec<_>>());
    behind
}

/// Replaces every number except years by another number with as many digits. Returns `None` if the text has
/// fewer than one such number per 25 words, because such a text does not resemble a series.
#[must_use]
pub fn renumbered(text: &str, random: &mut Random) -> Option<String> {
    let words = text.split_whitespace().count();
    let (mut out, mut count) = (String::new(), 0);
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, behind) = rest.split_at(at);
        let (number, behind) = behind.split_at(behind.bytes().take_while(u8::is_ascii_digit).count());
        let is_year = number.len() == 4 && (number.starts_with("19") || number.starts_with("20"));
        count += usize::from(!is_year);
        out += before;
        out += &if is_year { number.to_owned() } else { other_number(number, random) };
        rest = behind;
    }
    (count * 25 >= words && words > 0).then(|| out + rest)
}

fn other_number(number: &str, random: &mut Random) -> String {
    let first = number.bytes().next().map_or(0, |digit| usize::from(digit - b'0'));
    let other = 1 + (first.max(1) - 1 + random.between(1, 8)) % 9;
    let rest = number[1..].chars().map(|_| random.below(10).to_string());
    std::iter::once(other.to_string()).chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::super::share::SharedWords;
    use super::*;

    #[test]
    fn patterns_are_filled_to_the_end() {
        for series in Series::ALL {
            for language in TextLanguage::ALL {
                let text = series.part(language, &mut Random::new(1));
                assert!(!text.contains(['#', '[', ']', '|']), "{text}");
                assert_eq!(text, series.part(language, &mut Random::new(1)));
                assert_ne!(text, series.part(language, &mut Random::new(2)));
            }
        }
        assert_eq!(filled("a #7-7, [b|b] #0-0.#3-3", &mut Random::new(1)), "a 7, b 0.3");
    }

    #[test]
    fn parts_of_a_series_share_most_words() {
        for series in [Series::Weather, Series::Prices, Series::Market] {
            for language in TextLanguage::ALL {
                let part = |seed| series.part(language, &mut Random::new(seed));
                let share = SharedWords::new(&part(1), &part(2)).share();
                assert!((0.6..0.97).contains(&share), "{series:?} {language:?}: {share}");
            }
        }
    }

    #[test]
    fn numbers_change_and_years_and_words_do_not() {
        let text = renumbered("Up 7 to 105.4 in 2012", &mut Random::new(5)).unwrap();
        assert!(text.starts_with("Up ") && text.ends_with(" in 2012"), "{text}");
        let numbers: Vec<&str> = text.split(' ').collect();
        assert!(numbers[1] != "7" && numbers[3] != "105.4" && numbers[3].len() == 5, "{text}");
        assert_eq!(renumbered(&"word ".repeat(100), &mut Random::new(5)), None);
        assert_eq!(renumbered("", &mut Random::new(5)), None);
    }
}
