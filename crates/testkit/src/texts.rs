//! Contains the articles, which are compiled into the crate. The code lists them one by one, because there is
//! no build script. A test compares the list with the folders.

macro_rules! texts {
    ($folder:literal: $($name:literal)*) => {
        &[$((
            $name,
            include_str!(concat!("../articles/", $folder, "/", $name, ".txt")),
        )),*]
    };
}

pub(crate) const VIETNAMESE: &[(&str, &str)] = texts!["vi":
    "01-cau-tre-thay-bang-cau-go"
    "02-giong-lua-chiu-man-vao-vu"
    "03-doi-bong-ao-nau-thang-nguoc"
    "04-lop-hoc-chu-nom-buoi-toi"
    "05-tram-y-te-co-may-sieu-am"
    "06-dan-vit-troi-theo-lu"
    "07-dua-thuyen-thung-tren-ho"
    "08-ba-cu-ke-chuyen-co-tren-loa"
    "09-duong-lang-trong-cay-thuoc-nam"
    "10-gia-cua-dong-tang-ky-luc"
    "11-nu-do-vat-dau-tien-gianh-giai"
    "12-phuong-roi-nuoc-song-lai"
    "13-gieng-co-trong-tro-lai"
    "14-chin-goc-che-gia-tren-nui-mong"
    "15-cau-be-ban-ve-so-hoa-ky-vuong"
    "16-thu-vien-tren-ghe"
    "17-cho-phien-cam-tui-ni-long"
    "18-nuoi-ong-trong-rung-tram"
    "19-bong-chuyen-nu-cong-nhan"
    "20-hoa-si-ve-tuong-xom-nho"
    "21-do-ngang-nghi-sau-nua-the-ky"
    "22-tha-ca-ro-vao-ruong-lua"
    "23-chay-viet-da-quanh-nui"
    "24-tho-lam-den-trung-thu-som"
    "25-dem-canh-rung-phi-lao"
    "26-khoai-lang-ruot-tim-xuat-vuon"
    "27-giai-o-an-quan-lien-truong"
    "28-ca-tru-hat-lai-o-dinh"
    "29-lang-lap-doi-cuu-ho-song"
    "30-lo-mat-mia-do-lua-tro-lai"
    "31-cau-long-dem-o-san-hop-tac"
    "32-truong-lang-co-vuon-chu"
    "33-mo-tre-bao-lu"
    "34-muoi-bien-phoi-tren-san-gach"
    "35-keo-co-hai-bo-song"
    "36-vo-cheo-cua-tho-cat-toc"
];

pub(crate) const ENGLISH: &[(&str, &str)] = texts!["en":
    "01-weir-boards-lifted"
    "02-apple-press-sold-to-cooperative"
    "03-harrow-hold-league-leaders"
    "04-school-opens-darkroom"
    "05-bus-route-nine-saved"
    "06-sheep-fitted-with-bells"
    "07-swimming-club-breaks-ice"
    "08-library-lends-tools"
    "09-pump-lane-lamp-posts"
    "10-potato-blight-warning"
    "11-quoits-champion-retires"
    "12-puppet-theatre-in-barn"
    "13-well-cover-mystery"
    "14-mushroom-farm-in-tunnel"
    "15-rovers-ground-share-plan"
    "16-night-school-bookbinding"
    "17-barn-owls-in-church-tower"
    "18-lantern-market-trial"
    "19-girls-cricket-indoor-final"
    "20-grandmothers-dictionary"
    "21-duck-race-record-sum"
    "22-beekeepers-count-hives"
    "23-marsh-marathon-tide-delay"
    "24-organ-pipes-return"
    "25-clinic-opens-saturdays"
    "26-hedge-laying-contest"
    "27-bowls-green-mole"
    "28-travelling-cinema-van"
    "29-frost-fair-on-common"
    "30-square-regains-cattle-scales"
    "31-chess-by-post-ends"
    "32-recipe-archive-corn-hall"
    "33-ferry-bell-restored"
    "34-winter-wheat-sown-late"
    "35-darts-team-travel-by-tandem"
    "36-lullaby-collector-visits"
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::article::Article;
    use crate::paper::PAPERS;
    use std::collections::HashSet;
    use unicode_normalization::is_nfc;

    #[test]
    fn the_lists_are_the_folders() {
        for (folder, list) in [("vi", VIETNAMESE), ("en", ENGLISH)] {
            let path = format!("{}/articles/{folder}", env!("CARGO_MANIFEST_DIR"));
            let entries = std::fs::read_dir(path).unwrap().map(|e| e.unwrap().file_name());
            let mut names: Vec<_> = entries.map(|n| n.into_string().unwrap()).collect();
            names.sort();
            let listed: Vec<_> = list.iter().map(|(name, _)| format!("{name}.txt")).collect();
            assert_eq!(listed, names);
        }
    }

    #[test]
    fn every_article_is_well_formed_and_of_the_agreed_length() {
        for paper in &PAPERS {
            let mut before = None;
            for (name, text) in paper.texts {
                let article = Article::parse(name, text).unwrap_or_else(|e| panic!("{name}: {e}"));
                let paragraphs = article.paragraphs();
                let words = paragraphs.iter().flat_map(|p| p.split_whitespace()).count();
                assert!((150..=260).contains(&words), "{name}: {words} words");
                assert!((5..=8).contains(&paragraphs.len()), "{name}: {}", paragraphs.len());
                assert!(paper.sections.iter().any(|s| s.slug == article.section), "{name}");
                assert!(is_nfc(text), "{name}");
                let date = article.published.moment;
                assert!(before.is_none_or(|b| date < b), "{name} is newer than the one before");
                before = Some(date);
            }
        }
    }

    #[test]
    fn no_sentence_is_written_twice() {
        let mut seen = HashSet::new();
        for (name, text) in VIETNAMESE.iter().chain(ENGLISH) {
            let article = Article::parse(name, text).unwrap();
            for paragraph in article.paragraphs() {
                for sentence in paragraph.split(['.', '?', '!']) {
                    let sentence = sentence.trim().to_lowercase();
                    if sentence.split(' ').count() > 3 {
                        assert!(seen.insert(sentence.clone()), "{name}: {sentence}");
                    }
                }
            }
        }
        assert!(seen.len() > 600);
    }

    #[test]
    fn links_between_articles_lead_to_another_article() {
        for list in [VIETNAMESE, ENGLISH] {
            let mut links = 0;
            for (name, text) in list {
                for target in text.split("](").skip(1).filter_map(|t| t.split(')').next()) {
                    let Ok(number) = target.parse::<usize>() else {
                        assert!(target.starts_with("http://") && target.contains(".example/"), "{name}");
                        continue;
                    };
                    assert!((1..=list.len()).contains(&number), "{name}: {number}");
                    assert!(!name.starts_with(&format!("{number:02}-")), "{name}");
                    links += 1;
                }
            }
            assert!(links > 5);
        }
    }
}
