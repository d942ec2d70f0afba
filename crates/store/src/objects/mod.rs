//! Stores large files in object storage: S3 or compatible, Google, Azure, or a folder.
//!
//! | module | content |
//! |---|---|
//! | [`bucket`] | the operations of a storage |
//! | [`address`](mod@address) | parses a storage address |
//! | [`environment`](mod@environment) | keys, endpoint and region |
//! | `open` | sets up the library |
//! | `name` | valid object names |
//! | [`error`](mod@error) | errors, with advice for the user |
//! | `storage` | runs an operation and interprets its failure |
//! | `watch` | records the storage's error responses |
//! | `retries` | waits while the storage is unavailable |
//! | `engine` | runs the asynchronous library |
//!
//! Calls are synchronous and may come from any thread. A call blocks its thread and all async tasks on it.
//!
//! Limitation: the HTTP status and the kind of connection failure decide whether a storage is unavailable or
//! refuses a request. A 403 from a proxy looks like a wrong key. A put that timed out may have succeeded.
//! Therefore callers must write each name only once, or always with the same content.

pub mod address;
pub mod bucket;
mod engine;
pub mod environment;
pub mod error;
mod name;
mod open;
mod retries;
mod storage;
mod watch;

pub use bucket::{ObjectEntry, Objects, StorageOptions};
pub use environment::Environment;
pub use error::ObjectError;
