//! Memory: returning what is unused to the system, and how often the system had too little.
#![allow(unsafe_code, reason = "a function of the allocator")]

use std::fs::File;
use std::io::Read;

/// Room for all counters, in bytes.
const ROOM: usize = 16 * 1024;

/// How many processes the kernel has killed for lack of memory since the machine started (`oom_kill` in
/// `/proc/vmstat`, since Linux 4.13); `None` if it does not tell.
pub fn oom_kills() -> Option<u64> {
    // It has no length, so that reading would begin with little room: every start of a job asks for this.
    let mut counters = String::with_capacity(ROOM);
    File::open("/proc/vmstat")
        .and_then(|mut file| file.read_to_string(&mut counters))
        .ok()?;
    let mut lines = counters.lines();
    let count = lines.find_map(|line| line.strip_prefix("oom_kill "))?;
    count.trim().parse().ok()
}

/// Returns unused pages to the system. The allocator keeps free pages between blocks in use until it is asked.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it takes a number and touches only free memory.
    unsafe {
        libc::malloc_trim(0);
    }
}
