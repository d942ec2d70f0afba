//! Declares the fields of a document. This is the only list of them.

/// Passes fields of a document to the macro `$then`: all of them (`all`), those in a stored record (`stored`),
/// those that are copied from a page's metadata (`page`), or those that a document of the library has
/// (`library`).
///
/// Everything that depends on the list follows from it: [`Document`](crate::Document) and its stored form, the
/// columns of exports, `--fields`, the document of the library and its type in Python, and the table in
/// docs/corpus.md. The fields are in the order of an export. A field is declared by its meaning, its name and:
///
/// 1. its type. `Share` is a probability, which a store keeps in hundredths and all others see as a number from
///    0 to 1.
/// 2. where its value comes from:
///    * `page`: from the field with the same name of the page's `Metadata`
///    * `draft`: `gleaner_extract::draft` finds it in the page and its text
///    * `crawl`: from the address and the fetch
///    * `extra`: from the field with the same name of [`Extras`](crate::Extras)
///    * `usage`: from the field with the same name of [`Usage`](crate::Usage)
///    * `text`: an export computes it from the text
///    * `corpus`: from other documents and later fetches. Only these values change while the text stays.
/// 3. `library` if the documents of the library have the field, otherwise `export`
/// 4. its position in a stored record. A new field has the next number, because older records end before it.
///    `_` if it is not stored.
#[macro_export]
macro_rules! document_fields {
    ($choice:ident $then:ident) => {
        $crate::document_fields! {
            @$choice $then []

            /// 32 hexadecimal digits, computed from `url`.
            id: DocumentId, crawl, export, 0;
            /// URL under which the text was first stored.
            url: String, crawl, export, 1;
            /// Host of `url`, with the port if it is not the default port.
            host: String, crawl, export, 2;
            /// Headline that the page states.
            title: Option<String>, page, library, 3;
            /// Primary language tag of BCP 47, such as `vi`; `und` if unknown.
            language: String, draft, library, 5;
            /// Probability of `language`, 0 to 1; null if it was not measured, as in older stores.
            language_probability: Option<Share>, draft, library, 17;
            /// Time of publication: RFC 3339 with the zone of the page, or only a day.
            published: Option<String>, page, library, 7;
            /// Time of publication in UTC, for sorting; without a zone, UTC is assumed, without a time, midnight.
            published_utc: Option<Timestamp>, page, library, 18;
            /// Time of the last change, in the form of `published`.
            modified: Option<String>, page, library, 13;
            /// Names of the authors, in the order of the page.
            authors: Vec<String>, page, library, 8;
            /// The names in `authors` that are a newspaper, agency or desk instead of persons, such as "Reuters".
            credits: Vec<String>, page, library, 27;
            /// Section of the site, such as "World".
            section: Option<String>, page, library, 14;
            /// Keywords or tags, at most 50.
            keywords: Vec<String>, page, library, 20;
            /// Short description that the page states.
            description: Option<String>, page, library, 19;
            /// Name of the site.
            site_name: Option<String>, page, library, 21;
            /// Address of the lead image.
            image: Option<String>, page, library, 22;
            /// `news`, `opinion`, `live`, `video`, `gallery` or `sponsored`.
            article_type: Option<String>, draft, library, 23;
            /// Whether only subscribers may read the article.
            paywalled: Option<bool>, page, library, 24;
            /// Whether `text` is the whole article; null if unknown.
            complete: Option<bool>, draft, library, 25;
            /// Canonical address that the page states.
            canonical: Option<String>, page, library, 15;
            /// Time of the fetch.
            fetched: Timestamp, crawl, export, 6;
            /// 1 for the first version; each fetch with a changed text adds 1.
            revision: u64, crawl, export, _;
            /// When the page was found to be gone (404, 410).
            gone: Option<String>, corpus, export, _;
            /// Number of words (syllables in Vietnamese, characters in Chinese and Japanese).
            words: u64, text, library, _;
            /// Number of sentences.
            sentences: u64, text, export, _;
            /// Number of tokens including punctuation.
            tokens: u64, text, export, _;
            /// Mean number of words in a sentence.
            sentence_length: f64, text, export, _;
            /// Share of stop words; only in Vietnamese and English.
            stop_word_share: Option<f64>, text, export, _;
            /// Share of the lines that repeat an earlier line.
            repeated_line_share: f64, text, export, _;
            /// Share of the characters that are neither letters nor digits; spaces are not counted.
            symbol_share: f64, text, export, _;
            /// How the text was found: `template` (template and block model), `detection` (template only),
            /// `block-model` (block model only), or a published method. `+embedded`: the text came from the page's
            /// scripts.
            method: String, draft, library, 10;
            /// Version of the host's template, if one was used.
            template_version: Option<u32>, draft, library, 11;
            /// Estimated probability, 0 to 1, that the word F1 of the text is at least 0.9; null for published
            /// methods.
            confidence: Option<Share>, draft, library, 16;
            /// BLAKE3 hash of the text in NFC with single spaces, 64 hexadecimal digits.
            content_hash: ContentHash, crawl, export, 9;
            /// All URLs of the text; `url` is the first.
            urls: Vec<String>, corpus, export, _;
            /// `id` of the representative of the document's cluster; its own `id` if it has no near-duplicates.
            cluster: String, corpus, export, _;
            /// Estimated similarity to the representative, 0 to 1.
            similarity: Option<f64>, corpus, export, _;
            /// Number of documents in the cluster, without the representative.
            near_duplicates: u64, corpus, export, _;
            /// `id`s of at most 4 similar earlier documents that are not duplicates.
            related: Vec<String>, corpus, export, _;
            /// Hashes of the paragraphs that `--without-repeated` left out.
            removed: Vec<String>, corpus, export, _;
            /// WARC file that contains the page.
            archive_file: Option<String>, corpus, export, _;
            /// Byte offset of the page's record in that file.
            archive_offset: Option<u64>, corpus, export, _;
            /// Whether the site and the page let the document be used to train AI models: `allow`, `disallow` or
            /// `unknown`.
            use_train_ai: Preference, usage, export, _;
            /// The same for search engines.
            use_search: Preference, usage, export, _;
            /// The same for the input of AI models, as in answers that cite pages.
            use_ai_input: Preference, usage, export, _;
            /// The same for text and data mining.
            use_tdm: Preference, usage, export, _;
            /// What the site and the page stated about the use, as written, each after its source and name.
            use_statements: Vec<String>, usage, export, _;
            /// The crawlers of `corpus.agents` that robots.txt bars from the page.
            barred_agents: Vec<String>, usage, export, _;
            /// `WARC-Date` of the robots.txt in force at the fetch, if it is the source of these values.
            robots_fetched: Option<Timestamp>, usage, export, _;
            /// `WARC-Date` of the tdmrep.json in force at the fetch, if it is the source of these values.
            tdmrep_fetched: Option<Timestamp>, usage, export, _;
            /// Lines of readers' comments, if requested.
            comments: Vec<String>, extra, library, _;
            /// Captions, if requested.
            captions: Vec<String>, extra, library, _;
            /// Absolute addresses of the links in the text, if requested.
            links: Vec<String>, extra, library, _;
            /// The linked text of each entry of `links`.
            link_texts: Vec<String>, extra, library, _;
            /// One letter for each line of the text: `p` paragraph, `h` heading, `i` list item, `q` quotation, `c`
            /// cell, `f` caption, `x` preformatted.
            kinds: String, draft, library, 12;
            /// Body text in NFC; each line is a paragraph, heading or list item.
            text: String, draft, library, 4;
        }
    };

    // The other rules read the first field. They add it to the chosen ones, in brackets, or leave it out.
    (@$choice:ident $then:ident [$($chosen:tt)*]) => { $then! { $($chosen)* } };
    (@all $then:ident [] $($field:tt)*) => { $then! { $($field)* } };
    (@stored $then:ident [$($chosen:tt)*] $(#[doc = $meaning:literal])* $name:ident: $type:ty, $from:ident, $scope:ident,
        $position:literal; $($rest:tt)*) => { $crate::document_fields! {
            @stored $then [$($chosen)* $(#[doc = $meaning])* $name: $type, $from, $scope, $position;] $($rest)*
    } };
    (@page $then:ident [$($chosen:tt)*] $(#[doc = $meaning:literal])* $name:ident: $type:ty, page, $scope:ident,
        $position:literal; $($rest:tt)*) => { $crate::document_fields! {
            @page $then [$($chosen)* $(#[doc = $meaning])* $name: $type, page, $scope, $position;] $($rest)*
    } };
    (@library $then:ident [$($chosen:tt)*] $(#[doc = $meaning:literal])* $name:ident: $type:ty, $from:ident, library,
        $position:tt; $($rest:tt)*) => { $crate::document_fields! {
            @library $then [$($chosen)* $(#[doc = $meaning])* $name: $type, $from, library, $position;] $($rest)*
    } };
    (@$choice:ident $then:ident $chosen:tt $(#[doc = $meaning:literal])* $name:ident: $type:ty, $from:ident, $scope:ident,
        $position:tt; $($rest:tt)*) => { $crate::document_fields! { @$choice $then $chosen $($rest)* } };
}
