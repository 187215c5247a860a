//! Starts the command of a link, and waits until the relay on the other host answers.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Host;
use super::fault::{self, Cause};
use super::frames::Start;
use super::host::{SshConfiguration, SshOptions};
use super::mux::{Mux, Side};
use super::script::{self, Said};
use crate::protocol::Error;

/// Longest time until the host's shell has found bgproc. ssh's own ConnectTimeout does not hold for a shared
/// connection whose other end is gone.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a command whose output has ended may take to end itself and to say why.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Maximum number of bytes of what ssh says about a host.
const ANSWER: usize = 1 << 20;

/// Maximum number of bytes of what a command says on stderr that are kept.
const KEPT: usize = 4096;

/// The relay's verb.
const RELAY: &str = "relay";

/// A link to a host. Channels on it live as long as it does; its command ends when it is dropped.
#[derive(Debug)]
pub struct Link {
    arrivals: Sender<(UnixStream, Start)>,
    wakes: UnixStream,
    ended: Arc<Mutex<Option<Error>>>,
    /// The command's standard input and output, to end it.
    stream: UnixStream,
}

impl Drop for Link {
    fn drop(&mut self) {
        // A command that takes nothing any more would keep its last bytes waiting for ever.
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
    }
}

impl Link {
    /// Starts the command of a host and waits until bgproc runs there, at most 10 s, or 20 s if a shared ssh
    /// connection turns out to be dead.
    ///
    /// # Errors
    ///
    /// `host_unreachable`, `auth_required`, `host_key_unknown` or `host_not_installed`, with the words of the command.
    pub fn open(host: &Host) -> Result<Self, Error> {
        let script = script::run(host, &[RELAY.to_owned()]);
        let (command, said) = begin(host, &script)?;
        let (arrivals, receiver) = channel();
        let broken = |error: std::io::Error| fault::unreachable(host, &error.to_string());
        let (wakes, woken) = UnixStream::pair().map_err(broken)?;
        wakes.set_nonblocking(true).map_err(broken)?;
        let Running {
            child,
            stream,
            stderr,
        } = command;
        let ends = stream.try_clone().map_err(broken)?;
        let from: OwnedFd = stream.try_clone().map_err(broken)?.into();
        let side = Side::Opens(receiver, woken);
        let Begun { program, rest } = said;
        let mut mux = Mux::new(from, stream.into(), rest, side).map_err(broken)?;
        let ended = Arc::new(Mutex::new(None));
        let (tells, host) = (Arc::clone(&ended), host.clone());
        let thread = std::thread::Builder::new().name(format!("link-{}", host.name));
        let run = move || {
            let ran = mux.run();
            let words = stderr.last_words(child);
            let fault = match ran {
                Err(error) if words.is_empty() => fault::unreachable(&host, &error.to_string()),
                _ => fault::of_program(&host, &program, &words),
            };
            *tells.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault);
            // Its sockets are closed only now that the reason is known.
            drop(mux);
        };
        thread.spawn(run).map_err(|error| {
            Error::internal(format!("no thread for the link could be started: {error}"))
        })?;
        Ok(Self {
            arrivals,
            wakes,
            ended,
            stream: ends,
        })
    }

    /// A new connection to the daemon of the host. A relay that cannot reach its daemon answers with an error.
    pub fn channel(&self, start: Start) -> Result<UnixStream, Error> {
        let (ours, theirs) = UnixStream::pair()
            .map_err(|error| Error::internal(format!("no socket could be made: {error}")))?;
        // Fails if the link has ended; then `theirs` is closed, which its user finds out.
        let _ = self.arrivals.send((theirs, start));
        // A full pipe has woken it already.
        let _ = (&self.wakes).write(&[0]);
        Ok(ours)
    }

    /// Why the link has ended; `None` if it has not.
    pub fn fault(&self) -> Option<Error> {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended.clone()
    }
}

