//! scratch
use gleaner_eval::{Method, Protocol, Set, Task, run};
use std::path::PathBuf;

fn main() {
    let mut args = std::env::args().skip(1);
    let cross = args.next().unwrap() == "cross";
    let proto = if args.next().unwrap() == "template" { Protocol::Template } else { Protocol::Cold };
    let folders: Vec<PathBuf> = args.map(PathBuf::from).collect();
    let sets = Set::find(&folders).unwrap();
    let task = Task {
        protocol: proto,
        methods: vec![Method::Gleaner],
        measures: vec![],
        cross_validate: cross,
        threads: None,
    };
    let done = run(&sets, &task, &|| {}).unwrap();
    let mut means = Vec::new();
    for set in &done.sets {
        for (_, pages) in &set.methods {
            let (mut f, mut p, mut r, mut low) = (0.0, 0.0, 0.0, 0);
            for s in pages {
                let x = s.words.ratios();
                f += x.f1;
                p += x.precision;
                r += x.recall;
                if x.f1 < 0.5 && s.words.gold > 0 {
                    low += 1;
                }
                println!(
                    "PAGE {:.4} {:.4} {:.4} {} {}",
                    x.f1,
                    x.precision,
                    x.recall,
                    s.words.gold,
                    s.path.display()
                );
            }
            let n = pages.len() as f64;
            means.push((set.name.clone(), f / n));
            println!(
                "SET {:40} n {:4} f1 {:.4} p {:.4} r {:.4} low {}",
                set.name,
                n,
                f / n,
                p / n,
                r / n,
                low
            );
        }
    }
    let sites: Vec<f64> = means
        .iter()
        .filter(|(n, _)| !n.contains("single") && !n.contains("publishers"))
        .map(|x| x.1)
        .collect();
    if !sites.is_empty() {
        println!("SITES mean {:.4}", sites.iter().sum::<f64>() / sites.len() as f64);
    }
}
