//! Defines the settings of single sites: the tables `[site."bbc.com"]`.
//!
//! This module checks only the form of the values. The crawl checks that names are registrable domains and
//! that patterns are regular expressions. Its messages use the line numbers from this module.

use gleaner_corpus::PerSite;
use serde::de::{self, Deserializer};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use toml::Spanned;

use crate::settings::reader::{ConfigError, DAY, invalid_setting, is_language, line_of};
use crate::settings::{Config, DurationSetting, PinsFile, SettingText, StartDay};

/// The sites that have their own settings.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SitesSettings {
    /// The name of the settings file. It is empty if no site has settings.
    file: String,
    sites: PerSite<SiteSettings>,
}

/// The settings of a site. A general setting applies if its replacement here is `None`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SiteSettings {
    /// Replaces [`crate::settings::FetchSettings::delay`]. A longer `Crawl-delay` in robots.txt overrides it.
    pub delay: Option<DurationSetting>,
    /// Paths such as `/news`. Only pages at or below these paths are fetched, or all if empty.
    pub sections: Vec<SettingText>,
    /// Regular expressions. Only pages whose URL matches one of them are fetched, or all if empty.
    pub include: Vec<SettingText>,
    /// Regular expressions. URLs that match one of them are not fetched, except seeds.
    pub exclude: Vec<SettingText>,
    /// Replaces [`crate::settings::CorpusSettings::languages`].
    pub languages: Option<Vec<String>>,
    /// Maximum number of pages fetched from all hosts of the site in one run. 0 or `None` means no limit.
    pub max_pages: Option<u64>,
    /// Replaces [`crate::settings::CrawlSettings::published_after`].
    pub published_after: Option<StartDay>,
    /// The pins of all hosts of the site that have no pins file.
    pub pins: Option<PinsFile>,
    /// The number of the table's line in the settings file, from 1.
    #[serde(skip)]
    pub line: usize,
}

impl SitesSettings {
    /// Returns the settings of a host's site, or `None` if the site has no settings.
    #[must_use]
    pub fn of_host(&self, host: &str) -> Option<&SiteSettings> {
        self.sites.of_host(host)
    }

    /// Returns the sites in sorted order, with their names as the user wrote them.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &SiteSettings)> {
        self.sites.iter()
    }

    /// Returns the name of the settings file, or an empty text if no site has settings.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Creates an error for a line of the settings file.
    #[must_use]
    pub fn error(&self, line: usize, message: &str) -> ConfigError {
        invalid_setting(&format!("{}, line {line}", self.file), message)
    }

    /// Replaces byte positions in `text` with line numbers.
    pub(crate) fn locate(self, file: &str, text: &str) -> Self {
        let located = |(name, site): (&str, &SiteSettings)| {
            let mut site = site.clone();
            site.line = line_of(text, site.line);
            let pins = site.pins.iter_mut().flat_map(|pins| pins.keep.iter_mut().chain(&mut pins.drop));
            let lists =
                site.sections.iter_mut().chain(&mut site.include).chain(&mut site.exclude).chain(pins);
            lists.for_each(|one| one.line = line_of(text, one.line));
            (name.to_owned(), site)
        };
        match self.iter().next() {
            None => Self::default(),
            Some(_) => Self { file: file.to_owned(), sites: self.sites.iter().map(located).collect() },
        }
    }

    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        for (name, site) in self.iter() {
            let refuse = |line, message: &str| Err(self.error(line, &format!("site.\"{name}\": {message}")));
            if site.delay.is_some_and(|delay| delay.get() > DAY) {
                return refuse(site.line, "delay must be at most 1d");
            }
            if let Some(tag) = site.languages.iter().flatten().find(|tag| !is_language(tag)) {
                let message =
                    format!("\"{tag}\" is not a primary language tag; write it as \"vi\" or \"en\"");
                return refuse(site.line, &message);
            }
            if let Some(path) = site.sections.iter().find(|path| !path.text.starts_with('/')) {
                let message =
                    format!("\"{}\" is not a path; a section begins with /, such as \"/news\"", path.text);
                return refuse(path.line, &message);
            }
        }
        Ok(())
    }
}

impl Config {
    /// Returns the delay between requests that the settings define for a host's site. Ignores any
    /// `Crawl-delay`.
    #[must_use]
    pub fn delay_of(&self, host: &str) -> DurationSetting {
        self.site.of_host(host).and_then(|site| site.delay).unwrap_or(self.fetch.delay)
    }

    /// Returns the first wanted day of publication for a host's site.
    #[must_use]
    pub fn published_after_of(&self, host: &str) -> StartDay {
        let of_site = self.site.of_host(host).and_then(|site| site.published_after);
        of_site.unwrap_or(self.crawl.published_after)
    }
}

/// Reads the tables of sites. At first, their lines are byte positions. `SitesSettings::locate` replaces the
/// positions with line numbers.
impl<'de> Deserialize<'de> for SitesSettings {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct TablesVisitor;
        impl<'de> de::Visitor<'de> for TablesVisitor {
            type Value = Vec<(String, SiteSettings)>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a table for each site, such as [site.\"bbc.com\"]")
            }

