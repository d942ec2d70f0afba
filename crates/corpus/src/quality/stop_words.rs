//! Contains the lists of stop words, which are frequent words with little meaning.
//!
//! The English list contains the closed classes (articles, pronouns, auxiliaries, prepositions, conjunctions)
//! and frequent adverbs. The Vietnamese list contains classifiers, particles, pronouns, prepositions and
//! conjunctions. Its entries are syllables, because this crate counts syllables as words. Both lists were
//! written for this project.
//!
//! Limitation: a Vietnamese function word of two syllables ("trong khi", "bởi vì") counts as two stop words.
//! A syllable in the list may also be part of a content word ("là" in "bàn là", a flat iron).

use std::collections::HashSet;
use std::sync::LazyLock;

/// BCP 47 primary tags of the languages with a list.
pub const STOP_WORD_LANGUAGES: [&str; 2] = ["en", "vi"];

const ENGLISH: &str = "a about above after again against all also although am among an and any are as at be \
    because been before being below between both but by can cannot could did do does doing down during each \
    either else ever every few for from further had has have having he her here hers herself him himself his \
    how however i if in into is it its itself just less like many may me might mine more most much must my \
    myself neither no nor not now of off often on once one only onto or other others our ours ourselves out \
    over own per quite rather s same shall she should since so some still such t than that the their theirs \
    them themselves then there these they this those though through thus to too toward towards under until up \
    upon us very was we were what when where whether which while who whom whose why will with within without \
    would yet you your yours yourself yourselves";

const VIETNAMESE: &str = "ai anh bà bao bằng bị bởi các cái càng cả chỉ chị chiếc cho chứ chưa chúng có con còn \
    cô cùng cũng của cứ do dù dưới đã đang đâu đây đấy để đều đến đi đó được em gì giữa hãy hay hầu hết hoặc \
    hơn khi không là lại lên lúc mà mấy mọi mỗi một mới nào này nay nên nếu ngay nhằm nhiều như nhưng những \
    nơi nữa nó ở ông qua quá ra rằng rất rồi sao sau sẽ sự ta tại theo thế thì thôi tôi tới trên trong trước \
    từ từng tuy và vào vẫn vậy về vì việc với vừa xuống";

pub(crate) fn for_language(language: &str) -> Option<&'static HashSet<&'static str>> {
    static LISTS: LazyLock<[HashSet<&str>; 2]> =
        LazyLock::new(|| [ENGLISH, VIETNAMESE].map(|list| list.split_whitespace().collect()));
    let at = STOP_WORD_LANGUAGES.iter().position(|known| *known == language)?;
    Some(&LISTS[at])
}

#[cfg(test)]
mod tests {
    use unicode_normalization::is_nfc;

    use super::*;

    #[test]
    fn lists_are_in_the_form_of_the_texts() {
        for language in STOP_WORD_LANGUAGES {
            let list = for_language(language).unwrap();
            assert!(list.len() > 100, "{language}");
            for word in list {
                assert!(is_nfc(word) && word.to_lowercase() == **word, "{word}");
                assert_eq!(crate::words(word), 1, "{word} is never met as one word");
            }
        }
        assert!(for_language("und").is_none());
    }
}
