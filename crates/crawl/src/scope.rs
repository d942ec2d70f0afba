//! Builds the scope of a crawl from its seeds and the settings.

use crate::settings::{Config, ConfigError, SeedScope, SettingText, SiteSettings};
use gleaner_frontier::{CanonicalUrl, PatternError, Scope, Seed, SiteLimits, SiteRules};

/// Returns the scope of these seeds, with the rules of each site.
///
/// # Errors
/// The name of a site is not a registrable domain, or a pattern is invalid. The error text is one line with
/// the settings file and the line number.
pub fn scope(config: &Config, seeds: &[Seed]) -> Result<Scope, ConfigError> {
    for (name, site) in config.site.iter() {
        check_name(config, name, site)?;
        rules(config, Some(site), name, &[])?;
    }
    let mut scope = Scope::from_seeds(seeds);
    let domains: Vec<String> = scope.domains().map(str::to_owned).collect();
    for domain in domains {
        let site = config.site.of_host(&domain);
        scope.set_rules(&domain, rules(config, site, &domain, seeds)?);
    }
    Ok(scope)
}

/// Returns the sites with settings but without a seed, each with the line of its settings, such as
/// `gleaner.toml, line 12: bbc.com`.
#[must_use]
pub fn sites_without_seed(config: &Config, seeds: &[Seed]) -> Vec<String> {
    let scope = Scope::from_seeds(seeds);
    let is_unused = |name: &str| !scope.domains().any(|domain| domain == name);
    let unused = config.site.iter().filter(|(name, _)| is_unused(name));
    unused.map(|(name, site)| format!("{}, line {}: {name}", config.site.file(), site.line)).collect()
}

fn check_name(config: &Config, name: &str, site: &SiteSettings) -> Result<(), ConfigError> {
    let error = |message: &str| Err(config.site.error(site.line, &format!("site.\"{name}\": {message}")));
    let url = match CanonicalUrl::parse(&format!("http://{name}/")) {
        Ok(url) => url,
        Err(refusal) => {
            return error(&format!("it is not a site: {refusal}; write it as [site.\"bbc.com\"]"));
        }
    };
    match url.domain() == name {
        true => Ok(()),
        false => error(&format!(
            "a site is a registrable domain; write it as [site.\"{}\"], which includes all its hosts",
            url.domain()
        )),
    }
}

fn rules(
    config: &Config,
    site: Option<&SiteSettings>,
    domain: &str,
    seeds: &[Seed],
) -> Result<SiteRules, ConfigError> {
    let texts = |list: fn(&SiteSettings) -> &Vec<SettingText>| -> Vec<String> {
        site.into_iter().flat_map(|site| list(site).iter().map(|one| one.text.clone())).collect()
    };
    let mut sections = texts(|site| &site.sections);
    if sections.is_empty() && config.crawl.scope == SeedScope::Section {
        let of_site = seeds.iter().filter(|seed| seed.url.domain() == domain);
        sections = of_site.map(|seed| seed.url.url().path().to_owned()).collect();
    }
    let limits = SiteLimits {
        sections,
        include: texts(|site| &site.include),
        exclude: texts(|site| &site.exclude),
        published_after: config.published_after_of(domain).day(),
    };
    SiteRules::new(&limits).map_err(|bad| {
        let line = site.map_or(0, |site| line_of(site, &bad));
        config.site.error(line, &format!("site.\"{domain}\".{bad}"))
    })
}

/// Returns the line of a bad pattern, or the line of the site if the pattern is not found.
fn line_of(site: &SiteSettings, bad: &PatternError) -> usize {
    let lists = [("sections", &site.sections), ("include", &site.include), ("exclude", &site.exclude)];
    let list = lists.into_iter().filter(|(name, _)| *name == bad.list).flat_map(|(_, list)| list);
    list.into_iter().find(|one| one.text == bad.text).map_or(site.line, |one| one.line)
}

