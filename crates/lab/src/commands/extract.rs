//! Runs `gleaner-lab extract`: prints the text of a page by a paper's method that reads one page.

use gleaner_html::text::plain;
use gleaner_lab::RecordedPage;
use gleaner_lab::methods::{self, Input};

use crate::CommandResult;
use crate::args::Extract;
use crate::failure::Failure;
use crate::output::print;

pub(crate) fn run(args: &Extract) -> CommandResult {
    let recorded = RecordedPage::read(&args.page).map_err(Failure::usage)?;
    let input = Input { source: &recorded.source, page: &recorded.page };
    let lines = methods::extract(args.method, input).expect("only methods that read one page are possible");
    if lines.is_empty() {
        return Err(Failure::Work(format!("{} found no text on this page", args.method)));
    }
    print(&(plain(&lines) + "\n"))
}
