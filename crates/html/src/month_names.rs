//! Lists month names in the languages of news, and folds words for comparison.
//!
//! Names are compared in lower case without accents, because the accent of a Greek name depends on the
//! grammatical case (`Ιανουάριος`, `Ιανουαρίου`) and many pages omit it. The list contains nominatives,
//! genitives and the usual abbreviations.
//!
//! Limitation: abbreviations that are English words are not in the list (in Portuguese, `out` for October and
//! `set` for September). A name that means different months in different languages (`listopad`) has its
//! meaning in Polish, Czech and Ukrainian.

use std::collections::HashMap;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Folded month names in Latin, Cyrillic and Greek letters, from January on. Each name occurs once.
const MONTHS: [&str; 12] = [
    "january jan januar janvier janv enero gennaio janeiro januari ocak ianuarie leden ledna styczen stycznia sty январь января янв сiчень сiчня ιανουαριος ιανουαριου ιαν janner ene gen gener tammikuu tammikuuta sausio jaanuar januara januarja sijecnja јануар јануара януари",
    "february feb febr februar fevrier fevr febrero febbraio fevereiro februari subat februarie unor unora luty lutego lut февраль февраля фев февр лютии лютого φεβρουαριος φεβρουαριου φεβ feber fev febrer helmikuu helmikuuta vasario veebruar februara februarja veljace фебруар фебруара февруари",
    "march mar marz maerz mars marzo marco maart mart maret martie brezen brezna marzec marca март марта мар березень березня μαρτιος μαρτιου μαρ mrz marts marcius maaliskuu maaliskuuta kovo marta ozujka",
    "april apr avril avr abril abr aprile nisan aprilie duben dubna kwiecien kwietnia kwi апрель апреля апр квiтень квiтня απριλιος απριλιου απρ aprilis huhtikuu huhtikuuta balandzio aprill aprila travnja априла",
    "may mai mayo maggio maio mei mayis kveten kvetna maj maja маи мая травень травня μαιος μαιου μαι majus maig toukokuu toukokuuta geguzes svibnja",
    "june jun juni juin junio giugno junho haziran iunie cerven cervna czerwiec czerwca cze июнь июня июн червень червня ιουνιος ιουνιου ιουν junius juny kesakuu kesakuuta birzelio juuni juna junija lipnja giu јун јуна юни",
    "july jul juli juillet juil julio luglio julho temmuz iulie cervenec cervence lipiec lipca lip июль июля июл липень липня ιουλιος ιουλιου ιουλ julius juliol heinakuu heinakuuta liepos juuli jula julija srpnja lug јул јула юли",
    "august aug aout agosto ago augustus augusti agustus agu agustos srpen srpna sierpien sierpnia sie август августа авг серпень серпня αυγουστος αυγουστου αυγ augusztus agost elokuu elokuuta rugpjucio avgust avgusta kolovoza",
    "september sep sept septembre septiembre settembre setembro eylul septembrie zari wrzesien wrzesnia wrz сентябрь сентября сен сент вересень вересня σεπτεμβριος σεπτεμβριου σεπ σεπτ szeptember setembre syyskuu syyskuuta rugsejo septembra rujna септембар септембра септември",
    "october oct okt oktober octobre octubre ottobre outubro ekim octombrie rijen rijna pazdziernik pazdziernika paz октябрь октября окт жовтень жовтня οκτωβριος οκτωβριου οκτ lokakuu lokakuuta spalio oktoober oktobra ott октобар октобра октомври",
    "november nov novembre noviembre novembro kasim noiembrie listopad listopadu listopada lis ноябрь ноября ноя нояб νοεμβριος νοεμβριου νοε marraskuu marraskuuta lapkricio novembra studenoga studenog новембар новембра ноември",
    "december dec dez dezember decembre diciembre dicembre dezembro desember aralik decembrie prosinec prosince grudzien grudnia gru декабрь декабря дек грудень грудня δεκεμβριος δεκεμβριου δεκ desembre dic joulukuu joulukuuta gruodzio detsember decembra prosinca децембар децембра декември",
];