#[cfg(test)]
mod tests {
    use crate::settings::{ConfigFile, read};
    use gleaner_frontier::{FoundUrl, Role, parse_seeds};

    use super::*;

    fn config(text: &str) -> Config {
        read(Some(ConfigFile { file: "x.toml", text }), &[]).unwrap()
    }

    fn excluded(scope: &Scope, address: &str) -> String {
        let url = CanonicalUrl::parse(address).unwrap();
        let refusal = scope.refusal(&FoundUrl { url, role: Role::Page, dated: None, news: false });
        refusal.map(|refusal| refusal.label().into_owned()).unwrap_or_default()
    }

    #[test]
    fn each_site_has_its_rules() {
        let text = "[crawl]\npublished_after = \"2026-01-01\"\n[site.\"bbc.com\"]\nexclude = ['/live/']\n\
            published_after = \"\"\n";
        let seeds = parse_seeds("bbc.com/news\nvov.vn\n", "s.txt").unwrap();
        let scope = scope(&config(text), &seeds).unwrap();
        for (address, expected) in [
            ("https://www.bbc.com/2024/05/31/a-b-c-d-e", ""),
            ("https://www.bbc.com/live/1", "excluded: exclude /live/"),
            ("https://vov.vn/live/a-title-of-words", ""),
            ("https://vov.vn/2024/05/31/a-b-c-d-e", "excluded: published before 2026-01-01"),
            ("https://other.vn/", "out_of_scope"),
        ] {
            assert_eq!(excluded(&scope, address), expected, "{address}");
        }
    }

    #[test]
    fn a_seed_can_mean_its_section() {
        let seeds = parse_seeds("bbc.com/news/\nbbc.com/sport\nvov.vn\nvov.vn/the-gioi\n", "s.txt").unwrap();
        let text = "[crawl]\nscope = \"section\"\n";
        let of = |text: &str| scope(&config(text), &seeds).unwrap();
        let outside = "excluded: outside sections";
        for (address, in_section, in_site) in [
            ("https://www.bbc.com/news/articles/c1", "", ""),
            ("https://bbc.com/sport", "", ""),
            ("https://bbc.com/newsround", outside, ""),
            ("https://vov.vn/thoi-su", "", ""),
        ] {
            assert_eq!(excluded(&of(text), address), in_section, "{address}");
            assert_eq!(excluded(&of(""), address), in_site, "{address}");
        }
        let own = of("[crawl]\nscope = \"section\"\n[site.\"bbc.com\"]\nsections = [\"/weather\"]\n");
        assert_eq!(excluded(&own, "https://bbc.com/news/articles/c1"), outside);
        assert_eq!(excluded(&own, "https://bbc.com/weather/1"), "");
    }

    #[test]
    fn a_wrong_name_or_pattern_is_named_with_its_line() {
        for (text, expected) in [
            (
                "[site.\"www.bbc.com\"]",
                "x.toml, line 1: site.\"www.bbc.com\": a site is a registrable domain; write it as [site.\"bbc.com\"]",
            ),
            ("\n[site.\"bbc.com/news\"]", "x.toml, line 2: site.\"bbc.com/news\": a site is"),
            ("[site.\"b b\"]", "x.toml, line 1: site.\"b b\": it is not a site: "),
            (
                "[site.\"a.vn\"]\nexclude = [\n'/a',\n'(']",
                "x.toml, line 4: site.\"a.vn\".exclude: \"(\": not a valid regular",
            ),
        ] {
            let message = scope(&config(text), &[]).unwrap_err().to_string();
            assert!(message.starts_with(expected) && !message.contains('\n'), "{message}");
        }
    }

    #[test]
    fn a_site_without_seed_is_found() {
        let config = config("[site.\"a.vn\"]\n\n[site.\"b.vn\"]\n");
        let seeds = parse_seeds("www.a.vn", "s.txt").unwrap();
        assert_eq!(sites_without_seed(&config, &seeds), ["x.toml, line 3: b.vn"]);
    }
}
