//! Builds the report of a run and compares it with earlier runs.
//!
//! | part | content | module |
//! |---|---|---|
//! | [`Told`] | the state of the store at a run's end | `told` |
//! | [`Figures`] | a host's counts, grouped for people | `figures` |
//! | usual | a host's usual number of new documents | `usual` |
//! | findings | sentences about unusual values | `findings` |
//! | [`Report`] | all of it, as JSON | `data` |
//! | [`page`], [`text`] | the same for people | `page`, `text` |
//! | [`folder`] | the files in `DATA/reports` | `folder` |
//!
//! Only `collect` and `folder` do IO, and no module reads a clock.
//!
//! Limitation: values become usual after three runs. A site that was down for half of the last runs counts as
//! one without articles. So a fault is reported for about a week and then only appears in the table.

mod collect;
mod data;
mod figures;
mod findings;
pub mod folder;
pub mod page;
pub mod text;
mod told;
mod usual;

pub use collect::build;
pub use data::{Host, Report, Status};
pub use figures::Figures;
pub use findings::{Finding, Grade};
pub use told::{Disk, Ending, Held, HostTold, Night, Template, Told};
