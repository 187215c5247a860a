//! Returning unused memory to the system.
#![allow(unsafe_code, reason = "a function of the allocator")]

/// Returns unused pages to the system. The allocator keeps free pages between blocks in use until it is asked.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it takes a number and touches only free memory.
    unsafe {
        libc::malloc_trim(0);
    }
}
