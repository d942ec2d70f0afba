//! What the storage answered: noted beside the library, whose errors do not tell statuses
//! apart.
//!
//! 1. [`Watching`] stands between the library and its HTTP client. What failed, by status
//!    or by connection, it notes for the try that asked.
//! 2. [`noting`] runs one try and gives its result with the last note.
//! 3. [`Trouble::passes`] tells a storage that is away (no connection, a time limit, 408,
//!    429, 5xx) from one that refuses.
//!
//! Limitation: of an answer's body only `<Code>` and `<Message>` are read. Others
//! repeat what was sent: S3 gives a session token back that it does not know.

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

/// Characters of a text of the storage that are shown.
const SHOWN: usize = 300;

/// Where S3's library asks the cloud's own machine for keys when none are set.
const MACHINES: [&str; 2] = ["/latest/api/token", "/latest/meta-data/iam/"];

const NO_KEYS: &str = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set";

/// What a request came to that did not succeed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// An answer that is no success.
    Answer {
        /// The HTTP status.
        status: u16,
        /// The service's code, such as `NoSuchKey`; empty where it gave none.
        code: String,
        /// The service's words; empty where it gave none.
        message: String,
    },
    /// No answer.
    Connection {
        /// Host and port.
        host: String,
        /// What happened.
        why: String,
        /// Whether the certificate is the reason, or another part of TLS.
        is_tls: bool,
    },
}

impl Trouble {
    /// Whether the same may succeed later.
    pub(crate) fn passes(&self) -> bool {
        match self {
            Self::Answer { status, .. } => matches!(status, 408 | 429 | 500..),
            Self::Connection { is_tls, .. } => !is_tls,
        }
    }

    /// In a few words.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Answer { status, code, message } => {
                let parts = [status.to_string(), code.clone(), message.clone()];
                parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
            }
            Self::Connection { host, why, .. } => format!("{host}: {why}"),
        }
    }

    /// The machine was asked for keys and gives none.
    fn no_keys() -> Self {
        let message = format!("{NO_KEYS}, and this machine gives none");
        Self::Answer { status: 403, code: String::new(), message }
    }

    /// The same with secrets blotted out of its texts.
    pub(crate) fn without(self, secrets: &[String]) -> Self {
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

    fn of_error(host: String, error: &HttpError) -> Self {
        let chain = chain(error);
        let is_tls = chain.iter().any(|error| error.is::<rustls::Error>());
        let why = match (error.kind(), chain.last()) {
            (HttpErrorKind::Timeout, _) => "no answer within the time limit".into(),
            (_, Some(last)) => last.to_string(),
            (_, None) => error.to_string(),
        };
        Self::Connection { host, why: cut(&why), is_tls }
    }
}

tokio::task_local! {
    static NOTE: RefCell<Option<Trouble>>;
}

/// Runs one try; gives its result and the trouble of its last request, if that had any.
pub(crate) async fn noting<T>(attempt: impl Future<Output = T>) -> (T, Option<Trouble>) {
    let noted = async {
        let result = attempt.await;
        (result, NOTE.with(RefCell::take))
    };
    NOTE.scope(RefCell::default(), noted).await
}

/// Tells what becomes of the request of this try.
pub(crate) fn note(trouble: Option<Trouble>) {
    // An error means that no try is running: the request belongs to nobody's result.
    let _ = NOTE.try_with(|noted| noted.replace(trouble));
}

/// Makes clients that note.
#[derive(Debug)]
pub(crate) struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let inner = ReqwestConnector::default().connect(options)?;
        Ok(HttpClient::new(Watching { inner }))
    }
}

/// A client that notes what failed.
#[derive(Debug)]
struct Watching {
    inner: HttpClient,
}

impl Watching {
    async fn ask(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let uri = request.uri();
        let port = uri.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
        let host = format!("{}{port}", uri.host().unwrap_or("the storage"));
        let asks_machine = MACHINES.iter().any(|path| uri.path().starts_with(path));
        let host = if asks_machine { format!("{host}, asked for keys as {NO_KEYS}") } else { host };
        let answer = self.inner.execute(request).await;
        let answer = answer.inspect_err(|error| note(Some(Trouble::of_error(host, error))))?;
        if answer.status().is_success() {
            note(None);
            return Ok(answer);
        }
        let (head, body) = answer.into_parts();
        let status = head.status.as_u16();
        let body = body.bytes().await?;
        let text = String::from_utf8_lossy(&body);
        let trouble = Trouble::Answer { status, code: tag(&text, "Code"), message: tag(&text, "Message") };
        note(Some(if asks_machine && !trouble.passes() { Trouble::no_keys() } else { trouble }));
        Ok(HttpResponse::from_parts(head, body.into()))
    }
}

impl HttpService for Watching {
    fn call<'client, 'call>(
        &'client self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'call>>
    where
        'client: 'call,
        Self: 'call,
    {
        Box::pin(self.ask(request))
    }
}

/// The content of the first element of that name, cut; empty: there is none.
fn tag(text: &str, name: &str) -> String {
    let behind = text.split_once(&format!("<{name}>")).map_or("", |(_, behind)| behind);
    cut(behind.split('<').next().unwrap_or_default())
}

fn cut(text: &str) -> String {
    text.chars().filter(|char| !char.is_control()).take(SHOWN).collect()
}

/// The error and its sources, outermost first. An `io::Error` that wraps another hides it
/// from `source`, so it is opened by hand.
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
        let answer = |status| Trouble::Answer { status, code: String::new(), message: String::new() };
        for status in [408, 429, 500, 502, 503, 504] {
            assert!(answer(status).passes(), "{status}");
        }
        for status in [301, 400, 401, 403, 404, 412, 416] {
            assert!(!answer(status).passes(), "{status}");
        }
        let connection = |is_tls| Trouble::Connection { host: "a:1".into(), why: "none".into(), is_tls };
        assert!(connection(false).passes() && !connection(true).passes());
    }
}
