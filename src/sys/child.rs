//! A process between its beginning and its program.
//!
//! It begins in the memory of this one, on a stack of its own, while the thread that
//! starts it is held (`CLONE_VM` and `CLONE_VFORK`, as `posix_spawn(3)` has it). `fork`
//! would copy the tables of this memory, and both would then pay a fault for every page
//! that one of them writes. posix_spawn itself sets no limits, no group and no umask,
//! and gives no pidfd.
#![allow(unsafe_code, reason = "a process in the memory of another")]

use std::ffi::{CString, c_char, c_int, c_void};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{FromRawFd, OwnedFd};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::process::{Pid, WaitOptions, waitpid};

/// Bytes of stack before the program runs: twice what glibc takes for posix_spawn.
const STACK: usize = 64 * 1024;

/// The last of the signals that have handlers here: none of the real-time ones has.
const LAST_SIGNAL: c_int = 31;

/// A program with its arguments and its environment, as `execve(2)` wants them.
#[derive(Debug)]
pub(super) struct Program {
    path: CString,
    argv: Strings,
    env: Strings,
}

impl Program {
    /// Fails where there is a NUL in one of the texts.
    pub(super) fn new<'a>(
        path: &str,
        argv: &[String],
        env: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> io::Result<Self> {
        Ok(Self {
            path: CString::new(path)?,
            argv: Strings::new(argv.iter().map(String::as_str))?,
            env: Strings::new(env.map(|(name, value)| format!("{name}={value}")))?,
        })
    }
}

/// Texts, and where each of them is.
#[derive(Debug)]
struct Strings {
    pointers: Vec<*const c_char>,
    _texts: Vec<CString>,
}

impl Strings {
    fn new(texts: impl Iterator<Item = impl Into<Vec<u8>>>) -> io::Result<Self> {
        let texts: Vec<CString> = texts.map(CString::new).collect::<Result<_, _>>()?;
        let mut pointers: Vec<_> = texts.iter().map(|text| text.as_ptr()).collect();
        pointers.push(ptr::null());
        Ok(Self {
            pointers,
            _texts: texts,
        })
    }
}

/// What the child finds in our memory, and leaves there.
struct Plan<'a> {
    prepare: &'a dyn Fn() -> rustix::io::Result<()>,
    program: &'a Program,
    /// Why it does not run, as an error number; 0: it does.
    error: AtomicI32,
}

/// Starts `program` in a process that does `prepare` first, with no signal blocked,
/// and returns once it runs: its pid and a handle on it. An error of `prepare` or of
/// `exec` is reported exactly, and leaves no process behind.
///
/// # Safety
///
/// `prepare` runs in another process on our memory, while other threads of ours go on:
/// it may do nothing but system calls, and must not panic.
pub(super) unsafe fn start(
    program: &Program,
    prepare: &dyn Fn() -> rustix::io::Result<()>,
) -> io::Result<(u32, OwnedFd)> {
    let plan = Plan {
        prepare,
        program,
        error: AtomicI32::new(0),
    };
    // A script without `#!` is run by glibc with a list of arguments on the stack.
    let words = STACK / size_of::<u128>() + program.argv.pointers.len();
    let mut stack: Vec<MaybeUninit<u128>> = Vec::with_capacity(words);
    let stack_top = stack.spare_capacity_mut().as_mut_ptr_range().end;
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD | libc::SIGCHLD;
    let mut pidfd: c_int = -1;
    // A handler of ours would run in the child on what is ours.
    let before = block_signals();
    // SAFETY: the stack and the plan outlive the child's use of them, because this
    // thread goes on only when the child has left our memory; a stack grows down from
    // its end, which is aligned as an `u128` is; the kernel writes `pidfd` only.
    let pid = unsafe {
        let plan = (&raw const plan).cast_mut().cast::<c_void>();
        let (none, pidfd) = (ptr::null_mut::<c_void>(), &raw mut pidfd);
        libc::clone(run, stack_top.cast(), flags, plan, pidfd, none, none)
    };
    let refused = io::Error::last_os_error();
    set_signals(&before);
    // A number below zero is no pid, which `from_raw` insists on.
    let Some(pid) = Pid::from_raw(pid.max(0)) else {
        return Err(refused);
    };
    // SAFETY: the kernel has just opened it for us, as `clone` has succeeded.
    let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
    match plan.error.load(Ordering::Relaxed) {
        0 => Ok((pid.as_raw_nonzero().get().cast_unsigned(), pidfd)),
        error => {
            let _ = waitpid(Some(pid), WaitOptions::empty());
            Err(io::Error::from_raw_os_error(error))
        }
    }
}

/// The child. It ends with what this returns, if it does return.
extern "C" fn run(plan: *mut c_void) -> c_int {
    // SAFETY: `start` gives its plan, and waits.
    let plan = unsafe { &*plan.cast::<Plan<'_>>() };
    let error = match (plan.prepare)() {
        Ok(()) => exec(plan.program),
        Err(error) => error.raw_os_error(),
    };
    plan.error.store(error, Ordering::Relaxed);
    127
}

/// Becomes the program, or tells why not.
fn exec(program: &Program) -> i32 {
    let (argv, env) = (
        program.argv.pointers.as_ptr(),
        program.env.pointers.as_ptr(),
    );
    // SAFETY: a set is filled in before it is read; all texts end with NUL, and all
    // lists with a null pointer.
    unsafe {
        // Before signals come through: a handler of ours would run on what is ours.
        for signal in 1..=LAST_SIGNAL {
            let mut action = MaybeUninit::<libc::sigaction>::zeroed();
            libc::sigaction(signal, ptr::null(), action.as_mut_ptr());
            let handler = action.assume_init().sa_sigaction;
            if handler != libc::SIG_DFL && handler != libc::SIG_IGN {
                libc::signal(signal, libc::SIG_DFL);
            }
        }
        // Ours are set up by Rust (SIGPIPE) and by whoever has started us (the mask).
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        let mut none = MaybeUninit::uninit();
        libc::sigemptyset(none.as_mut_ptr());
        set_signals(&none.assume_init());
        // Not `execve`: what has no `#!` is for the shell, as in any shell.
        libc::execvpe(program.path.as_ptr(), argv, env);
    }
    io::Error::last_os_error()
        .raw_os_error()
        .unwrap_or(libc::EIO)
}

/// Blocks all signals of this thread, and returns those that were blocked.
fn block_signals() -> libc::sigset_t {
    let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: both sets are ours, and are filled in by the calls.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
        before.assume_init()
    }
}

/// Blocks these signals of this thread, and no other.
fn set_signals(set: &libc::sigset_t) {
    // SAFETY: a set that is only read.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, set, ptr::null_mut()) };
}
