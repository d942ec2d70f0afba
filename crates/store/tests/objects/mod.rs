//! Tests object storage: operations in a folder and on an S3 server, failures of the server, and TLS.

mod faults;
mod suite;
mod tls;
