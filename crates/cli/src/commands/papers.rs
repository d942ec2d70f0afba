//! `gleaner eval --protocol papers`: the papers' tables with our figures.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use gleaner_eval::Set;
use gleaner_eval::papers::{Paper, Table, figure_5, reproduce};

use super::eval::{bar, print};
use crate::Done;
use crate::args::Eval;
use crate::failure::Failure;
use crate::table::table;

pub(super) fn run(args: &Eval) -> Done {
    let papers = if args.paper.is_empty() { Paper::ALL.to_vec() } else { args.paper.clone() };
    let sets = Set::find(&args.sets).map_err(Failure::usage)?;
    let bar = bar(sets.iter().map(Set::with_gold).sum::<usize>() * papers.len());
    let tables = reproduce(&papers, &sets, args.threads, &|| bar.inc(1));
    bar.finish_and_clear();
    let tables = tables.map_err(Failure::usage)?;
    if let Some(folder) = &args.pictures {
        write_pictures(&tables, folder)?;
    }
    let shown = match args {
        Eval { json: true, .. } => tables.iter().map(Table::json).collect(),
        Eval { csv: true, .. } => Table::csv(&tables),
        Eval { .. } => {
            format!("Ours: {}\n{}", names(&sets), tables.iter().map(for_people).collect::<String>())
        }
    };
    print(&shown)
}

/// The sets that our figures are taken on.
fn names(sets: &[Set]) -> String {
    let named: Vec<String> = sets.iter().map(|set| format!("{} ({})", set.name, set.with_gold())).collect();
    format!("pages with gold text of {}", named.join(", "))
}

fn for_people(reproduced: &Table) -> String {
    let head: Vec<&str> = ["", "from"].into_iter().chain(reproduced.columns.iter().map(|c| c.name)).collect();
    let mut text = format!("\n{}, {}: {}\n", reproduced.paper, reproduced.name, reproduced.title);
    let _ = writeln!(text, "{}", table(&head, reproduced.cells()));
    for remark in &reproduced.remarks {
        let _ = writeln!(text, "* {remark}");
    }
    text
}

fn write_pictures(tables: &[Table], folder: &Path) -> Done {
    let Some(svg) = figure_5(tables) else {
        return Err(Failure::Usage("--pictures: only text-to-tag-ratio has a figure that is drawn".into()));
    };
    fs::create_dir_all(folder).map_err(Failure::writing(folder.display()))?;
    let path = folder.join("text-to-tag-ratio-figure-5.svg");
    fs::write(&path, svg).map_err(Failure::writing(path.display()))?;
    eprintln!("written: {}", path.display());
    Ok(())
}
