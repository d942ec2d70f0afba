//! Provides a connection that a test can cut. While it is cut, bytes do not arrive, but neither side gets an
//! error.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

/// A TCP proxy from its own port to another port on this machine. While it is cut, it forwards no bytes.
pub struct Way {
    address: SocketAddr,
    gate: Arc<Gate>,
}

#[derive(Default)]
struct Gate {
    is_cut: Mutex<bool>,
    changed: Condvar,
    /// The delay of bytes in each direction, in milliseconds.
    latency: AtomicU64,
}

impl Gate {
    /// Waits while the connection is cut.
    fn pass(&self) {
        let cut = self.is_cut.lock().unwrap();
        drop(self.changed.wait_while(cut, |cut| *cut).unwrap());
    }
}

impl Way {
    pub fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let gate = Arc::new(Gate::default());
        let passing = Arc::clone(&gate);
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                let gate = Arc::clone(&passing);
                thread::spawn(move || {
                    gate.pass();
                    let Ok(far) = TcpStream::connect(("127.0.0.1", port)) else { return };
                    let (near_back, far_back) = (near.try_clone().unwrap(), far.try_clone().unwrap());
                    let gate_back = Arc::clone(&gate);
                    thread::spawn(move || carry(far_back, near_back, &gate_back));
                    carry(near, far, &gate);
                });
            }
        });
        Self { address, gate }
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    pub fn set_latency(&self, latency: Duration) {
        self.gate.latency.store(latency.as_millis() as u64, Ordering::Relaxed);
    }

    pub fn set_cut(&self, is_cut: bool) {
        *self.gate.is_cut.lock().unwrap() = is_cut;
        self.gate.changed.notify_all();
    }
}

fn carry(mut from: TcpStream, mut to: TcpStream, gate: &Gate) {
    let mut bytes = [0; 16 << 10];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        thread::sleep(Duration::from_millis(gate.latency.load(Ordering::Relaxed)));
        gate.pass();
        if to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}
