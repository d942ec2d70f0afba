//! Tests that the dashboard and the documents name the metrics that are served.

use super::*;

fn names(text: &str) -> std::collections::BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let names = words.filter(|word| word.starts_with("gleaner_"));
    let bare = |name: &str| {
        let ends = ["_bucket", "_sum", "_count", "_total"];
        ends.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name).to_owned()
    };
    names.map(bare).collect()
}

#[tokio::test]
async fn dashboard_and_documents_name_what_is_served() {
    let fixture = Fixture::new();
    fixture.app.monitor.set_crawl(Some(running()));
    let text = fixture.page("/metrics").await;
    assert!(
        text.contains("gleaner_documents 3.0") && text.contains("gleaner_templates{state=\"outdated\"} 1.0"),
        "{text}"
    );
    assert!(
        text.contains("gleaner_request_seconds_bucket{le=\"0.01\"} 0") && text.ends_with("# EOF\n"),
        "{text}"
    );
    let served = names(&text);
    let dashboard = include_str!("../../../../../config/grafana-dashboard.json");
    serde_json::from_str::<serde_json::Value>(dashboard).unwrap();
    let documents = include_str!("../../../../../docs/status.md");
    let table: String = documents.lines().filter(|line| line.starts_with("| `gleaner_")).collect();
    assert!(
        !names(dashboard).is_empty() && names(dashboard).is_subset(&served),
        "{:?}",
        names(dashboard).difference(&served)
    );
    assert_eq!(names(&table), served);
}
