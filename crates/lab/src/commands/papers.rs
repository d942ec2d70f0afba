//! Runs `gleaner-lab eval --protocol papers`: prints the tables of the papers beside gleaner's values.
//!
//! Invalid options are refused first, because the computation takes minutes. The tables are printed before
//! the pictures are written. With `--json` and `--csv`, remarks go to standard error.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use gleaner_lab::Dataset;
use gleaner_lab::papers::{Paper, Table, figure_5, reproduce};

use super::eval::bar;
use crate::CommandResult;
use crate::args::Eval;
use crate::failure::Failure;
use crate::output::{print, print_message, table};

pub(super) fn run(args: &Eval) -> CommandResult {
    let papers = papers(args);
    if let Some(folder) = &args.pictures {
        prepare_pictures(&papers, folder)?;
    }
    let sets = Dataset::find(&args.sets).map_err(Failure::usage)?;
    let bar = bar(sets.iter().map(Dataset::with_gold).sum::<usize>() * papers.len());
    let tables = reproduce(&papers, &sets, args.threads, &|| bar.inc(1));
    bar.finish_and_clear();
    let tables = tables.map_err(Failure::usage)?;
    let ours = format!("Ours: {}", names(&sets));
    match args {
        Eval { json: true, .. } => {
            print(&tables.iter().map(Table::json).collect::<String>())?;
            print_message(ours);
        }
        Eval { csv: true, .. } => {
            print(&Table::csv(&tables))?;
            print_message(ours + "\n" + tables.iter().map(remarks).collect::<String>().trim_end());
        }
        Eval { .. } => print(&(ours + "\n" + &tables.iter().map(for_people).collect::<String>()))?,
    }
    args.pictures.as_deref().map_or(Ok(()), |folder| write_pictures(&tables, folder))
}

fn papers(args: &Eval) -> Vec<Paper> {
    let is_wanted = |paper: &Paper| args.paper.is_empty() || args.paper.contains(paper);
    Paper::ALL.into_iter().filter(is_wanted).collect()
}

fn names(sets: &[Dataset]) -> String {
    let named: Vec<String> = sets.iter().map(|set| format!("{} ({})", set.name, set.with_gold())).collect();
    format!("pages with gold text of {}", named.join(", "))
}

fn for_people(reproduced: &Table) -> String {
    let head: Vec<&str> = ["", "from"].into_iter().chain(reproduced.columns.iter().map(|c| c.name)).collect();
    let mut text = format!("\n{}: {}\n", named(reproduced), reproduced.title);
    let _ = writeln!(text, "{}", table(&head, reproduced.cells()));
    text + &listed(reproduced)
}

fn remarks(reproduced: &Table) -> String {
    format!("\n{}\n{}", named(reproduced), listed(reproduced))
}

fn named(reproduced: &Table) -> String {
    format!("{}, {}", reproduced.paper.name(), reproduced.name)
}

fn listed(reproduced: &Table) -> String {
    reproduced.remarks.iter().map(|remark| format!("* {remark}\n")).collect()
}

fn prepare_pictures(papers: &[Paper], folder: &Path) -> CommandResult {
    if !papers.contains(&Paper::TextToTagRatio) {
        let name = Paper::TextToTagRatio.name();
        return Err(Failure::Usage(format!("--pictures: only {name} has a figure that can be drawn")));
    }
    fs::create_dir_all(folder).map_err(Failure::writing(folder.display()))
}

fn write_pictures(tables: &[Table], folder: &Path) -> CommandResult {
    let svg = figure_5(tables).expect("the paper with the figure is among the tables");
    let path = folder.join("text-to-tag-ratio-figure-5.svg");
    fs::write(&path, svg).map_err(Failure::writing(path.display()))?;
    print_message(format_args!("written: {}", path.display()));
    Ok(())
}
