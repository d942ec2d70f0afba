//! Runs an S3 server as a separate process, which a test can kill and start again: `s3_server FOLDER ADDRESS
//! [BUCKET...]`. The process prints the environment variables that configure a client, one per line, followed
//! by an empty line. Then it serves until it is killed.

use std::io::{self, Write};
use std::path::Path;

use gleaner_testkit::s3::{Keys, serve};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let (Some(folder), Some(address)) = (words.next(), words.next()) else {
        return Err("s3_server FOLDER ADDRESS [BUCKET...]".into());
    };
    let server = serve(Path::new(&folder), address.parse()?, Keys::default())?;
    for bucket in words {
        server.make_bucket(&bucket)?;
    }
    let mut out = io::stdout().lock();
    for (name, value) in server.environment() {
        writeln!(out, "{name}={value}")?;
    }
    writeln!(out)?;
    out.flush()?;
    server.run();
    Ok(())
}
