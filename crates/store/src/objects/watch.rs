//! Records the storage's error responses, because the library's errors do not include the status.
//!
//! 1. [`ObservedService`] wraps the library's HTTP client. It records each unsuccessful status and each
//!    failed connection in the [`Outage`] of the current call.
//! 2. [`StorageFailure::is_transient`] distinguishes an unavailable storage (no connection, timeout, 408,
//!    429, 5xx) from a storage that refuses requests.
//!
//! Limitation: only `<Code>` and `<Message>` of a response body are read, because other elements may contain
//! secrets. For example, S3 repeats an unknown session token in another element of its error response.

use std::cell::RefCell;
use std::error::Error;
use std::future::Future;
use std::io;
use std::pin::Pin;

use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
    ReqwestConnector,
};

use super::environment::without;

const SHOWN: usize = 300;

/// Paths of the cloud's metadata service. If no keys are set, the S3 library requests them there.
const MACHINES: [&str; 2] = ["/latest/api/token", "/latest/meta-data/iam/"];

const NO_KEYS: &str = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StorageFailure {
    Answer {
        status: u16,
        code: String,
        message: String,
    },
    Connection {
        host: String,
        why: String,
        /// Whether TLS failed, for example because of the certificate.
        is_tls: bool,
    },
}

impl StorageFailure {
    pub(crate) fn is_transient(&self) -> bool {
        match self {
            Self::Answer { status, .. } => matches!(status, 408 | 429 | 500..),
            Self::Connection { is_tls, .. } => !is_tls,
        }
    }

    /// Whether the storage denies a request: 401 or 403, also because a quota is full.
    pub(crate) const fn is_denial(&self) -> bool {
        matches!(self, Self::Answer { status: 401 | 403, .. })
    }

    pub(crate) fn text(&self) -> String {
        match self {
            Self::Answer { status, code, message } => {
                let parts = [status.to_string(), code.clone(), message.clone()];
                parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
            }
            Self::Connection { host, why, .. } => format!("{host}: {why}"),
        }
    }

    fn no_keys() -> Self {
        let message = format!("{NO_KEYS}, and this machine's metadata service has none");
        Self::Answer { status: 403, code: String::new(), message }
    }

    fn without(self, secrets: &[String]) -> Self {
        let clean = |text: String| without(secrets, &text);
        match self {
            Self::Answer { status, code, message } => {
                Self::Answer { status, code: clean(code), message: clean(message) }
            }
            Self::Connection { host, why, is_tls } => {
                Self::Connection { host: clean(host), why: clean(why), is_tls }
            }
        }
    }

    fn from_error(host: String, error: &HttpError) -> Self {
        let chain = chain(error);
        let is_tls = chain.iter().any(|error| error.is::<rustls::Error>());
        let why = match (error.kind(), chain.last()) {
            (HttpErrorKind::Timeout, _) => "no response within the time limit".into(),
            (_, Some(last)) => last.to_string(),
            (_, None) => error.to_string(),
        };
        Self::Connection { host, why: cut(&why), is_tls }
    }
}

tokio::task_local! {
    static OUTAGE: RefCell<Outage>;
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Outage {
    /// The failure of the last request. `None` if the request succeeded.
    pub(crate) trouble: Option<StorageFailure>,
    pub(crate) tries: u32,
    pub(crate) is_logged: bool,
}

impl Outage {
    pub(crate) async fn scope<T>(call: impl Future<Output = T>) -> T {
        OUTAGE.scope(RefCell::default(), call).await
    }

    pub(crate) fn note(trouble: Option<StorageFailure>) {
        // An error means that the request does not belong to a call.
        let _ = OUTAGE.try_with(|outage| {
            let mut outage = outage.borrow_mut();
            outage.tries += u32::from(trouble.is_some());
            outage.trouble = trouble;
        });
    }

    pub(crate) fn set_logged() {
        OUTAGE.with(|outage| outage.borrow_mut().is_logged = true);
    }

    pub(crate) fn current() -> Self {
        OUTAGE.with(|outage| outage.borrow().clone())
    }
}

#[derive(Debug)]
pub(crate) struct Connector {
    pub(crate) secrets: Vec<String>,
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let inner = ReqwestConnector::default().connect(options)?;
        Ok(HttpClient::new(ObservedService { inner, secrets: self.secrets.clone() }))
    }
}