/// The file that is run as bgproc on a host.
///
/// # Errors
///
/// Those of [`Link::open`].
pub fn program_there(host: &Host) -> Result<String, Error> {
    let (mut running, said) = begin(host, &script::run(host, &["--version".to_owned()]))?;
    running.give_up();
    Ok(said.program)
}

/// Why a command on a host was given up.
#[derive(Debug)]
pub enum Broken {
    /// The host was not reached, or the link has ended.
    Link(Error),
    /// Its output cannot be written here, of which the host knows nothing.
    Output(io::Error),
}

impl From<Error> for Broken {
    fn from(error: Error) -> Self {
        Self::Link(error)
    }
}

/// Runs `bgproc ARGS` on a host, without input, and passes on its output to `out`. Returns its exit code, `None` if a
/// signal ended the command, and what it has said on standard error. Neither is fit for a terminal as it is.
pub fn run_there(
    host: &Host,
    args: &[String],
    out: &mut impl Write,
) -> Result<(Option<i32>, String), Broken> {
    let (command, said) = begin(host, &script::run(host, args))?;
    let Running {
        mut child,
        mut stream,
        stderr,
    } = command;
    let lost = |error: io::Error| fault::unreachable(host, &error.to_string());
    // The program gets the end of its input at once.
    stream.shutdown(std::net::Shutdown::Write).map_err(lost)?;
    let passed = pass(&said.rest, &mut stream, out);
    if let Err(Stopped::Writing(error)) = passed {
        // Fails if the command has ended already.
        let _ = child.kill();
        let _ = child.wait();
        return Err(Broken::Output(error));
    }
    if let Err(Stopped::Reading(error)) = passed {
        return Err(lost(error).into());
    }
    let status = child.wait().map_err(lost)?;
    let said = stderr.words(LAST_WORDS);
    match status.code() {
        // ssh's own failure.
        Some(255) => Err(fault::of(host, &said).into()),
        code => Ok((code, said)),
    }
}

/// Which side of a copy has failed.
enum Stopped {
    Reading(io::Error),
    Writing(io::Error),
}

/// Writes these first bytes and then what comes, up to the end.
fn pass(first: &[u8], from: &mut impl Read, out: &mut impl Write) -> Result<(), Stopped> {
    out.write_all(first).map_err(Stopped::Writing)?;
    let mut piece = [0; 16 * 1024];
    loop {
        match from.read(&mut piece) {
            Ok(0) => return out.flush().map_err(Stopped::Writing),
            Ok(bytes) => out.write_all(&piece[..bytes]).map_err(Stopped::Writing)?,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(Stopped::Reading(error)),
        }
    }
}

/// A command that runs.
pub(super) struct Running {
    child: Child,
    /// Its standard input and output.
    pub(super) stream: UnixStream,
    stderr: Stderr,
}

/// What a host has said at the marker.
pub(super) struct Begun {
    /// The file that runs, or what else the script says.
    pub(super) program: String,
    /// Bytes that were read behind the marker.
    pub(super) rest: Vec<u8>,
}

/// Runs a script on a host, up to its marker.
pub(super) fn begin(host: &Host, script: &str) -> Result<(Running, Begun), Error> {
    let ssh = configuration(host);
    let keepalive = ssh.as_ref().is_some_and(|ssh| ssh.alive_interval == 0);
    let is_named = ssh.is_some_and(|ssh| ssh.control_path.is_some());
    // What `hosts login` has opened.
    let own = host
        .control
        .to_str()
        .filter(|_| !is_named && host.control.exists());
    let with = |control| SshOptions { keepalive, control };
    // What ssh runs for `Match exec` takes its time twice, now and before.
    let deadline = || Instant::now() + PATIENCE;
    match attempt(host, with(own), script, deadline()) {
        Err(Refused::Silent) if is_named || own.is_some() => {
            attempt(host, with(Some("none")), script, deadline())
        }
        outcome => outcome,
    }
    .map_err(|refused| match refused {
        Refused::Silent => {
            let seconds = PATIENCE.as_secs();
            fault::unreachable(host, &format!("no answer within {seconds} s"))
        }
        Refused::Because(error) => *error,
    })
}

