//! Starting a process: what happens between its creation and `exec`.
//!
//! The child runs in the memory of this process, on its own stack, while the thread that starts it is
//! suspended (`CLONE_VM` and `CLONE_VFORK`, as in `posix_spawn(3)`). `fork` would copy the page tables, and
//! then both processes would take a fault for every page that one of them writes. posix_spawn itself sets
//! no limits, no group and no umask, and returns no pidfd.
#![allow(unsafe_code, reason = "a process in the memory of another")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{FromRawFd, OwnedFd};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::process::{Pid, WaitOptions, waitpid};

/// Bytes of stack for the child until `exec`: twice what glibc uses for posix_spawn.
const STACK: usize = 64 * 1024;

/// The last standard signal. No real-time signal has a handler in this process.
const LAST_SIGNAL: c_int = 31;

/// A program with its arguments and its environment, in the form that `execve(2)` takes.
#[derive(Debug)]
pub(super) struct Program {
    path: CString,
    argv: Strings,
    /// The shell with the path and the arguments, for a script without `#!`.
    as_script: Strings,
    env: Strings,
}

/// The shell that runs a script without `#!`, as every shell does.
const SHELL: &CStr = c"/bin/sh";

impl Program {
    /// Converts the texts; fails if one of them contains a NUL.
    pub(super) fn new<'a>(
        path: &str,
        argv: &[String],
        env: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> io::Result<Self> {
        Ok(Self {
            path: CString::new(path)?,
            argv: Strings::new(argv.iter().map(String::as_str))?,
            as_script: Strings::new(
                ["sh", path]
                    .into_iter()
                    .chain(argv.iter().skip(1).map(String::as_str)),
            )?,
            env: Strings::new(env.map(|(name, value)| format!("{name}={value}")))?,
        })
    }
}

/// C strings and a null-terminated list of pointers to them.
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

/// Data shared between parent and child, in the parent's memory.
struct Plan<'a> {
    prepare: &'a dyn Fn() -> rustix::io::Result<()>,
    program: &'a Program,
    /// The error number with which `prepare` or `exec` failed; 0 if the program runs.
    error: AtomicI32,
}

/// Starts `program` in a new process that runs `prepare` first and has no signal blocked. Returns its pid
/// and pidfd once the program runs. An error of `prepare` or of `exec` is reported exactly and leaves no
/// process behind.
///
/// # Safety
///
/// `prepare` runs in another process on our memory, while our other threads continue: it may only make
/// system calls, and must not panic.
pub(super) unsafe fn start(
    program: &Program,
    prepare: &dyn Fn() -> rustix::io::Result<()>,
) -> io::Result<(u32, OwnedFd)> {
    let plan = Plan {
        prepare,
        program,
        error: AtomicI32::new(0),
    };
    let words = STACK / size_of::<u128>();
    let mut stack: Vec<MaybeUninit<u128>> = Vec::with_capacity(words);
    let stack_top = stack.spare_capacity_mut().as_mut_ptr_range().end;
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD | libc::SIGCHLD;
    let mut pidfd: c_int = -1;
    // Block signals, or a handler of ours could run in the child, on our memory.
    let before = block_signals();
    // SAFETY: the stack and the plan outlive the child's use of them, because this thread continues only
    // after the child has left our memory; a stack grows down from its end, which is aligned as a `u128`
    // is; the kernel writes `pidfd` only.
    let pid = unsafe {
        let plan = (&raw const plan).cast_mut().cast::<c_void>();
        let (none, pidfd) = (ptr::null_mut::<c_void>(), &raw mut pidfd);
        libc::clone(run, stack_top.cast(), flags, plan, pidfd, none, none)
    };
    let refused = io::Error::last_os_error();
    set_signals(&before);
    // `from_raw` requires a pid that is not negative.
    let Some(pid) = Pid::from_raw(pid.max(0)) else {
        return Err(refused);
    };
    // SAFETY: `clone` has succeeded, so the kernel has just opened this descriptor for us.
    let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
    match plan.error.load(Ordering::Relaxed) {
        0 => Ok((pid.as_raw_nonzero().get().cast_unsigned(), pidfd)),
        error => {
            let _ = waitpid(Some(pid), WaitOptions::empty());
            Err(io::Error::from_raw_os_error(error))
        }
    }
}

/// Entry point of the child. It exits with the returned code if `exec` fails.
extern "C" fn run(plan: *mut c_void) -> c_int {
    // SAFETY: `start` passes its plan and waits.
    let plan = unsafe { &*plan.cast::<Plan<'_>>() };
    let error = match (plan.prepare)() {
        Ok(()) => exec(plan.program),
        Err(error) => error.raw_os_error(),
    };
    plan.error.store(error, Ordering::Relaxed);
    127
}

/// Executes the program; returns the error number if that fails.
fn exec(program: &Program) -> i32 {
    let (argv, env) = (
        program.argv.pointers.as_ptr(),
        program.env.pointers.as_ptr(),
    );
    // SAFETY: a set is filled in before it is read; all texts end with NUL, and all
    // lists with a null pointer.
    unsafe {
        // Reset handlers before unblocking signals, or a handler of ours could run on our memory.
        for signal in 1..=LAST_SIGNAL {
            let mut action = MaybeUninit::<libc::sigaction>::zeroed();
            libc::sigaction(signal, ptr::null(), action.as_mut_ptr());
            let handler = action.assume_init().sa_sigaction;
            if handler != libc::SIG_DFL && handler != libc::SIG_IGN {
                libc::signal(signal, libc::SIG_DFL);
            }
        }
        // Rust ignores SIGPIPE, and the mask comes from the process that started us: reset both.
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        let mut none = MaybeUninit::uninit();
        libc::sigemptyset(none.as_mut_ptr());
        set_signals(&none.assume_init());
        libc::execve(program.path.as_ptr(), argv, env);
        if io::Error::last_os_error().raw_os_error() == Some(libc::ENOEXEC) {
            // A script without `#!`.
            libc::execve(SHELL.as_ptr(), program.as_script.pointers.as_ptr(), env);
        }
    }
    io::Error::last_os_error()
        .raw_os_error()
        .unwrap_or(libc::EIO)
}

/// Blocks all signals in this thread and returns the previous mask.
fn block_signals() -> libc::sigset_t {
    let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: both sets are local, and are filled in by the calls.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
        before.assume_init()
    }
}

/// Sets the signal mask of this thread.
fn set_signals(set: &libc::sigset_t) {
    // SAFETY: the set is only read.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, set, ptr::null_mut()) };
}
