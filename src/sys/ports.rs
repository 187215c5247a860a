//! The TCP ports that processes listen on.
//!
//! The kernel does not notify anyone when a socket starts to listen, so it has to be polled. That is cheap
//! (0.1 ms), and processes are only examined if there is a port to look for.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with,
};

/// State of a listening socket in `/proc/net/tcp` (proc_net(5)).
const LISTEN: &str = "0A";

/// A listening socket.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Listening {
    /// Its TCP port, on IPv4 or IPv6.
    pub port: u16,
    /// Its inode, which identifies the socket.
    pub inode: u64,
}

/// Every listening socket of this network namespace.
pub fn listening() -> Vec<Listening> {
    let mut found = match asked(AddressFamily::INET) {
        // The request fails where there is no IPv6.
        Ok(four) => [four, asked(AddressFamily::INET6).unwrap_or_default()].concat(),
        Err(_) => listed(),
    };
    found.sort_unstable();
    found
}

/// Asks the kernel (sock_diag(7)) for the listening sockets of a family only. The lists in `/proc` take 80
/// times as long, because to reach their end the kernel walks through its table of all possible
/// connections.
fn asked(family: AddressFamily) -> io::Result<Vec<Listening>> {
    let flags = SocketFlags::CLOEXEC;
    let protocol = Some(netlink::SOCK_DIAG);
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, protocol)?;
    send(&socket, &request(family), SendFlags::empty())?;
    let mut found = Vec::new();
    let mut buffer = vec![0; 32 * 1024];
    loop {
        // The answer is already there: the kernel produces the next part when one is taken.
        let (length, _) = recv(&socket, &mut buffer[..], RecvFlags::DONTWAIT)?;
        if read_answers(&buffer[..length], &mut found)? {
            return Ok(found);
        }
    }
}

/// Message types of netlink(7), and the request type for sockets of linux/sock_diag.h.
const ERROR: u16 = 2;
const DONE: u16 = 3;
const BY_FAMILY: u16 = 20;

/// Length of a message header (`nlmsghdr`), in bytes.
const HEAD: usize = 16;

/// The request, `nlmsghdr` and `inet_diag_req_v2`: all TCP sockets in the state "listening".
fn request(family: AddressFamily) -> [u8; 72] {
    const REQUEST_DUMP: u16 = 0x301;
    const TCP: u8 = 6;
    const LISTENING: u32 = 1 << 10;
    let mut bytes = [0; 72];
    bytes[0..4].copy_from_slice(&72_u32.to_ne_bytes());
    bytes[4..6].copy_from_slice(&BY_FAMILY.to_ne_bytes());
    bytes[6..8].copy_from_slice(&REQUEST_DUMP.to_ne_bytes());
    bytes[HEAD] = family.as_raw() as u8;
    bytes[HEAD + 1] = TCP;
    bytes[HEAD + 4..HEAD + 8].copy_from_slice(&LISTENING.to_ne_bytes());
    bytes
}

/// Reads the `inet_diag_msg` entries of one part of the answer; true at its end.
fn read_answers(mut bytes: &[u8], found: &mut Vec<Listening>) -> io::Result<bool> {
    while let Some(head) = bytes.get(..HEAD) {
        let length = u32::from_ne_bytes([head[0], head[1], head[2], head[3]]) as usize;
        match u16::from_ne_bytes([head[4], head[5]]) {
            DONE => return Ok(true),
            ERROR => return Err(io::ErrorKind::Unsupported.into()),
            _ => {}
        }
        // The port follows after four bytes; the inode is the last field.
        if let Some(message) = bytes.get(HEAD..HEAD + 72) {
            let inode = [message[68], message[69], message[70], message[71]];
            found.push(Listening {
                port: u16::from_be_bytes([message[4], message[5]]),
                inode: u32::from_ne_bytes(inode).into(),
            });
        }
        let next = length.max(HEAD).next_multiple_of(4);
        bytes = bytes.get(next..).unwrap_or_default();
    }
    Ok(false)
}

/// Reads the listening sockets from `/proc`, where sock_diag is not available.
fn listed() -> Vec<Listening> {
    let files = ["/proc/net/tcp", "/proc/net/tcp6"].map(File::open);
    let files = files.into_iter().flatten();
    files.flat_map(|file| parse(BufReader::new(file))).collect()
}

