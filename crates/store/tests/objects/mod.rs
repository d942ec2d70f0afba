//! Object storage: the same tests with a folder and an S3 server, failures of the server, and TLS.

mod faults;
mod suite;
mod tls;
