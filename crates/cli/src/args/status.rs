//! Options of the status page: `gleaner serve`, and `--status` of crawling commands.

use std::net::SocketAddr;
use std::path::PathBuf;

pub(crate) const SERVE_HELP: &str =
    "Anyone who can reach the address can read the pages. Changes need the token in DATA/status.token, \
or in the file of --token-file. docs/status.md describes a setup behind a proxy with TLS.

Examples:
  gleaner serve --data corpus
  gleaner serve --data corpus --address 127.0.0.1:8080 --public-host corpus.example.org
  gleaner serve --data corpus --seeds mine.txt";

#[derive(Debug, clap::Args)]
pub(crate) struct Serve {
    /// Address to listen on; port 0 selects a free port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7700", value_parser = address)]
    pub(crate) address: SocketAddr,
    /// File of seed sites for the button "crawl now"; repeatable [default: crawl.seeds if it is set,
    /// otherwise the seeds of the last crawl]
    #[arg(long, value_name = "FILE")]
    pub(crate) seeds: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) access: Access,
}

/// The status page of a running crawl.
#[derive(Debug, clap::Args)]
pub(crate) struct Status {
    /// Also serve the status page on this address, such as 127.0.0.1:7700
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub(crate) status: Option<SocketAddr>,
    #[command(flatten)]
    pub(crate) access: Access,
}

/// Access to the status page.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Access {
    /// Host name by which browsers may reach the status page, as behind a proxy; repeatable. `localhost`
    /// and IP addresses are always accepted, all other names are refused
    #[arg(long, value_name = "NAME")]
    pub(crate) public_host: Vec<String>,
    /// File with the token that authorizes changes on the status page [default: status.token in the
    /// data folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
}

/// Parses an address, and says how to write one.
fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| match text.trim_start_matches(':').parse::<u16>() {
        Ok(port) => format!("an address has a host and a port: write 127.0.0.1:{port}"),
        Err(_) => "write an IP address and a port, such as 127.0.0.1:7700".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_needs_a_host_and_a_port() {
        assert!(address("127.0.0.1:0").is_ok() && address("[::1]:80").is_ok());
        for (text, said) in [("7700", "127.0.0.1:7700"), (":80", "127.0.0.1:80"), ("localhost", "such as")] {
            assert!(address(text).unwrap_err().contains(said), "{text}");
        }
    }
}
