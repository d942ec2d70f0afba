//! Runs a real PostgreSQL server on loopback for tests, if PostgreSQL is installed.
//!
//! The server has its own folder, listens on a free port of `127.0.0.1`, and stops when the value is dropped.
//! If the tests run as root, the server runs as `nobody`, because PostgreSQL refuses to run as root.
//!
//! Limitation: if a test process is killed, its server keeps running. The next process uses another port.

use std::ffi::OsStr;
use std::io;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use tempfile::TempDir;

const NOBODY: u32 = 65_534;

/// A PostgreSQL server. Dropping it stops the server.
#[derive(Debug)]
pub struct Postgres {
    folder: TempDir,
    programs: PathBuf,
    port: u16,
    databases: AtomicU32,
}

/// Returns the folder with the programs of the newest installed PostgreSQL, or `None` if it is not installed.
fn programs() -> Option<PathBuf> {
    let mut versions: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .filter(|folder| folder.join("initdb").exists())
        .collect();
    versions.sort();
    versions.pop()
}

impl Postgres {
    /// Returns the server that the tests of this process share. The server starts on first use, and stops when
    /// the last owner drops it. If PostgreSQL is not installed, prints a note and returns `None`.
    #[must_use]
    pub fn shared() -> Option<Arc<Self>> {
        static SHARED: Mutex<Weak<Postgres>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(server) = shared.upgrade() {
            return Some(server);
        }
        let server = Arc::new(Self::start(&["fsync=off", "synchronous_commit=off"])?);
        *shared = Arc::downgrade(&server);
        Some(server)
    }

    /// Starts a server with settings such as `fsync=off`. If PostgreSQL is not installed, prints a note and
    /// returns `None`.
    ///
    /// # Panics
    /// If PostgreSQL is installed, but the server does not start.
    #[must_use]
    pub fn start(settings: &[&str]) -> Option<Self> {
        let Some(programs) = programs() else {
            eprintln!("skipped: PostgreSQL is not installed");
            return None;
        };
        let folder = TempDir::new().expect("a folder for the server");
        let server = Self { folder, programs, port: free_port(), databases: AtomicU32::new(0) };
        server.own(server.folder.path());
        let data = server.data();
        server.done(
            server
                .command("initdb")
                .args(["--auth=trust", "--username=gleaner", "--no-sync", "-E", "UTF8", "--locale=C", "-D"])
                .arg(&data),
        );
        let own = ["listen_addresses=127.0.0.1", "unix_socket_directories="];
        let port = format!("port={}", server.port);
        let lines = own.into_iter().chain([port.as_str()]).chain(settings.iter().copied());
        let lines: String = lines.map(|line| line.replacen('=', " = '", 1) + "'\n").collect();
        server.write("postgresql.auto.conf", &lines);
        server.resume();
        Some(server)
    }

    /// Starts a standby of this server. [`Self::promote`] makes it the primary server.
    ///
    /// # Panics
    /// If the standby does not start.
    #[must_use]
    pub fn standby(&self) -> Self {
        let folder = TempDir::new().expect("a folder for the standby");
        let standby =
            Self { folder, programs: self.programs.clone(), port: free_port(), databases: AtomicU32::new(0) };
        standby.own(standby.folder.path());
        let from = format!("host=127.0.0.1 port={} user=gleaner application_name=standby", self.port);
        standby.done(
            standby
                .command("pg_basebackup")
                .args(["-R", "--no-sync", "-X", "stream", "-d", &from, "-D"])
                .arg(standby.data()),
        );
        let path = standby.data().join("postgresql.auto.conf");
        let kept = std::fs::read_to_string(path).expect("the standby's settings");
        let lines = kept
            .lines()
            .filter(|line| !line.starts_with("port") && !line.starts_with("synchronous_standby_names"));
        let lines: String = lines.map(|line| format!("{line}\n")).collect();
        standby.write("postgresql.auto.conf", &format!("{lines}port = '{}'\n", standby.port));
        standby.resume();
        standby
    }

    /// Makes the server acknowledge each commit only after a standby has received it.
    ///
    /// # Panics
    /// If no standby connects within half a minute.
    pub fn wait_for_every_standby(&self) {
        let address = self.address("postgres");
        let _ = self.query(&address, "ALTER SYSTEM SET synchronous_standby_names = '*'");
        let _ = self.query(&address, "SELECT pg_reload_conf()");
        let until = Instant::now() + Duration::from_secs(30);
        let is_there = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
        while self.query(&address, is_there) != "1" {
            assert!(Instant::now() < until, "the standby does not come");
        }
    }

