//! scratch
use gleaner_eval::Set;
use gleaner_eval::training::labels;
use gleaner_extract::block_model::{Repeated, feature_names, feature_rows};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

fn parts(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut cur = String::new();
    let mut lower = false;
    for c in text.chars() {
        if c.is_alphabetic() {
            if c.is_uppercase() && lower {
                out.push(std::mem::take(&mut cur));
            }
            lower = c.is_lowercase();
            cur.extend(c.to_lowercase());
        } else {
            out.push(std::mem::take(&mut cur));
            lower = false;
        }
    }
    out.push(cur);
    out.retain(|part| part.len() > 1 && part.len() <= 20);
    out
}

thread_local! { static VOCAB: std::cell::RefCell<std::collections::HashMap<u32, String>> = Default::default(); }
fn fnv(text: &str) -> u32 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    let key = ((hash ^ (hash >> 32)) & 0x3_ffff) as u32;
    VOCAB.with_borrow_mut(|v| {
        v.entry(key).or_insert_with(|| text.to_owned());
    });
    key
}

fn tokens(page: &gleaner_html::Page, block: u32) -> Vec<u32> {
    let mut out = Vec::new();
    let mut node = block;
    for level in 0..14 {
        let Some(tag) = page.tag(node) else { break };
        if tag == "body" {
            break;
        }
        let group = match level {
            0 | 1 => 0,
            2..=4 => 1,
            _ => 2,
        };
        if level < 4 {
            out.push(fnv(&format!("{level}<{tag}")));
        }
        if tag.contains('-') {
            for part in parts(tag) {
                out.push(fnv(&format!("{group}{part}")));
            }
        }
        for (name, value) in page.attributes(node) {
            let is = matches!(name, "class" | "id" | "role" | "itemprop" | "aria-label" | "name")
                || name.starts_with("data-");
            if !is || value.len() > 300 {
                continue;
            }
            if name.starts_with("data-") {
                if value.len() > 60 || value.contains(['{', '/', '=']) {
                    continue;
                }
                for part in parts(name.trim_start_matches("data-")) {
                    out.push(fnv(&format!("{group}@{part}")));
                }
            }
            for part in parts(value) {
                out.push(fnv(&format!("{group}{part}")));
            }
        }
        let up = page.node(node).parent;
        if up == node {
            break;
        }
        node = up;
    }
    out
}

fn main() {
    let mut args = std::env::args().skip(1);
    let out = args.next().unwrap();
    let folders: Vec<PathBuf> = args.map(PathBuf::from).collect();
    let sets = Set::find(&folders).unwrap();
    let mut rows_out = std::io::BufWriter::new(std::fs::File::create(format!("{out}.rows")).unwrap());
    let mut tok = std::io::BufWriter::new(std::fs::File::create(format!("{out}.tokens")).unwrap());
    let mut meta = std::io::BufWriter::new(std::fs::File::create(format!("{out}.jsonl")).unwrap());
    writeln!(meta, "{}", json!({"names": feature_names()})).unwrap();
    for set in &sets {
        for entry in set.entries.iter().filter(|entry| entry.gold.is_some()) {
            let recorded = entry.read().unwrap();
            let gold = recorded.gold.as_deref().unwrap_or_default();
            let page = &recorded.page;
            let (placed, rows): (Vec<_>, Vec<Vec<f32>>) =
                feature_rows(page, &Repeated::default()).into_iter().unzip();
            let texts: Vec<&str> = placed.iter().map(|p| p.line.text.as_str()).collect();
            let labels = labels::labels(&texts, gold);
            let chain: Vec<Vec<u32>> = placed
                .iter()
                .map(|p| {
                    let mut chain = Vec::new();
                    let mut node = p.block;
                    for _ in 0..8 {
                        chain.push(node);
                        let up = page.node(node).parent;
                        if up == node {
                            break;
                        }
                        node = up;
                    }
                    chain
                })
                .collect();
            let words: Vec<Vec<String>> =
                texts.iter().map(|t| gleaner_extract::words(t).map(|w| w.to_lowercase()).collect()).collect();
            for (at, p) in placed.iter().enumerate() {
                let mut all = tokens(page, p.block);
                let own = &words[at];
                let take = if own.len() <= 14 { own.len() } else { 4 };
                for w in &own[..take] {
                    all.push(fnv(&format!("{}t{w}", if own.len() <= 14 { "s" } else { "l" })));
                }
                if at > 0 && words[at - 1].len() <= 6 {
                    for w in &words[at - 1] {
                        all.push(fnv(&format!("p{w}")));
                    }
                }
                all.sort_unstable();
                all.dedup();
                tok.write_all(&(all.len() as u32).to_le_bytes()).unwrap();
                for x in all {
                    tok.write_all(&x.to_le_bytes()).unwrap();
                }
            }
            let tags: Vec<String> =
                placed.iter().map(|p| page.tag(p.block).unwrap_or_default().to_owned()).collect();
            writeln!(
                meta,
                "{}",
                json!({"set": set.name, "site": entry.site, "path": entry.id.clone(), "n": rows.len(),
                "texts": texts, "labels": labels, "gold": gold, "chain": chain, "tags": tags})
            )
            .unwrap();
            for row in rows {
                for value in row {
                    rows_out.write_all(&value.to_le_bytes()).unwrap();
                }
            }
        }
    }
    let mut v = std::fs::File::create(format!("{out}.vocab")).unwrap();
    VOCAB.with_borrow(|vocab| {
        for (k, w) in vocab {
            writeln!(v, "{k}\t{w}").unwrap();
        }
    });
}