#[derive(Debug)]
struct ObservedService {
    inner: HttpClient,
    secrets: Vec<String>,
}

impl ObservedService {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let uri = request.uri();
        let port = uri.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
        let host = format!("{}{port}", uri.host().unwrap_or("the storage"));
        let asks_machine = MACHINES.iter().any(|path| uri.path().starts_with(path));
        let host = if asks_machine { format!("{host} (requested because {NO_KEYS})") } else { host };
        let answer = self.inner.execute(request).await;
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                let trouble = StorageFailure::from_error(host, &error);
                let passes = trouble.is_transient();
                Outage::note(Some(trouble.without(&self.secrets)));
                // The library retries a request if its error is of another kind.
                return Err(if passes { error } else { HttpError::new(HttpErrorKind::Unknown, error) });
            }
        };
        if answer.status().is_success() {
            Outage::note(None);
            return Ok(answer);
        }
        let (head, body) = answer.into_parts();
        let status = head.status.as_u16();
        let body = body.bytes().await?;
        let text = String::from_utf8_lossy(&body);
        let trouble =
            StorageFailure::Answer { status, code: tag(&text, "Code"), message: tag(&text, "Message") };
        let trouble =
            if asks_machine && !trouble.is_transient() { StorageFailure::no_keys() } else { trouble };
        Outage::note(Some(trouble.without(&self.secrets)));
        Ok(HttpResponse::from_parts(head, body.into()))
    }
}

impl HttpService for ObservedService {
    fn call<'client, 'call>(
        &'client self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'call>>
    where
        'client: 'call,
        Self: 'call,
    {
        Box::pin(self.send(request))
    }
}

fn tag(text: &str, name: &str) -> String {
    let behind = text.split_once(&format!("<{name}>")).map_or("", |(_, behind)| behind);
    cut(behind.split('<').next().unwrap_or_default())
}

fn cut(text: &str) -> String {
    text.chars().filter(|char| !char.is_control()).take(SHOWN).collect()
}

/// Returns the error and its sources, outermost first. Unwraps each `io::Error` explicitly, because its
/// `source` skips the wrapped error.
pub(crate) fn chain<'e>(error: &'e (dyn Error + 'static)) -> Vec<&'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| within(*error)).collect()
}

fn within<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(within) => Some(within),
        None => error.source(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_an_answer_code_and_message_are_shown() {
        let text =
            "<Error><Code>InvalidToken</Code><Message>It is\nnone</Message><Token-0>hush</Token-0></Error>";
        assert_eq!(tag(text, "Code"), "InvalidToken");
        assert_eq!(tag(text, "Message"), "It isnone");
        assert_eq!(tag("hush", "Code"), "");
        assert_eq!(tag(&format!("<Code>{}", "ö".repeat(1000)), "Code").chars().count(), SHOWN);
    }

    #[test]
    fn what_passes_is_told_from_what_does_not() {
        let answer = |status| StorageFailure::Answer { status, code: String::new(), message: String::new() };
        for status in [408, 429, 500, 502, 503, 504] {
            assert!(answer(status).is_transient(), "{status}");
        }
        for status in [301, 400, 401, 403, 404, 412, 416] {
            assert!(!answer(status).is_transient(), "{status}");
        }
        let connection =
            |is_tls| StorageFailure::Connection { host: "a:1".into(), why: "none".into(), is_tls };
        assert!(connection(false).is_transient() && !connection(true).is_transient());
    }
}