/// Month names from January on in Arabic, Urdu, Hindi, Bengali, Thai and Hebrew. `_` joins the two words of a
/// name.
const OTHER_SCRIPTS: [&str; 12] = [
    "يناير جانفي كانون_الثاني جنوری जनवरी জানুয়ারি มกราคม ม.ค ינואר בינואר",
    "فبراير فيفري شباط فروری फरवरी फ़रवरी ফেব্রুয়ারি กุมภาพันธ์ ก.พ פברואר בפברואר",
    "مارس آذار مارچ मार्च মার্চ มีนาคม มี.ค מרץ במרץ מרס במרס",
    "أبريل أفريل نيسان اپریل अप्रैल এপ্রিল เมษายน เม.ย אפריל באפריל",
    "مايو ماي أيار مئی मई মে พฤษภาคม พ.ค מאי במאי",
    "يونيو جوان حزيران जून জুন มิถุนายน มิ.ย יוני ביוני",
    "يوليو جويلية تموز جولائی जुलाई জুলাই กรกฎาคม ก.ค יולי ביולי",
    "أغسطس أوت آب اگست अगस्त আগস্ট สิงหาคม ส.ค אוגוסט באוגוסט",
    "سبتمبر أيلول ستمبر सितंबर सितम्बर সেপ্টেম্বর กันยายน ก.ย ספטמבר בספטמבר",
    "أكتوبر تشرين_الأول अक्टूबर अक्तूबर অক্টোবর ตุลาคม ต.ค אוקטובר באוקטובר",
    "نوفمبر تشرين_الثاني نومبر नवंबर नवम्बर নভেম্বর พฤศจิกายน พ.ย נובמבר בנובמבר",
    "ديسمبر كانون_الأول دسمبر दिसंबर दिसम्बर ডিসেম্বর ธันวาคม ธ.ค דצמבר בדצמבר",
];

/// More month names: Catalan, Slovenian, Latvian, Malay, Belarusian, Georgian, Armenian, Kazakh, Tamil,
/// Telugu, Malayalam, Kannada, Gujarati, Burmese, Khmer and Lao.
const FURTHER: [&str; 12] = [
    "janvaris janvari студзеня იანვარი იანვარს հունվար հունվարի қаңтар ஜனவரி జనవరి ജനുവരി ಜನವರಿ જાન્યુઆરી ဇန်နဝါရီ មករា ມັງກອນ",
    "februaris лютага თებერვალი თებერვალს փետրվար փետրվարի ақпан பிப்ரவரி ఫిబ్రవరి ഫെബ്രുവരി ಫೆಬ್ರವರಿ ಫೆಬ್ರುವರಿ ફેબ્રુઆરી ဖေဖော်ဝါရီ កុម្ភៈ កុម្ភះ ກຸມພາ",
    "marc marec mac сакавiка მარტი მარტს մարտ մարտի наурыз மார்ச் మార్చి മാർച്ച് ಮಾರ್ಚ್ માર્ચ မတ် មីនា ມີນາ",
    "aprili красавiка აპრილი აპრილს ապրիլ ապրիլի сәуiр ஏப்ரல் ఏప్రిల్ ഏപ്രിൽ ಏಪ್ರಿಲ್ એપ્રિલ ဧပြီ មេសា ເມສາ",
    "maijs maija траўня მაისი მაისს մայիս մայիսի мамыр மே మే മേയ് മെയ് ಮೇ મે မေ ឧសភា ພຶດສະພາ",
    "junij junijs чэрвеня ივნისი ივნისს հունիս հունիսի маусым ஜூன் జూన్ ജൂൺ ಜೂನ್ જૂન ဇွန် មិថុនា ມິຖຸນາ",
    "julij julijs julai лiпеня ივლისი ივლისს հուլիս հուլիսի шiлде ஜூலை జులై జూలై ജൂലൈ ಜುಲೈ જુલાઈ ဇူလိုင် កក្កដា ກໍລະກົດ",
    "augusts ogos жнiўня აგვისტო აგვისტოს օգոստոս օգոստոսի тамыз ஆகஸ்ட் ఆగస్టు ഓഗസ്റ്റ് ആഗസ്റ്റ് ಆಗಸ್ಟ್ ઓગસ્ટ ဩဂုတ် សីហា ສິງຫາ",
    "septembris верасня სექტემბერი სექტემბერს սեպտեմբեր սեպտեմբերի қыркүйек செப்டம்பர் సెప్టెంబర్ సెప్టెంబరు സെപ്റ്റംബർ സെപ്തംബർ ಸೆಪ್ಟೆಂಬರ್ સપ્ટેમ્બર စက်တင်ဘာ កញ្ញា ກັນຍາ",
    "oktobris кастрычнiка ოქტომბერი ოქტომბერს հոկտեմբեր հոկտեմբերի қазан அக்டோபர் అక్టోబర్ అక్టోబరు ഒക്ടോബർ ಅಕ್ಟೋಬರ್ ઓક્ટોબર အောက်တိုဘာ តុលា ຕຸລາ",
    "novembris лiстапада ნოემბერი ნოემბერს նոյեմբեր նոյեմբերի қараша நவம்பர் నవంబర్ నవంబరు നവംബർ ನವೆಂಬರ್ નવેમ્બર နိုဝင်ဘာ វិច្ឆិកា ພະຈິກ",
    "decembris disember снежня დეკემბერი დეკემბერს դեկտեմբեր դեկտեմբերի желтоқсан டிசம்பர் డిసెంబర్ డిసెంబరు ഡിസംബർ ಡಿಸೆಂಬರ್ ડિસેમ્બર ဒီဇင်ဘာ ធ្នូ ທັນວາ",
];

