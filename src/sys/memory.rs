//! Memory: returning what is unused to the system, and how often the system had too little.
#![allow(unsafe_code, reason = "a function of the allocator")]

/// How many processes the kernel has killed for lack of memory since the machine started (`oom_kill` in
/// `/proc/vmstat`, since Linux 4.13); `None` if it does not tell.
pub fn oom_kills() -> Option<u64> {
    let counters = std::fs::read_to_string("/proc/vmstat").ok()?;
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