    /// Promotes this standby to the primary server.
    ///
    /// # Panics
    /// If the standby cannot be promoted.
    pub fn promote(&self) {
        self.done(self.command("pg_ctl").args(["promote", "--wait", "-D"]).arg(self.data()));
    }

    /// Creates a new database and returns its address, `postgres://...`.
    ///
    /// # Panics
    /// If the database cannot be created.
    #[must_use]
    pub fn database(&self) -> String {
        let name = format!("news{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let port = self.port.to_string();
        self.done(self.command("createdb").args(["-h", "127.0.0.1", "-U", "gleaner", "-p", &port, &name]));
        self.address(&name)
    }

    /// Returns the address of the database with this name.
    #[must_use]
    pub fn address(&self, database: &str) -> String {
        format!("postgres://gleaner@127.0.0.1:{}/{database}", self.port)
    }

    /// Returns the port that the server listens on.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Runs a statement and returns its result: one row per line, with columns separated by `|`.
    ///
    /// # Panics
    /// If the statement fails.
    #[must_use]
    pub fn query(&self, address: &str, sql: &str) -> String {
        let output = self.done(self.command("psql").args([
            "-X",
            "-q",
            "-A",
            "-t",
            "-v",
            "ON_ERROR_STOP=1",
            "-d",
            address,
            "-c",
            sql,
        ]));
        output.trim_end().to_owned()
    }

    /// Kills all processes of the server, like `kill -9` or a power failure.
    ///
    /// # Panics
    /// If the server is not running.
    pub fn kill(&self) {
        let pid = std::fs::read_to_string(self.data().join("postmaster.pid")).expect("it runs");
        let first = pid.lines().next().expect("its process").to_owned();
        let killed = Command::new("kill").args(["-9", &first]).status();
        assert!(killed.is_ok_and(|status| status.success()), "it was running");
        let until = Instant::now() + Duration::from_secs(30);
        // The child processes exit shortly after the first process.
        while Path::new(&format!("/proc/{first}")).exists() && Instant::now() < until {
            std::thread::yield_now();
        }
    }

    /// Starts the server again in its folder, for example after [`Self::kill`].
    ///
    /// # Panics
    /// If the server does not start.
    pub fn resume(&self) {
        let log = self.folder.path().join("log");
        self.done(
            self.command("pg_ctl")
                .args(["start", "--wait", "--silent", "-D"])
                .arg(self.data())
                .arg("-l")
                .arg(log),
        );
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn own(&self, path: &Path) {
        if is_root(path) {
            chown(path, Some(NOBODY), Some(NOBODY)).expect("root may give a folder away");
        }
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700)).expect("the folder is ours");
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.data().join(name), text).expect("a file in the server's folder");
    }

    fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(self.programs.join(program.as_ref()));
        command.current_dir("/").stdin(Stdio::null()).env("PGCONNECT_TIMEOUT", "10").env("LC_ALL", "C");
        if is_root(self.folder.path().parent().unwrap_or(Path::new("/"))) && is_nobodys(self.folder.path()) {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }

    /// Runs a program to its end and returns its output. The output goes to a file. A pipe would stay open if
    /// the program starts a server.
    fn done(&self, command: &mut Command) -> String {
        let output = tempfile::tempfile().and_then(|file| Ok((file.try_clone()?, file.try_clone()?, file)));
        let (out, err, mut file) = output.expect("a file for its output");
        let status = command.stdout(out).stderr(err).status();
        let mut text = String::new();
        io::Seek::rewind(&mut file)
            .and_then(|()| io::Read::read_to_string(&mut file, &mut text))
            .expect("its output");
        assert!(
            status.as_ref().is_ok_and(std::process::ExitStatus::success),
            "{command:?}: {status:?}\n{text}"
        );
        text
    }
}

fn is_root(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|about| about.uid() == 0)
}

fn is_nobodys(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|about| about.uid() == NOBODY)
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
    listener.local_addr().expect("its address").port()
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // The server may already be stopped.
        let _ = self
            .command("pg_ctl")
            .args(["stop", "--silent", "--mode=immediate", "-D"])
            .arg(self.data())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
    }
}
