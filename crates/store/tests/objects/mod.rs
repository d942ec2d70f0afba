//! Object storage: the same calls over a folder and an S3 server, its faults, and TLS.

mod faults;
mod suite;
mod tls;
