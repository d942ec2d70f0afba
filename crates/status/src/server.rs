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
use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, SET_COOKIE};
use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use gleaner_crawl::report;
use gleaner_render::page::STYLE;
use gleaner_template::explain::COLOURS;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tracing::{error, info, warn};

use crate::asked::{Asked, LANGUAGE_COOKIE};
use crate::guard::{self, Names};
use crate::pages::{self, Fault, Made};
use crate::site::Site;
use crate::{Corpus, Hooks, Key, Running, actions, download, live, metrics};

/// The interval between updates of the search index for a shared corpus, which other processes write. Each
/// update reads every document.
const AGAIN: Duration = Duration::from_secs(6 * 3_600);

/// How to serve the page.
#[derive(Debug)]
pub struct Options {
    /// The address to bind. Port 0 selects a free port.
    pub address: SocketAddr,
    /// Host names that requests may use in addition to loopback names. If the server is bound to loopback, it
    /// accepts no other names. If it is not, and the list is empty, it accepts every name.
    pub hosts: Vec<String>,
    /// The token that authorizes changes.
    pub key: Key,
}

/// Why the server cannot start.
#[derive(Debug, Error)]
pub enum ServerError {
    /// The address cannot be bound.
    #[error("cannot serve at {address}: {source}")]
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
pub struct Server {
    address: SocketAddr,
    site: Arc<Site>,
    updates: SyncSender<()>,
    tasks: [JoinHandle<()>; 2],
    keeper: Option<thread::JoinHandle<()>>,
}

impl Server {
    /// Starts the server and the thread that updates the search index.
    ///
    /// # Errors
    /// An error means that the address cannot be bound, or that the thread cannot be started.
    pub fn start(
        runtime: &Handle,
        options: Options,
        corpus: Corpus,
        hooks: Hooks,
    ) -> Result<Self, ServerError> {
        let Options { address, hosts, key } = options;
        let wrong = |source| ServerError::Bind { address, source };
        let listener = std::net::TcpListener::bind(address).map_err(wrong)?;
        listener.set_nonblocking(true).map_err(wrong)?;
        let address = listener.local_addr().map_err(wrong)?;
        let _inside = runtime.enter();
        let listener = TcpListener::from_std(listener).map_err(wrong)?;
        let names = Names { any: !address.ip().is_loopback() && hosts.is_empty(), named: hosts };
        let site = Arc::new(Site::new(corpus, hooks, key, names));
        let (updates, keeper) = keep_search(&site).map_err(ServerError::Thread)?;
        let routes = routes(Arc::clone(&site));
        let serving = runtime.spawn(async move {
            if let Err(error) = axum::serve(listener, routes).await {
                error!(%error, "the status page has stopped");
            }
        });
        let tasks = [serving, runtime.spawn(look(Arc::downgrade(&site)))];
        info!(%address, "the status page is served");
        Ok(Self { address, site, updates, tasks, keeper: Some(keeper) })
    }

