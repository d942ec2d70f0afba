//! What the crate does over real sockets, against a scripted server on loopback.

// `cfg(test)` always holds here; it tells the lints that helpers are tests too.
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
