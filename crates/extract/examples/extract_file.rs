//! Extracts the text of a file.
//!
//! ```sh
//! cargo run -p gleaner-extract --example extract_file -- page.html https://paper.example/2026/11/20/rain
//! ```

#![expect(clippy::print_stdout, reason = "examples print")]

use std::error::Error;

use gleaner_extract::{Page, extract};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("name a file, and its URL if you know it")?;
    let page = Page::from_bytes(&std::fs::read(file)?, arguments.next().as_deref())?;
    let document = extract(&page).ok_or("there is no text on this page")?;
    println!("title       {}", document.title.as_deref().unwrap_or("-"));
    println!("published   {}", document.published.as_deref().unwrap_or("-"));
    println!("authors     {}", document.authors.join(", "));
    println!("language    {}", document.language);
    println!("confidence  {:?}\n", document.confidence);
    for (kind, text) in document.paragraphs() {
        println!("{kind} {text}");
    }
    Ok(())
}