/// Parses lines of `sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …`.
fn parse(list: impl BufRead) -> Vec<Listening> {
    let lines = list.lines().skip(1).map_while(Result::ok);
    let entries = lines.map_while(|line| {
        let mut fields = line.split_ascii_whitespace();
        let address = fields.nth(1)?;
        let listens = fields.nth(1)? == LISTEN;
        let port = u16::from_str_radix(address.rsplit(':').next()?, 16).ok()?;
        let inode = fields.nth(5)?.parse().ok()?;
        // Stop at the first connection: very many may follow.
        listens.then_some(Listening { port, inode })
    });
    entries.collect()
}

/// The ports among `sockets` that one of these processes has open.
pub fn held(pids: impl IntoIterator<Item = u32>, sockets: &[Listening]) -> BTreeSet<u16> {
    let holders = holders(pids, sockets).into_values();
    holders.flatten().collect()
}

/// Which of these processes have which of the ports of `sockets` open.
pub fn holders(
    pids: impl IntoIterator<Item = u32>,
    sockets: &[Listening],
) -> HashMap<u32, BTreeSet<u16>> {
    let mut found: HashMap<u32, BTreeSet<u16>> = HashMap::new();
    for (pid, socket) in openers(pids, sockets) {
        found.entry(pid).or_default().insert(socket.port);
    }
    found
}

/// Which of these processes have which of `sockets` open. A socket that a process has inherited is that of several.
pub fn openers(
    pids: impl IntoIterator<Item = u32>,
    sockets: &[Listening],
) -> Vec<(u32, Listening)> {
    let by_inode: HashMap<u64, Listening> = sockets.iter().map(|s| (s.inode, *s)).collect();
    let mut found = Vec::new();
    if by_inode.is_empty() {
        return found;
    }
    for pid in pids {
        // Processes of other users cannot be read.
        let open = std::fs::read_dir(format!("/proc/{pid}/fd"));
        for entry in open.into_iter().flatten().flatten() {
            let target = std::fs::read_link(entry.path());
            let inode = target.ok().and_then(|target| inode(&target));
            if let Some(socket) = inode.and_then(|inode| by_inode.get(&inode)) {
                found.push((pid, *socket));
            }
        }
    }
    found
}

/// The inode in a link target such as `socket:[12345]`.
fn inode(target: &Path) -> Option<u64> {
    let text = target.to_str()?.strip_prefix("socket:[")?;
    text.strip_suffix(']')?.parse().ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use std::io::Write;

    use super::*;

    #[test]
    fn parsing_stops_at_the_first_connection() {
        let list = b"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
            \x20  0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4242 1 x\n\
            \x20  1: 0100007F:1F91 0100007F:1F92 01 00000000:00000000 00:00000000 00000000     0        0 4243 1 x\n\
            \x20  2: 0100007F:1F93 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4244 1 x\n";
        let expected = Listening {
            port: 8080,
            inode: 4242,
        };
        assert_eq!(parse(&list[..]), [expected]);
        assert_eq!(parse(&b"heading\nnonsense\n"[..]), []);
    }

    #[test]
    fn a_port_is_found_with_the_process_that_listens_and_no_other() {
        let four = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = four.local_addr().unwrap().port();
        let _connected = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let sockets: Vec<_> = listening().into_iter().filter(|s| s.port == port).collect();
        assert_eq!(sockets.len(), 1, "a connection does not listen");
        let own = held([std::process::id()], &sockets);
        assert_eq!(own, BTreeSet::from([port]));
        assert!(held([1_u32 << 30], &sockets).is_empty());
        let listed: Vec<_> = listed().into_iter().filter(|s| s.port == port).collect();
        assert_eq!(listed, sockets, "both ways give the same result");
        drop(four);
        // By its number: anybody may be given the port by now.
        assert!(!listening().contains(&sockets[0]));
    }

    #[test]
    fn ports_of_ipv6_count() {
        let Ok(six) = TcpListener::bind("[::1]:0") else {
            // Past the test runner, which shows the output of failed tests only.
            let _ = writeln!(std::io::stderr(), "SKIPPED: there is no IPv6 here");
            return;
        };
        let port = six.local_addr().unwrap().port();
        assert!(listening().iter().any(|s| s.port == port));
    }
}
