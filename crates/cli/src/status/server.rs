//! Runs the HTTP server until its [`Server`] is dropped.
//!
//! Pages are rendered on separate threads, so a slow page delays neither the crawl nor `/healthz`.

use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, SET_COOKIE};
use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use gleaner_crawl::render::page::STYLE;
use gleaner_crawl::report;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tracing::{error, info, warn};

use crate::status::app_state::AppState;
use crate::status::explain::COLOURS;
use crate::status::language::quoted;
use crate::status::pages::{self, RenderError, Rendered, error_response};
use crate::status::request::{LANGUAGE_COOKIE, PageRequest};
use crate::status::security::{self, AllowedHosts};
use crate::status::{
    AccessToken, Hooks, RunningCrawl, ServedCorpus, actions, connections, crawl_monitor, download, metrics,
};

/// The interval between updates of the search index for a shared corpus, to which other processes write. It
/// is long because each update reads every document.
const INDEX_UPDATE_INTERVAL: Duration = Duration::from_secs(6 * 3_600);

/// Maximum size of the body of a request. The forms of the pages have less than 1 KiB.
const MAX_FORM_BYTES: usize = 16 << 10;

/// The options of a server.
#[derive(Debug)]
pub(crate) struct ServerOptions {
    /// The address to bind. Port 0 selects a free port.
    pub(crate) address: SocketAddr,
    /// Host names that requests may use in addition to `localhost` and IP addresses.
    pub(crate) hosts: Vec<String>,
    /// The token that authorizes changes.
    pub(crate) token: AccessToken,
}

fn next_step(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            "; another program uses this port, perhaps another gleaner: choose another port, or port 0 for any free one"
        }
        _ => "",
    }
}

/// Why the server cannot start.
#[derive(Debug, Error)]
pub(crate) enum ServerError {
    /// The address cannot be bound.
    #[error("cannot serve at {address}: {source}{}", next_step(source))]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The system error.
        source: std::io::Error,
    },
    /// The thread that updates the search index cannot be started.
    #[error("cannot start the thread of the search index: {0}")]
    Thread(std::io::Error),
}

/// A running server. Dropping it stops the server.
#[derive(Debug)]
pub(crate) struct Server {
    address: SocketAddr,
    app: Arc<AppState>,
    updates: SyncSender<()>,
    tasks: [JoinHandle<()>; 2],
    index_thread: Option<thread::JoinHandle<()>>,
}

impl Server {
    /// Starts the server and the thread that updates the search index.
    ///
    /// # Errors
    /// The address cannot be bound, or the thread cannot be started.
    pub(crate) fn start(
        runtime: &Handle,
        options: ServerOptions,
        corpus: ServedCorpus,
        hooks: Hooks,
    ) -> Result<Self, ServerError> {
        let ServerOptions { address, hosts, token } = options;
        let bind_error = |source| ServerError::Bind { address, source };
        let listener = std::net::TcpListener::bind(address).map_err(bind_error)?;
        listener.set_nonblocking(true).map_err(bind_error)?;
        let address = listener.local_addr().map_err(bind_error)?;
        let _inside = runtime.enter();
        let listener = TcpListener::from_std(listener).map_err(bind_error)?;
        let app = Arc::new(AppState::new(corpus, hooks, token, AllowedHosts::new(&hosts)));
        let (updates, index_thread) = start_index_thread(&app).map_err(ServerError::Thread)?;
        let routes = routes(Arc::clone(&app));
        let serving = runtime.spawn(connections::serve(listener, routes));
        let tasks = [serving, runtime.spawn(sample_crawl(Arc::downgrade(&app)))];
        info!(%address, "the status page is served");
        Ok(Self { address, app, updates, tasks, index_thread: Some(index_thread) })
    }

