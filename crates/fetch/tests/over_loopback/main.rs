//! Tests the crate over real sockets, against a scripted server on loopback.

// `cfg(test)` is always true here; it marks the helpers as test code for the lints.
#[cfg(test)]
mod bodies;
#[cfg(test)]
mod client;
#[cfg(test)]
mod fetcher;
#[cfg(test)]
mod http2;
#[cfg(test)]
mod reuse;
#[cfg(test)]
mod sent;
#[cfg(test)]
mod server;
#[cfg(test)]
mod tls;
