//! Tests the status page of a shared corpus while workers write. The tests are skipped if PostgreSQL is not
//! available.

use std::collections::BTreeMap;
use std::time::Duration;

use gleaner_store::objects::Objects;
use gleaner_store::{Store, WorkerParams};
use gleaner_testkit::postgres::Postgres;

use super::*;

struct Shared {
    worker: Option<Store>,
    page: Fixture,
    _server: Arc<Postgres>,
}

fn shared() -> Option<Shared> {
    let server = Postgres::shared()?;
    let (folder, address) = (TempDir::new().unwrap(), server.database());
    let objects = || {
        let place = folder.path().join("objects");
        Objects::open(place.to_str().unwrap(), gleaner_store::objects::StorageOptions::default()).unwrap()
    };
    let patience = Duration::from_secs(10);
    let mut writer = gleaner_store::join(
        &folder.path().join("worker"),
        &WorkerParams {
            address: address.clone(),
            objects: objects(),
            name: format!("first {EVIL}"),
            lease: Duration::from_secs(30),
            patience,
            should_stop: Arc::new(|| false),
            settings: BTreeMap::new(),
            waits: false,
        },
    )
    .unwrap();
    let gained = writer.store().leases().unwrap().gained();
    assert_eq!(gained.len(), 256);
    let found = document("https://bao.example/1", "Mưa", "Mưa lớn ở Hòa Bình.", "2026-11-01");
    let ids = vec![store(&mut writer, found)];
    writer.flush().unwrap();
    let worker = writer.store();
    let seen = gleaner_store::visit(&folder.path().join("status"), &address, objects(), patience).unwrap();
    let mut config = Config::default();
    config.store.engine = address;
    config.store.path = folder.path().join("status").to_string_lossy().into_owned();
    let corpus = ServedCorpus { store: seen.clone(), config, pins: HostPins::default(), scope: None };
    let app =
        Arc::new(AppState::new(corpus, Hooks::default(), AccessToken::new(TOKEN), AllowedHosts::default()));
    Some(Shared { worker: Some(worker), page: Fixture { folder, store: seen, ids, app }, _server: server })
}

/// Requests a page in a new runtime, because the store must be dropped outside a runtime.
fn asked(shared: &Shared, path: &str) -> String {
    tokio::runtime::Runtime::new().unwrap().block_on(shared.page.page(path))
}

#[test]
fn workers_are_shown() {
    let Some(mut shared) = shared() else { return };
    let page = asked(&shared, "/?lang=en");
    assert!(page.contains("Working") && page.contains(">256</td>"), "{page}");
    assert!(page.contains("first &lt;script&gt;") && !page.contains("No crawl is running"), "{page}");
    assert!(!page.contains("have no worker"), "{page}");
    let metrics = asked(&shared, "/metrics");
    for line in [
        "gleaner_workers{state=\"at_work\"} 1",
        "gleaner_partitions_without_worker 0",
        "gleaner_worker_partitions{worker=\"first <script>alert(1)</script>\"} 256",
        "gleaner_worker_pages_total{worker=\"first <script>alert(1)</script>\"} 0",
        "gleaner_documents 1",
    ] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
    let document = asked(&shared, &format!("/documents/{}?lang=en", shared.page.ids[0]));
    assert!(document.contains("Mưa lớn ở Hòa Bình."), "{document}");
    drop(shared.worker.take());
    shared.page.app.invalidate_view();
    let page = asked(&shared, "/?lang=en");
    assert!(page.contains("256 of 256 partitions have no worker"), "{page}");
}

#[test]
fn nothing_is_changed_by_a_reader() {
    let Some(shared) = shared() else { return };
    let change = request(Method::POST, "/actions", "what=pause&host=bao.example");
    let (status, text) = tokio::runtime::Runtime::new().unwrap().block_on(async {
        let response = shared.page.send(with_cookie(change)).await;
        (response.status(), text(response).await)
    });
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(text.contains("this page is read-only"), "{text}");
}
