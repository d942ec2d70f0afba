//! Runs `gleaner-lab eval`: evaluates extraction methods on recorded sets.

use gleaner_corpus::Method;
use gleaner_lab::dataset::LISTED;
use gleaner_lab::report::{ResultRow, Value, worst};
use gleaner_lab::{Dataset, EvalReport, EvalRun, EvalTask, Measure, Protocol, run as evaluate};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::CommandResult;
use crate::args::{Eval, EvalMeasure, EvalProtocol};
use crate::commands::papers;
use crate::failure::Failure;
use crate::output::{NOTHING, is_terminal, print, print_message, table};

pub(crate) fn run(args: &Eval) -> CommandResult {
    let Some(protocol) = protocol(args)? else { return papers::run(args) };
    let task = task(args, protocol);
    let sets = Dataset::find(&args.sets).map_err(Failure::usage)?;
    let bar = bar(sets.iter().map(Dataset::with_gold).sum());
    let scores = evaluate(&sets, &task, &|| bar.inc(1));
    bar.finish_and_clear();
    let scores = scores.map_err(Failure::usage)?;
    let report = EvalReport::from_run(&scores);
    if report.rows.is_empty() {
        return Err(Failure::Usage(scores.remarks.join("; ")));
    }
    let worst = worst_tables(&scores, args.worst.unwrap_or(0));
    // Programs read JSON and CSV from standard output, so remarks for people go to standard error.
    let (rows, aside) = match args {
        Eval { json: true, .. } => (report.json(), worst),
        Eval { csv: true, .. } => (report.csv(), worst),
        Eval { .. } => (rows(&report) + &worst, String::new()),
    };
    print(&rows)?;
    scores.remarks.iter().for_each(print_message);
    if !aside.is_empty() {
        print_message(aside.trim_end());
    }
    unread(&scores.unread)
}

/// Fails if some pages could not be read. The printed rows are valid for the other pages.
fn unread(pages: &[String]) -> CommandResult {
    const REMEDY: &str = "fix it or remove it from the manifest";
    match pages {
        [] => Ok(()),
        [page] => {
            Err(Failure::Work(format!("one page could not be read and is not counted; {REMEDY}: {page}")))
        }
        [..] => {
            let lines: String = pages.iter().take(LISTED).map(|page| format!("\n  {page}")).collect();
            let rest = pages.len().saturating_sub(LISTED);
            let rest = if rest == 0 { String::new() } else { format!("\n  and {rest} more") };
            let count = pages.len();
            Err(Failure::Work(format!(
                "{count} pages could not be read and are not counted; for each, {REMEDY}:{lines}{rest}"
            )))
        }
    }
}

fn protocol(args: &Eval) -> Result<Option<Protocol>, Failure> {
    let of_runs =
        !args.method.is_empty() || !args.measure.is_empty() || args.worst.is_some() || args.cross_validate;
    let of_papers = !args.paper.is_empty() || args.pictures.is_some();
    match args.protocol {
        EvalProtocol::Papers if of_runs => Err(Failure::Usage(
            "--method, --measure, --worst and --cross-validate cannot be used with --protocol papers, which sets its own"
                .into(),
        )),
        EvalProtocol::Papers => Ok(None),
        _ if of_papers => Err(Failure::Usage("--paper and --pictures require --protocol papers".into())),
        EvalProtocol::Template => Ok(Some(Protocol::Template)),
        EvalProtocol::Cold => Ok(Some(Protocol::Cold)),
    }
}

fn task(args: &Eval, protocol: Protocol) -> EvalTask {
    let mut methods: Vec<Method> = args.method.clone();
    if methods.is_empty() {
        methods.extend(Method::choices().filter(|method| protocol.allows(*method)));
    }
    methods.sort();
    methods.dedup();
    EvalTask {
        protocol,
        methods,
        measures: measures(&args.measure),
        cross_validate: args.cross_validate,
        threads: args.threads,
    }
}

fn measures(asked: &[EvalMeasure]) -> Vec<Measure> {
    let named = |measure: &Measure| match measure {
        Measure::Blocks => EvalMeasure::Blocks,
        Measure::Subsequence => EvalMeasure::Subsequence,
        Measure::EditDistance => EvalMeasure::EditDistance,
        Measure::Space => EvalMeasure::Space,
    };
    let wanted = |measure: &Measure| asked.contains(&named(measure)) || asked.contains(&EvalMeasure::All);
    Measure::ALL.into_iter().filter(wanted).collect()
}

pub(super) fn bar(pages: usize) -> ProgressBar {
    let bar = ProgressBar::new(pages as u64);
    if !is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} pages {elapsed}");
    bar.with_style(style.expect("the template is written here"))
}

fn rows(report: &EvalReport) -> String {
    let head = ["Set", "Method", "Pages", "P", "R", "F1", "Site mean F1", "Below 0.5", "ms per page"];
    let words = table(&head, report.rows.iter().map(cells)) + "\n";
    let others: Vec<&str> =
        report.rows.first().into_iter().flat_map(ResultRow::other_measures).map(|(name, _)| name).collect();
    if others.is_empty() {
        return words;
    }
    let head: Vec<String> = others.iter().map(|name| name.replace('_', " ")).collect();
    let head: Vec<&str> = ["Set", "Method"].into_iter().chain(head.iter().map(String::as_str)).collect();
    words + "\nOther measures\n" + &table(&head, report.rows.iter().map(other_cells)) + "\n"
}

fn cells(row: &ResultRow) -> Vec<String> {
    let mut cells = name_cells(row);
    cells.push(row.pages.to_string());
    cells.extend([row.precision, row.recall, row.f1, row.site_mean_f1].map(share));
    cells.extend([row.below_half.to_string(), format!("{:.2}", row.milliseconds)]);
    cells
}

fn other_cells(row: &ResultRow) -> Vec<String> {
    let figures = row.other_measures().into_iter().map(|(_, value)| match value {
        Value::Text(text) => text,
        Value::Count(count) => count.to_string(),
        Value::Share(value) => share(value),
        Value::Missing => NOTHING.to_owned(),
    });
    name_cells(row).into_iter().chain(figures).collect()
}

fn name_cells(row: &ResultRow) -> Vec<String> {
    vec![row.set.clone(), row.method.to_string()]
}

fn share(share: f64) -> String {
    format!("{share:.3}")
}

fn worst_tables(run: &EvalRun, count: usize) -> String {
    let methods = run.sets.first().map_or(&[][..], |set| &set.methods);
    let tables = methods.iter().filter(|_| count > 0).map(|(method, _)| {
        let rows = worst(run, *method, count).into_iter().map(|page| {
            let ratios = page.words.ratios();
            let shares = [ratios.f1, ratios.precision, ratios.recall].map(share);
            let words = [page.words.extracted, page.words.gold].map(|words| words.to_string());
            shares.into_iter().chain(words).chain([page.path.display().to_string()]).collect()
        });
        let head = ["F1", "P", "R", "Words", "Gold words", "Page"];
        format!("\nWorst pages of {method}\n{}\n", table(&head, rows))
    });
    tables.collect()
}