    /// Returns the bound address, with the actual port if port 0 was requested.
    #[must_use]
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sets the crawl that runs in this process. While a crawl runs, a change that a user requests on the
    /// status page becomes a command to the crawl. `None` means that the crawl has ended, and also starts an
    /// update of the search index.
    pub(crate) fn set_running_crawl(&self, running: Option<RunningCrawl>) {
        let has_ended = running.is_none();
        self.app.monitor.set_crawl(running);
        self.app.invalidate_view();
        if has_ended {
            // If an update is already requested, no second request is necessary.
            let _ = self.updates.try_send(());
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
        self.app.search.stop.store(true, Ordering::Relaxed);
        let (closed, _) = mpsc::sync_channel(0);
        drop(std::mem::replace(&mut self.updates, closed));
        if let Some(index_thread) = self.index_thread.take() {
            // An error means that the thread panicked. Its message is already on standard error.
            let _ = index_thread.join();
        }
    }
}

/// Starts the thread that updates the search index at startup and on request. For a shared corpus, the thread
/// also updates the index at intervals.
fn start_index_thread(app: &Arc<AppState>) -> std::io::Result<(SyncSender<()>, thread::JoinHandle<()>)> {
    let (updates, requests) = mpsc::sync_channel(1);
    let (app, shared) = (Arc::clone(app), app.corpus.store.is_shared());
    let run = move || {
        loop {
            if let Err(error) = app.search.update(&app.corpus.store) {
                warn!(%error, "cannot update the search index");
            }
            let is_over =
                match requests.recv_timeout(if shared { INDEX_UPDATE_INTERVAL } else { Duration::MAX }) {
                    Err(RecvTimeoutError::Disconnected) => true,
                    Ok(()) | Err(RecvTimeoutError::Timeout) => false,
                };
            if is_over {
                return;
            }
        }
    };
    Ok((updates, thread::Builder::new().name("search".into()).spawn(run)?))
}

async fn sample_crawl(app: Weak<AppState>) {
    let mut ticks = tokio::time::interval(crawl_monitor::SAMPLE_INTERVAL);
    loop {
        ticks.tick().await;
        let Some(app) = app.upgrade() else { return };
        app.monitor.sample(Instant::now());
    }
}

pub(crate) fn routes(app: Arc<AppState>) -> Router {
    let page = |render: Renderer| {
        get(move |app: State<Arc<AppState>>, request: PageRequest| {
            respond(app.0, request, String::new(), render)
        })
    };
    let named = |render: Renderer| {
        get(move |app: State<Arc<AppState>>, request: PageRequest, Path(name): Path<String>| {
            respond(app.0, request, name, render)
        })
    };
    Router::new()
        .route("/", page(pages::overview::page))
        .route("/hosts", page(pages::hosts::page))
        .route("/hosts/{name}", named(pages::host::page))
        .route("/hosts/{name}/template.json", named(pages::host::template_file))
        .route("/reports", page(pages::reports::page))
        .route("/reports/{name}", named(pages::reports::one))
        .route("/reports/{name}/report.json", named(pages::reports::json))
        .route("/search", page(pages::search::page))
        .route("/search.jsonl", get(download::search))
        .route("/documents/{id}", named(pages::document::page))
        .route("/documents/{id}/record.json", named(pages::document::record))
        .route("/documents/{id}/page.txt", named(pages::document::archived))
        .route("/duplicates", page(pages::duplicates::page))
        .route("/duplicates/{id}", named(pages::duplicates::one))
        .route("/token", page(pages::sign_in::form).post(actions::sign_in))
        .route("/token/forget", post(actions::sign_out))
        .route("/actions", post(actions::act))
        .route("/live.json", page(pages::running_crawl::json))
        .route("/metrics", page(|app, _, _| Ok(Rendered::Text(metrics::MEDIA_TYPE, metrics::text(app)?))))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(readiness))
        .route("/page.css", get(|| file("text/css; charset=utf-8", STYLE)))
        .route("/report.css", get(|| file("text/css; charset=utf-8", report::page::STYLE)))
        .route("/colours.css", get(|| file("text/css; charset=utf-8", COLOURS)))
        .route("/style.css", get(|| file("text/css; charset=utf-8", include_str!("assets/style.css"))))
        .route("/script.js", get(|| file("text/javascript; charset=utf-8", include_str!("assets/script.js"))))
        .fallback(page(|_, _, _| Err(RenderError::NotFound)))
        .layer(DefaultBodyLimit::max(MAX_FORM_BYTES))
        .layer(axum::middleware::from_fn_with_state(Arc::clone(&app), security::check_request))
        .with_state(app)
}

