//! Runs `gleaner init`: writes the files of a new project.

use std::fs;
use std::io;
use std::path::Path;

use gleaner_frontier::parse_seed;

use crate::CommandResult;
use crate::args::Init;
use crate::distributed::shell_argument;
use crate::failure::Failure;
use crate::output;

const SETTINGS: &str = include_str!("gleaner.toml");
const SEEDS: &str = include_str!("seeds.txt");
const PINS: &str = include_str!("example.org.toml");
const IGNORED: &str = "# The corpus: it is large, and a crawl or `gleaner rebuild` makes it.\n/data/\n";

pub(crate) fn run(args: &Init) -> CommandResult {
    let dir = &args.dir;
    let mut seeds = SEEDS.to_owned();
    for url in &args.urls {
        let seed = parse_seed(url).map_err(Failure::usage)?;
        seeds += &format!("{}\n", seed.url);
    }
    let cannot = |error: io::Error| Failure::Usage(format!("cannot write {}: {error}", dir.display()));
    if dir.exists() && fs::read_dir(dir).map_err(cannot)?.next().is_some() {
        let dir = dir.display();
        return Err(Failure::Usage(format!("{dir} is not empty; name a new folder")));
    }
    fs::create_dir_all(dir.join("pins")).map_err(cannot)?;
    let files = [
        ("gleaner.toml", SETTINGS),
        ("seeds.txt", &seeds),
        ("pins/example.org.toml", PINS),
        (".gitignore", IGNORED),
    ];
    for (name, text) in files {
        fs::write(dir.join(name), text).map_err(cannot)?;
    }
    let text = next_steps(dir, &files.map(|(name, _)| name), !args.urls.is_empty());
    output::print(&text)
}

fn next_steps(dir: &Path, files: &[&str], has_seeds: bool) -> String {
    let folder = shell_argument(&dir.to_string_lossy());
    let list = if has_seeds { "" } else { "    list your sites in seeds.txt\n" };
    format!(
        "Wrote {} into {}.\n\nNext:\n{list}    set fetch.contact in gleaner.toml\n\
         \x20   cd {folder}\n    gleaner seeds check\n    gleaner crawl --max-pages 100\n",
        files.join(", "),
        dir.display()
    )
}

#[cfg(test)]
mod tests {
    use gleaner_crawl::settings::{Config, ConfigFile, read, read_pins};

    use super::*;

    fn uncommented(text: &str) -> String {
        let is_setting = |line: &&str| line.contains(" = ") || line.starts_with('[');
        text.lines()
            .map(|line| line.trim_start_matches("# "))
            .filter(is_setting)
            .fold(String::new(), |all, line| all + line + "\n")
    }

    #[test]
    fn the_files_are_read_with_and_without_comment_signs() {
        for text in [SETTINGS.to_owned(), uncommented(SETTINGS)] {
            let config = read(Some(ConfigFile { file: "news/gleaner.toml", text: &text }), &[]).unwrap();
            assert_eq!(
                (config.store.path.as_str(), config.template.pins.as_str()),
                ("news/data", "news/pins")
            );
            assert_eq!(config.crawl.seeds, ["news/seeds.txt"]);
        }
        let config = read(Some(ConfigFile { file: "x", text: &uncommented(SETTINGS) }), &[]).unwrap();
        gleaner_crawl::scope(&config, &[]).unwrap();
        assert!(config.site.iter().next().is_some() && config.fetch != Config::default().fetch);
        let pins = read_pins(&ConfigFile { file: "x", text: &uncommented(PINS) }).unwrap();
        assert!(!pins.keep.is_empty() && !pins.drop.is_empty());
    }

    #[test]
    fn the_next_steps_can_be_typed() {
        let text = next_steps(Path::new("my news"), &["gleaner.toml"], false);
        let commands = "    cd 'my news'\n    gleaner seeds check\n    gleaner crawl --max-pages 100\n";
        assert!(text.ends_with(commands), "{text}");
        assert!(text.contains("list your sites"), "{text}");
    }
}
