//! What a run came to, held against the runs before it.
//!
//! | part | what it does | file |
//! |---|---|---|
//! | [`Told`] | what the store says at a run's end | `told` |
//! | [`Figures`] | counts of a host as people ask for them | `figures` |
//! | usual | what a host usually gives, and when a number is too small for it | `usual` |
//! | findings | what is unusual, in sentences | `findings` |
//! | [`Report`] | all of it, as JSON | `report` |
//! | [`page`], [`text`] | the same for people | `page`, `text` |
//! | [`folder`] | the files in `DATA/reports` | `folder` |
//!
//! All but `folder` is pure: no IO and no clock.
//!
//! Limitation: what is usual is known from three runs on, and a site that has been
//! down for half of the last runs is taken for one that gives nothing. So a fault is told
//! for about a week, louder at first, and is an ordinary line of the table after that.

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
