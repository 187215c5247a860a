#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader};
use std::net::Shutdown;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::*;

/// A link with a relay whose daemon is `serve`: it runs once for each channel, with its first line.
struct Fixture {
    arrivals: Sender<(UnixStream, Start)>,
    wakes: UnixStream,
    relay: JoinHandle<io::Result<()>>,
    opener: JoinHandle<io::Result<()>>,
}

impl Fixture {
    fn new(serve: impl Fn(String, BufReader<UnixStream>) + Clone + Send + 'static) -> Self {
        let (near, far) = UnixStream::pair().unwrap();
        let relay = std::thread::spawn(move || {
            let accept = move |_: Start, first: &[u8]| {
                let first = String::from_utf8(first.to_vec()).unwrap();
                if first.starts_with("refuse") {
                    return Err(b"refused\n".to_vec());
                }
                let (ours, mut theirs) = UnixStream::pair().unwrap();
                if first.starts_with("leave") {
                    theirs.write_all(b"no room\n").unwrap();
                    return Ok(ours);
                }
                let serve = serve.clone();
                std::thread::spawn(move || serve(first, BufReader::new(theirs)));
                Ok(ours)
            };
            let (from, to) = (far.try_clone().unwrap().into(), far.into());
            Mux::new(from, to, Vec::new(), Side::Accepts(Box::new(accept)))?.run()
        });
        let (arrivals, receiver) = channel();
        let (wakes, woken) = UnixStream::pair().unwrap();
        let opener = std::thread::spawn(move || {
            let (from, to) = (near.try_clone().unwrap().into(), near.into());
            Mux::new(from, to, Vec::new(), Side::Opens(receiver, woken))?.run()
        });
        Self {
            arrivals,
            wakes,
            relay,
            opener,
        }
    }

    fn open(&mut self) -> UnixStream {
        let (ours, theirs) = UnixStream::pair().unwrap();
        self.arrivals.send((theirs, Start::Yes)).unwrap();
        self.wakes.write_all(b"x").unwrap();
        ours.set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        ours
    }
}

/// Numbered lines, `bytes` bytes of them.
fn numbered(bytes: usize) -> Vec<u8> {
    let mut all = Vec::new();
    for number in 0.. {
        if all.len() >= bytes {
            break;
        }
        writeln!(all, "line {number}").unwrap();
    }
    all
}

#[test]
fn what_one_side_writes_the_other_reads_and_ends_are_passed_on() {
    let mut link = Fixture::new(|first, mut rest| {
        let mut all = Vec::new();
        rest.read_to_end(&mut all).unwrap();
        let mut socket = rest.into_inner();
        socket.write_all(first.as_bytes()).unwrap();
        socket.write_all(&all).unwrap();
    });
    let text = numbered(3 << 20);
    let echoes: Vec<_> = (0..5)
        .map(|_| {
            let mut socket = link.open();
            let text = text.clone();
            std::thread::spawn(move || {
                socket.write_all(b"hello\n").unwrap();
                socket.write_all(&text).unwrap();
                socket.shutdown(Shutdown::Write).unwrap();
                let mut back = Vec::new();
                socket.read_to_end(&mut back).unwrap();
                assert!(back.strip_prefix(b"hello\n").unwrap() == text);
            })
        })
        .collect();
    for echo in echoes {
        echo.join().unwrap();
    }
}

#[test]
fn a_channel_that_nobody_reads_holds_up_no_other_one_and_fills_no_memory() {
    let (told, tells) = channel();
    let mut link = Fixture::new(move |first, mut rest| match first.as_str() {
        "flood\n" => {
            let text = numbered(1 << 20);
            let mut sent = 0;
            rest.get_ref()
                .set_write_timeout(Some(Duration::from_millis(500)))
                .unwrap();
            while rest.get_mut().write_all(&text).is_ok() {
                sent += text.len();
            }
            told.send(sent).unwrap();
        }
        _ => {
            let mut line = String::new();
            while rest.read_line(&mut line).unwrap() > 0 {
                rest.get_mut().write_all(line.as_bytes()).unwrap();
                line.clear();
            }
        }
    });
    let mut flood = link.open();
    flood.write_all(b"flood\n").unwrap();
    // Two windows and the buffers of sockets are less than 4 MB.
    assert!(tells.recv_timeout(Duration::from_secs(20)).unwrap() <= 4 << 20);
    let mut socket = link.open();
    socket.write_all(b"echo\n").unwrap();
    let mut reader = BufReader::new(socket.try_clone().unwrap());
    let began = Instant::now();
    for number in 0..200 {
        writeln!(socket, "{number}").unwrap();
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        assert_eq!(line, format!("{number}\n"));
    }
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_refusal_is_an_answer_and_a_client_that_goes_is_noticed() {
    let (told, tells) = channel();
    let mut link = Fixture::new(move |_, mut rest| {
        rest.get_mut().write_all(b"hello\n").unwrap();
        let mut all = Vec::new();
        rest.read_to_end(&mut all).unwrap();
        // Nobody takes more either.
        let socket = rest.get_mut();
        while socket.write_all(b"more\n").is_ok() {}
        told.send(all).unwrap();
    });
    let mut refused = link.open();
    refused.write_all(b"refuse\n").unwrap();
    let mut said = String::new();
    refused.read_to_string(&mut said).unwrap();
    assert_eq!(said, "refused\n");
    let mut socket = link.open();
    socket.write_all(b"first\nand more").unwrap();
    let mut reader = BufReader::new(socket.try_clone().unwrap());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    assert_eq!(line, "hello\n");
    drop((socket, reader));
    let all = tells.recv_timeout(Duration::from_secs(20)).unwrap();
    assert_eq!(all, b"and more");
}

#[test]
fn what_a_daemon_has_said_arrives_although_it_has_closed_before_it_read_all() {
    let mut link = Fixture::new(|_, _| {});
    let mut socket = link.open();
    socket.write_all(b"leave\nand a request\n").unwrap();
    let mut said = String::new();
    socket.read_to_string(&mut said).unwrap();
    assert_eq!(said, "no room\n");
}

#[test]
fn a_link_ends_by_what_is_no_frame_or_with_its_last_channel() {
    let mut link = Fixture::new(|_, mut rest| {
        rest.get_mut().write_all(b"hello\n").unwrap();
        let mut all = Vec::new();
        let _ = rest.read_to_end(&mut all);
    });
    let mut socket = link.open();
    socket.write_all(b"first\n").unwrap();
    let mut hello = [0; 6];
    socket.read_exact(&mut hello).unwrap();
    let (near, far) = UnixStream::pair().unwrap();
    let (from, to) = (far.try_clone().unwrap().into(), far.into());
    let (_arrivals, receiver) = channel();
    let (_wakes, woken) = UnixStream::pair().unwrap();
    let broken = Mux::new(
        from,
        to,
        b"Welcome to gpu1!".to_vec(),
        Side::Opens(receiver, woken),
    );
    let error = broken.unwrap().run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    drop(near);
    let Fixture {
        arrivals,
        wakes,
        relay,
        opener,
    } = link;
    // Open channels go on; the last one ends the link when nobody opens more.
    drop((arrivals, wakes));
    assert!(!relay.is_finished() && !opener.is_finished());
    drop(socket);
    opener.join().unwrap().unwrap();
    relay.join().unwrap().unwrap();
}