/// What ssh_config says about a host; `None` if it is not reached by ssh, or ssh does not say within 10 s: it runs
/// commands of `Match exec` to answer, which may take for ever.
pub fn configuration(host: &Host) -> Option<SshConfiguration> {
    let deadline = Instant::now() + PATIENCE;
    let words = host.configuration()?;
    let (program, args) = words.split_first()?;
    let (mut ours, theirs) = UnixStream::pair().ok()?;
    let mut command = Command::new(program);
    let command = command
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::from(OwnedFd::from(theirs)))
        .stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    // Otherwise this process would hold the end of the output that is to be closed.
    command.stdout(Stdio::null());
    let said = read_by(&mut ours, deadline);
    if said.is_none() {
        // Fails if it has ended already.
        let _ = child.kill();
    }
    let is_well = child.wait().is_ok_and(|status| status.success());
    let said = said.filter(|_| is_well)?;
    Some(SshConfiguration::of(&String::from_utf8_lossy(&said)))
}

/// All that comes up to the end; `None` if that does not come in time, or is more than an answer of ssh.
fn read_by(stream: &mut UnixStream, deadline: Instant) -> Option<Vec<u8>> {
    let (mut said, mut piece) = (Vec::new(), [0; 4096]);
    while said.len() <= ANSWER {
        let left = deadline.saturating_duration_since(Instant::now());
        stream.set_read_timeout(Some(left)).ok()?;
        match stream.read(&mut piece) {
            Ok(0) => return Some(said),
            Ok(bytes) => said.extend(&piece[..bytes]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    None
}

/// Why a command was given up.
enum Refused {
    /// It said nothing in time.
    Silent,
    Because(Box<Error>),
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Because(Box::new(error))
    }
}

fn attempt(
    host: &Host,
    options: SshOptions<'_>,
    script: &str,
    deadline: Instant,
) -> Result<(Running, Begun), Refused> {
    let words = host.shell(options);
    let mut running = start(host, &words)?;
    // Fails if the command has ended already, which reading tells with the reason.
    let _ = running.stream.write_all(script.as_bytes());
    match await_marker(&mut running.stream, deadline) {
        Heard::Marker(Said::Runs(program), rest) => {
            // Nothing else waits with a time limit.
            let _ = running.stream.set_read_timeout(None);
            Ok((running, Begun { program, rest }))
        }
        Heard::Marker(Said::None { system, libc }, _) => {
            running.give_up();
            Err(fault::not_installed(host, &system, &libc).into())
        }
        Heard::Nothing => {
            running.give_up();
            Err(Refused::Silent)
        }
        Heard::Noise => {
            running.give_up();
            let why = format!(
                "its shell prints more than {} KiB before it runs a command",
                script::NOISE / 1024
            );
            Err(fault::unreachable_by(host, Cause::NoisyShell, &why).into())
        }
        Heard::End => Err(fault::of(host, &running.last_words()).into()),
    }
}

fn start(host: &Host, words: &[String]) -> Result<Running, Error> {
    let fail = |error: &dyn std::fmt::Display| {
        let shown = words.first().map_or("", String::as_str);
        let why = format!("{shown} does not start: {error}");
        fault::unreachable_by(host, Cause::CommandMissing, &why)
    };
    let (program, args) = words.split_first().ok_or_else(|| fail(&"no command"))?;
    let (ours, theirs) = UnixStream::pair().map_err(|error| fail(&error))?;
    let stdin: OwnedFd = theirs.try_clone().map_err(|error| fail(&error))?.into();
    let stdout: OwnedFd = theirs.into();
    let mut command = Command::new(program);
    let mut child = command
        .envs(&host.env)
        .args(args)
        .stdin(Stdio::from(stdin))
        .stdout(Stdio::from(stdout))
        .stderr(Stdio::piped())
        // ^C in the terminal is for the program that uses the link.
        .process_group(0)
        .spawn()
        .map_err(|error| fail(&error))?;
    let stderr = Stderr::read(child.stderr.take());
    Ok(Running {
        child,
        stream: ours,
        stderr,
    })
}

impl Running {
    /// Ends a command whose output has ended, and returns what it has said on stderr.
    pub(super) fn last_words(self) -> String {
        self.stderr.last_words(self.child)
    }

    pub(super) fn give_up(&mut self) {
        // Fails if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What came before the time was over.
enum Heard {
    /// The marker, and the bytes after it.
    Marker(Said, Vec<u8>),
    /// The end of the output.
    End,
    /// Too much else.
    Noise,
    /// Nothing that helps.
    Nothing,
}

fn await_marker(stream: &mut UnixStream, deadline: Instant) -> Heard {
    let mut said = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
            return Heard::Nothing;
        }
        match stream.read(&mut piece) {
            Ok(0) => return Heard::End,
            Ok(bytes) => said.extend(&piece[..bytes]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Heard::Nothing,
            Err(_) => return Heard::End,
        }
        if let Some((found, at)) = script::marker(&said) {
            return Heard::Marker(found, said.split_off(at));
        }
        if said.len() > script::NOISE {
            return Heard::Noise;
        }
    }
}

/// What a command says on stderr, read by a thread of its own so that it never waits.
#[derive(Debug)]
struct Stderr {
    text: Arc<Mutex<Vec<u8>>>,
    /// Disconnected once all was read.
    end: Receiver<()>,
}

impl Stderr {
    fn read(from: Option<ChildStderr>) -> Self {
        let text = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&text);
        let (reads, end) = channel::<()>();
        let read = move || {
            let _reads = reads;
            let Some(mut from) = from else { return };
            let mut piece = [0; 1024];
            while let Ok(bytes @ 1..) = from.read(&mut piece) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend(&piece[..bytes]);
                let excess = kept.len().saturating_sub(KEPT);
                kept.drain(..excess);
            }
        };
        // Without a thread there are no words.
        let _ = std::thread::Builder::new().spawn(read);
        Self { text, end }
    }

    /// What a command has said that has ended, or whose output has ended.
    fn words(&self, within: Duration) -> String {
        // A shared connection may hold stderr open, so its end is not waited for without end.
        let _ = self.end.recv_timeout(within);
        let text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Ends a command whose output has ended, and returns what it has said.
    fn last_words(self, mut child: Child) -> String {
        let words = self.words(LAST_WORDS);
        let _ = child.kill();
        let _ = child.wait();
        words
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::super::host::Reach;
    use super::*;

    #[test]
    fn an_answer_counts_only_if_it_ends_in_time() {
        let within = |ms| Instant::now() + Duration::from_millis(ms);
        let (mut ours, mut theirs) = UnixStream::pair().unwrap();
        theirs.write_all(b"user me\n").unwrap();
        assert_eq!(read_by(&mut ours, within(20)), None);
        theirs.write_all(b"port 22\n").unwrap();
        drop(theirs);
        assert_eq!(read_by(&mut ours, within(10_000)).unwrap(), b"port 22\n");
    }

    #[test]
    fn an_output_that_is_closed_here_is_no_fault_of_the_host() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let host = Host {
            name: "pod".to_owned(),
            reach: Reach::Command(vec!["sh".to_owned()]),
            bgproc: Some("/bin/yes".to_owned()),
            home: None,
            written: Some("config.toml".into()),
            control: std::path::PathBuf::new(),
            env: std::collections::BTreeMap::new(),
        };
        // One that never ends by itself.
        let Err(Broken::Output(error)) = run_there(&host, &[], &mut Closed) else {
            panic!("nothing can be written");
        };
        assert_eq!(error.kind(), ErrorKind::BrokenPipe);
    }

    #[test]
    fn the_words_of_a_command_are_known_when_all_of_them_are() {
        let mut command = Command::new("sh");
        command.args(["-c", "exec >&-; sleep 0.2; echo late >&2"]);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let stderr = Stderr::read(child.stderr.take());
        assert_eq!(stderr.words(Duration::from_secs(20)), "late\n");
        assert!(child.wait().unwrap().success());
    }
}