            fn visit_map<M: de::MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut sites = Vec::new();
                while let Some((name, site)) = map.next_entry::<Spanned<String>, SiteSettings>()? {
                    let line = name.span().start;
                    sites.push((name.into_inner(), SiteSettings { line, ..site }));
                }
                Ok(sites)
            }
        }
        let sites = d.deserialize_map(TablesVisitor)?.into_iter().collect();
        Ok(Self { file: String::new(), sites })
    }
}

impl Serialize for SitesSettings {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(None)?;
        for (name, site) in self.iter() {
            map.serialize_entry(name, site)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use crate::settings::{Config, ConfigError, ConfigFile, DurationSetting, read};

    fn config(text: &str) -> Result<Config, ConfigError> {
        read(Some(ConfigFile { file: "x.toml", text }), &[])
    }

    const BBC: &str = "[crawl]\npublished_after = \"2026-01-01\"\n\n[site.\"bbc.com\"]\ndelay = \"9s\"\n\
        sections = [\"/news\"]\ninclude = [\n  '/articles/',\n  '-\\d{8}$',\n]\nlanguages = [\"en\"]\n\
        max_pages = 50\npublished_after = \"\"\n[site.\"bbc.com\".pins]\ndrop = [\".promo\"]\n";

    #[test]
    fn the_settings_of_a_site_are_those_of_its_hosts() {
        let config = config(BBC).unwrap();
        assert_eq!(config.delay_of("www.bbc.com"), DurationSetting::seconds(9));
        assert_eq!(config.delay_of("bbc.co.uk"), DurationSetting::seconds(5));
        assert_eq!(config.published_after_of("bbc.com").day(), None);
        assert_eq!(config.published_after_of("a.example").to_string(), "2026-01-01");
        let (name, site) = config.site.iter().next().unwrap();
        assert_eq!((name, site.line, config.site.file()), ("bbc.com", 4, "x.toml"));
        let lines =
            |list: &[crate::settings::SettingText]| list.iter().map(|one| one.line).collect::<Vec<_>>();
        assert_eq!((lines(&site.sections), lines(&site.include)), (vec![6], vec![8, 9]));
        let pins = site.pins.as_ref().unwrap();
        assert_eq!((pins.drop[0].text.as_str(), pins.drop[0].line), (".promo", 15));
        assert_eq!((site.max_pages, site.languages.as_deref()), (Some(50), Some(&["en".to_owned()][..])));
    }

    #[test]
    fn pairs_leave_the_sites_alone_and_cannot_set_them() {
        let pair = |pair: &str| read(Some(ConfigFile { file: "x.toml", text: BBC }), &[pair.into()]);
        assert_eq!(pair("fetch.delay=1s").unwrap().delay_of("bbc.com"), DurationSetting::seconds(9));
        let refused = pair("site.bbc.com.delay=1s").unwrap_err().to_string();
        assert!(refused.contains("[site.\"bbc.com\"]") && refused.contains("--config"), "{refused}");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, expected) in [
            (
                "[site.\"a.vn\"]\nspeed = 1\n",
                "x.toml, line 2: unknown field `speed`, expected one of `delay`,",
            ),
            ("[site.\"a.vn\"]\ndelay = \"5\"\n", "x.toml, line 2: \"5\" is not a duration"),
            ("[fetch]\n[site.\"a.vn\"]\ndelay = \"2d\"\n", "x.toml, line 2: site.\"a.vn\": delay must be"),
            ("[site.\"a.vn\"]\nlanguages = [\"vi-VN\"]\n", "x.toml, line 1: site.\"a.vn\": \"vi-VN\" is no"),
            (
                "[site.\"a.vn\"]\nsections = [\"/a\",\n\"b\"]\n",
                "x.toml, line 3: site.\"a.vn\": \"b\" is not a path",
            ),
            ("[site.\"a.vn\"]\npublished_after = \"May\"\n", "x.toml, line 2: \"May\" is not a date"),
            ("[site.\"a.vn\".pins]\nkeeps = []\n", "x.toml, line 2: unknown field `keeps`"),
            ("site = 5\n", "x.toml, line 1, site: invalid type: integer `5`, expected a table for each site"),
        ] {
            let message = config(text).unwrap_err().to_string();
            assert!(message.starts_with(expected) && !message.contains('\n'), "{message}");
        }
    }

    #[test]
    fn the_example_in_the_documentation_has_every_key() {
        let default = include_str!("../../../../config/default.toml");
        let example = default.split_once("# [site.").unwrap().1;
        let lines = example.lines().map(|line| line.trim_start_matches("# "));
        let is_setting = |line: &&str| line.contains(" = ") || line.starts_with('[');
        let text = lines.skip(1).filter(is_setting).map(|line| format!("{line}\n")).collect::<String>();
        let site = config(&format!("[site.\"bbc.com\"]\n{text}")).unwrap();
        let written = toml::Table::try_from(site.site.of_host("bbc.com").unwrap()).unwrap();
        for key in
            ["delay", "sections", "include", "exclude", "languages", "max_pages", "published_after", "pins"]
        {
            assert!(written.contains_key(key), "config/default.toml lacks site.{key}");
        }
    }
}
