//! A network namespace for one test: a private loopback, the metadata address of clouds, and a name server whose
//! answers change between two queries. Programs that the test starts there use the system's resolver as usual. Only
//! root may make one.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::{Ipv4Addr, UdpSocket};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use rustix::mount::{MountPropagationFlags, mount_bind, mount_change};
use rustix::thread::{UnshareFlags, unshare_unsafe};

const NAME_SERVER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 53);
/// The address where clouds serve machine credentials.
pub const METADATA: Ipv4Addr = Ipv4Addr::new(169, 254, 169, 254);

/// Runs a test there, on a thread that ends with it. Without the rights for it, it prints a message and skips the test.
///
/// # Panics
/// When the test panics.
pub fn in_a_network_of_its_own(test: impl AsyncFnOnce(Names) + Send + 'static) {
    let thread = std::thread::spawn(move || {
        let folder = tempfile::tempdir().expect("a folder");
        let names = match enter(folder.path()) {
            Ok(names) => names,
            Err(error) => {
                eprintln!("not tested here: no network can be made ({error}); run as root");
                return;
            }
        };
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime")
            .block_on(test(names));
    });
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// Moves this thread, and everything that it starts later, into the namespace.
fn enter(folder: &Path) -> io::Result<Names> {
    #[expect(unsafe_code, reason = "namespaces are entered by no safe call")]
    // SAFETY: neither flag parts this thread's memory or descriptors from the others'.
    unsafe {
        unshare_unsafe(UnshareFlags::NEWNET | UnshareFlags::NEWNS)?;
    }
    // Mounts made here are invisible elsewhere.
    mount_change(
        "/",
        MountPropagationFlags::PRIVATE | MountPropagationFlags::REC,
    )?;
    for arguments in ["link set lo up", "address add 169.254.169.254/32 dev lo"] {
        let ran = Command::new("ip").args(arguments.split(' ')).status()?;
        if !ran.success() {
            return Err(io::Error::other(format!("`ip {arguments}`: {ran}")));
        }
    }
    let resolver = format!("nameserver {NAME_SERVER}\noptions timeout:2 attempts:2\n");
    for (name, text) in [
        ("resolv.conf", resolver.as_str()),
        ("nsswitch.conf", "hosts: files dns\n"),
    ] {
        let own = folder.join(name);
        std::fs::write(&own, text)?;
        mount_bind(&own, Path::new("/etc").join(name))?;
    }
    Names::serve(UdpSocket::bind((NAME_SERVER, 53))?)
}

/// The name server. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Names {
    zone: Arc<Mutex<Zone>>,
}

#[derive(Debug, Default)]
struct Zone {
    /// The next answers; the last one repeats.
    answers: BTreeMap<String, VecDeque<Vec<Ipv4Addr>>>,
    /// Answers that were given, by name.
    given: BTreeMap<String, Vec<Vec<Ipv4Addr>>>,
}

impl Names {
    fn serve(socket: UdpSocket) -> io::Result<Self> {
        let names = Self::default();
        let zone = names.zone.clone();
        // A separate thread, because a query may block the test's thread. It ends with the process.
        std::thread::Builder::new().spawn(move || {
            let mut query = [0_u8; 512];
            while let Ok((length, from)) = socket.recv_from(&mut query) {
                let answer = zone
                    .lock()
                    .expect("nobody panics with it")
                    .answer(&query[..length]);
                if let Some(answer) = answer {
                    // A client that gets no answer queries again.
                    drop(socket.send_to(&answer, from));
                }
            }
        })?;
        Ok(names)
    }

    /// Sets the addresses of a name, one answer after the other.
    ///
    /// # Panics
    /// When another thread panicked.
    pub fn answers(&self, name: &str, answers: &[&[Ipv4Addr]]) {
        let mut zone = self.zone.lock().expect("nobody panics with it");
        let answers = answers.iter().map(|answer| answer.to_vec()).collect();
        zone.answers.insert(name.to_owned(), answers);
        zone.given.remove(name);
    }

    /// The answers given for a name so far.
    ///
    /// # Panics
    /// When another thread panicked.
    pub fn given(&self, name: &str) -> Vec<Vec<Ipv4Addr>> {
        let zone = self.zone.lock().expect("nobody panics with it");
        zone.given.get(name).cloned().unwrap_or_default()
    }
}

impl Zone {
    /// RFC 1035, as far as a query for one name's addresses needs it.
    fn answer(&mut self, query: &[u8]) -> Option<Vec<u8>> {
        const HEAD: usize = 12;
        const A: u16 = 1;
        let (mut at, mut labels) = (HEAD, Vec::new());
        loop {
            let length = usize::from(*query.get(at)?);
            let label = query.get(at + 1..at + 1 + length)?;
            at += 1 + length;
            if length == 0 {
                break;
            }
            labels.push(String::from_utf8_lossy(label).to_ascii_lowercase());
        }
        let kind = query.get(at..at + 4)?;
        let name = labels.join(".");
        let mut addresses = Vec::new();
        let known = self.answers.get_mut(&name);
        let code = if known.is_some() { 0 } else { 3 };
        if let Some(answers) = known
            && u16::from_be_bytes([kind[0], kind[1]]) == A
        {
            addresses = match answers.len() {
                0 | 1 => answers.front().cloned().unwrap_or_default(),
                _ => answers.pop_front().unwrap_or_default(),
            };
            self.given.entry(name).or_default().push(addresses.clone());
        }
        let mut answer = query[..2].to_vec();
        let count = u8::try_from(addresses.len()).ok()?;
        answer.extend([0x81, 0x80 | code, 0, 1, 0, count, 0, 0, 0, 0]);
        answer.extend_from_slice(&query[HEAD..at + 4]);
        for address in addresses {
            // The queried name, an IPv4 address, a time to live of zero.
            answer.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4]);
            answer.extend(address.octets());
        }
        Some(answer)
    }
}
