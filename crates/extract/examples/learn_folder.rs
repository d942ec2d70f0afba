//! Learns a template from the pages of a site in a folder, and extracts the same pages with it.
//!
//! ```sh
//! cargo run -p gleaner-extract --example learn_folder -- pages/
//! ```

#![expect(clippy::print_stdout, reason = "examples print")]

use std::error::Error;
use std::path::PathBuf;

use gleaner_extract::{Page, Template, learn};

fn read(path: &PathBuf) -> Result<Page, Box<dyn Error>> {
    Ok(Page::from_bytes(&std::fs::read(path)?, None)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("name a folder with articles of one site")?;
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    files.sort();
    let pages = files.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let template = learn(pages)?;
    println!("{}: learned from {} pages", template.host(), template.pages());
    let template = Template::from_json(&template.to_json())?;
    for file in &files {
        let page = read(file)?;
        let words = template.extract(&page).map_or(0, |document| document.words);
        let is_unlike = template.compare(&page).unlike;
        println!(
            "{words:6} words  {}{}",
            file.display(),
            if is_unlike { "  (unlike the others)" } else { "" }
        );
    }
    Ok(())
}