/// How long a probe waits for the store.
const MAX_PROBE: Duration = Duration::from_secs(5);

/// Says whether the store can be read, for the probes of service managers. At most one probe waits for the store.
async fn readiness(app: State<Arc<AppState>>) -> (StatusCode, String) {
    let unavailable = |reason: String| (StatusCode::SERVICE_UNAVAILABLE, format!("{reason}\n"));
    let Ok(permit) = Arc::clone(&app.probe_permits).try_acquire_owned() else {
        return unavailable("an earlier probe waits for the store".into());
    };
    let store = app.corpus.store.clone();
    let read = tokio::task::spawn_blocking(move || {
        let read = store.totals();
        drop(permit);
        read
    });
    match tokio::time::timeout(MAX_PROBE, read).await {
        Ok(Ok(Ok(_))) => (StatusCode::OK, "ok\n".into()),
        Ok(Ok(Err(error))) => unavailable(error.to_string()),
        Ok(Err(panic)) => unavailable(panic.to_string()),
        Err(_) => unavailable(format!("the store has not answered for {} s", MAX_PROBE.as_secs())),
    }
}

/// A function that renders a page. The text is the last path segment if the route has a parameter, and
/// otherwise empty.
type Renderer = fn(&AppState, &PageRequest, &str) -> Result<Rendered, RenderError>;

async fn respond(app: Arc<AppState>, request: PageRequest, name: String, render: Renderer) -> Response {
    let _place = app.render_permits.acquire().await;
    let (shared, of) = (Arc::clone(&app), request.clone());
    let made = tokio::task::spawn_blocking(move || render(&shared, &of, &name)).await;
    let mut response = match made {
        Ok(Ok(Rendered::Page(page))) => page.into_response(),
        Ok(Ok(Rendered::Text(kind, text))) => ([(CONTENT_TYPE, kind)], text).into_response(),
        Ok(Err(RenderError::NotFound)) => {
            let text = request.translate("There is nothing at this address.", "Không có gì ở địa chỉ này.");
            error_response(&request, StatusCode::NOT_FOUND, text)
        }
        Ok(Err(RenderError::UnknownHost { name, similar })) => pages::unknown_host(&request, &name, &similar),
        Ok(Err(RenderError::Internal(reason))) => {
            error!(reason, path = request.path, "a page of the status page failed");
            let text = quoted("không hiển thị được trang này", &reason);
            let text = text.in_language(request.language);
            error_response(&request, StatusCode::INTERNAL_SERVER_ERROR, text)
        }
        Err(panic) => {
            error!(%panic, path = request.path, "a page of the status page failed; please report it");
            let text = request.translate("an error in gleaner", "gleaner gặp lỗi");
            error_response(&request, StatusCode::INTERNAL_SERVER_ERROR, text)
        }
    };
    if request.sets_language {
        let cookie =
            format!("{LANGUAGE_COOKIE}={}; Path=/; SameSite=Lax; Max-Age=31536000", request.language.tag());
        response
            .headers_mut()
            .append(SET_COOKIE, HeaderValue::from_str(&cookie).expect("a tag is plain letters"));
    }
    response
}

async fn file(kind: &'static str, text: &'static str) -> ([(HeaderName, &'static str); 2], &'static str) {
    ([(CONTENT_TYPE, kind), (CACHE_CONTROL, "max-age=300")], text)
}