    /// Returns the bound address, with the actual port if port 0 was requested.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sets the crawl that runs in this process. `None` means that the crawl has ended, and starts an update
    /// of the search index. During a crawl, the pages send changes to it as commands.
    pub fn watch(&self, running: Option<Running>) {
        let has_ended = running.is_none();
        self.site.live.watch(running);
        self.site.changed();
        if has_ended {
            // If an update is already requested, a second request is unnecessary.
            let _ = self.updates.try_send(());
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
        self.site.search.stop.store(true, Ordering::Relaxed);
        let (closed, _) = mpsc::sync_channel(0);
        drop(std::mem::replace(&mut self.updates, closed));
        if let Some(keeper) = self.keeper.take() {
            // An error means that the thread panicked. Its message is already on standard error.
            let _ = keeper.join();
        }
    }
}

/// Starts the thread that updates the search index. It updates at startup and on request. For a shared
/// corpus, it also updates at intervals.
fn keep_search(site: &Arc<Site>) -> std::io::Result<(SyncSender<()>, thread::JoinHandle<()>)> {
    let (updates, told) = mpsc::sync_channel(1);
    let (site, shared) = (Arc::clone(site), site.corpus.store.is_shared());
    let keep = move || {
        loop {
            if let Err(error) = site.search.update(&site.corpus.store) {
                warn!(%error, "cannot update the search index");
            }
            let is_over = match told.recv_timeout(if shared { AGAIN } else { Duration::MAX }) {
                Err(RecvTimeoutError::Disconnected) => true,
                Ok(()) | Err(RecvTimeoutError::Timeout) => false,
            };
            if is_over {
                return;
            }
        }
    };
    Ok((updates, thread::Builder::new().name("search".into()).spawn(keep)?))
}

async fn look(site: Weak<Site>) {
    let mut ticks = tokio::time::interval(live::EVERY);
    loop {
        ticks.tick().await;
        let Some(site) = site.upgrade() else { return };
        site.live.look(Instant::now());
    }
}

pub(crate) fn routes(site: Arc<Site>) -> Router {
    let page = |make: Make| {
        get(move |site: State<Arc<Site>>, asked: Asked| show(site.0, asked, String::new(), make))
    };
    let named = |make: Make| {
        get(move |site: State<Arc<Site>>, asked: Asked, Path(name): Path<String>| {
            show(site.0, asked, name, make)
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
        .route("/token", page(pages::key::form).post(actions::sign_in))
        .route("/token/forget", post(actions::sign_out))
        .route("/actions", post(actions::act))
        .route("/live.json", page(pages::now::json))
        .route("/metrics", page(|site, _, _| Ok(Made::Plain(metrics::MEDIA_TYPE, metrics::text(site)?))))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/page.css", get(|| file("text/css; charset=utf-8", STYLE)))
        .route("/report.css", get(|| file("text/css; charset=utf-8", report::page::STYLE)))
        .route("/colours.css", get(|| file("text/css; charset=utf-8", COLOURS)))
        .route("/style.css", get(|| file("text/css; charset=utf-8", include_str!("look/style.css"))))
        .route("/script.js", get(|| file("text/javascript; charset=utf-8", include_str!("look/script.js"))))
        .fallback(page(|_, _, _| Err(Fault::Nothing)))
        .layer(axum::middleware::from_fn_with_state(Arc::clone(&site), guard::guard))
        .with_state(site)
}

/// Renders a page. The text is the last path segment if the route has a parameter. Otherwise it is empty.
type Make = fn(&Site, &Asked, &str) -> Result<Made, Fault>;

async fn show(site: Arc<Site>, asked: Asked, name: String, make: Make) -> Response {
    let _place = site.places.acquire().await;
    let (shared, of) = (Arc::clone(&site), asked.clone());
    let made = tokio::task::spawn_blocking(move || make(&shared, &of, &name)).await;
    let mut response = match made {
        Ok(Ok(Made::Page(page))) => page.into_response(),
        Ok(Ok(Made::Plain(kind, text))) => ([(CONTENT_TYPE, kind)], text).into_response(),
        Ok(Err(Fault::Nothing)) => {
            let text = asked.say("There is nothing at this address.", "Không có gì ở địa chỉ này.");
            (StatusCode::NOT_FOUND, pages::fault(&asked, text)).into_response()
        }
        Ok(Err(Fault::Failed(reason))) => {
            error!(reason, path = asked.path, "a page of the status page failed");
            (StatusCode::INTERNAL_SERVER_ERROR, pages::fault(&asked, &reason)).into_response()
        }
        Err(panic) => {
            error!(%panic, path = asked.path, "a page of the status page failed; please report it");
            (StatusCode::INTERNAL_SERVER_ERROR, pages::fault(&asked, "an error in gleaner")).into_response()
        }
    };
    if asked.chosen {
        let cookie =
            format!("{LANGUAGE_COOKIE}={}; Path=/; SameSite=Lax; Max-Age=31536000", asked.language.tag());
        response
            .headers_mut()
            .append(SET_COOKIE, HeaderValue::from_str(&cookie).expect("a tag is plain letters"));
    }
    response
}

async fn file(kind: &'static str, text: &'static str) -> ([(HeaderName, &'static str); 2], &'static str) {
    ([(CONTENT_TYPE, kind), (CACHE_CONTROL, "max-age=300")], text)
}
