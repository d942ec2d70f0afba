//! Where files go that outgrow a disk: a bucket of S3 or a store like it, of Google or
//! Azure, or a folder. The same calls for all of them.
//!
//! | file | question |
//! |---|---|
//! | [`bucket`] | What can be asked of a storage? |
//! | [`address`](mod@address) | Which storage does an address mean? |
//! | [`environment`](mod@environment) | Which keys, endpoint and region are set? |
//! | `open` | How is the library set up for that storage? |
//! | `name` | Which names may an object have? |
//! | [`error`](mod@error) | What went wrong, on which object, what to do next? |
//! | `storage` | How is one try made, and what does its failure mean? |
//! | `watch` | What did the storage answer, in its own words? |
//! | `patience` | How long is it asked again, and when is it told? |
//! | `engine` | Where does the asynchronous library run? |
//!
//! Calls are synchronous: they may be made from any thread, also from one that runs
//! asynchronous tasks, which then stand still as long as the call takes.
//!
//! Limitation: a storage that is away is told from one that refuses by HTTP status
//! and by kind of failed connection. A proxy that answers 403 in the storage's place looks
//! like a wrong key. A put that timed out may have arrived, which is why names are written
//! once, or always with the same content.

pub mod address;
pub mod bucket;
mod engine;
pub mod environment;
pub mod error;
mod name;
mod open;
mod patience;
mod storage;
mod watch;

pub use bucket::{Entry, Objects, Options};
pub use environment::Environment;
pub use error::ObjectError;