/// Words for "month" that are written together with the name, before it in Thai, Lao and Khmer, and after it
/// in Burmese.
const BEFORE: [&str; 3] = ["เดือน", "ເດືອນ", "ខែ"];
const BEHIND: &str = "လ";

/// Names of the months of the Solar Hijri calendar in Iran and Afghanistan.
const SOLAR_HIJRI: [&str; 12] = [
    "فروردین حمل",
    "اردیبهشت ثور",
    "خرداد جوزا",
    "تیر سرطان",
    "مرداد اسد",
    "شهریور سنبله",
    "مهر میزان",
    "آبان عقرب",
    "آذر قوس",
    "دی جدی",
    "بهمن دلو",
    "اسفند حوت",
];

const LONGEST: usize = 60;

/// A month's number, 1 to 12, in the calendar of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MonthName {
    Gregorian(i16),
    SolarHijri(i16),
}

static BY_NAME: LazyLock<HashMap<String, MonthName>> = LazyLock::new(|| {
    let gregorian = [MONTHS, OTHER_SCRIPTS, FURTHER].into_iter().flat_map(numbered);
    let gregorian = gregorian.map(|(name, month)| (name, MonthName::Gregorian(month)));
    gregorian.chain(numbered(SOLAR_HIJRI).map(|(name, month)| (name, MonthName::SolarHijri(month)))).collect()
});

fn numbered(months: [&'static str; 12]) -> impl Iterator<Item = (String, i16)> {
    let named = |(number, names): (i16, &'static str)| {
        names.split(' ').map(move |name| (folded(&name.replace('_', " ")), number))
    };
    (1..).zip(months).flat_map(named)
}

pub(crate) fn month(word: &str) -> Option<MonthName> {
    // Every name has at least three bytes. Most words of a page fail this check or the lookup.
    if !(3..=LONGEST).contains(&word.len()) {
        return None;
    }
    let found = |word: &str| BY_NAME.get(folded(word).as_str()).copied();
    let bare = || {
        let bare = BEFORE.iter().find_map(|before| word.strip_prefix(before));
        bare.or_else(|| word.strip_suffix(BEHIND)).and_then(found)
    };
    found(word).or_else(|| if word.is_ascii() { None } else { bare() })
}

/// Returns a word in lower case without accents. Ukrainian `і` and Turkish `ı` become Latin `i`. Arabic `ي`
/// and `ك` become the Persian letters. Marks of South and Southeast Asian scripts stay.
pub(crate) fn folded(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let is_of_word =
        |c: char| matches!(c, '\u{900}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}');
    let is_accent = |c: char| is_combining_mark(c) && !is_of_word(c);
    let plain = |c| match c {
        'і' | 'ı' => 'i',
        'ي' => 'ی',
        'ك' => 'ک',
        c => c,
    };
    word.to_lowercase().nfd().filter(|c| !is_accent(*c)).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_in_many_languages() {
        let cases = [
            ("November", 11),
            ("NOV", 11),
            ("Sept", 9),
            ("Νοεμβρίου", 11),
            ("ΙΑΝΟΥΑΡΙΟΣ", 1),
            ("Μαΐου", 5),
            ("października", 10),
            ("мая", 5),
            ("Май", 5),
            ("січня", 1),
            ("décembre", 12),
            ("März", 3),
            ("Mayıs", 5),
            ("července", 7),
        ];
        for (word, expected) in cases {
            assert_eq!(month(word), Some(MonthName::Gregorian(expected)), "{word}");
        }
        for word in ["", "mayor", "market", "out", "set", "年", &"a".repeat(10_000)] {
            assert_eq!(month(word), None, "{word}");
        }
    }

    #[test]
    fn no_name_stands_for_two_months() {
        let all: Vec<String> = [MONTHS, OTHER_SCRIPTS, FURTHER, SOLAR_HIJRI]
            .iter()
            .flatten()
            .flat_map(|names| names.split(' ').map(|name| folded(&name.replace('_', " "))))
            .collect();
        for (at, name) in all.iter().enumerate() {
            assert!(!all[..at].contains(name), "{name}");
        }
        let latin = MONTHS.iter().flat_map(|names| names.split(' '));
        for name in latin {
            assert_eq!(folded(name), *name);
        }
    }
}
