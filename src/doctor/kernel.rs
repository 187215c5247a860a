//! Checks what the kernel supports, by trying it.

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::Errno;
use rustix::pipe::{SpliceFlags, pipe, splice};
use rustix::process::{PidfdFlags, child_subreaper, getpid, pidfd_open};

use super::{Finding, number};

const SUBJECT: &str = "kernel";

/// Linux version from which a pidfd gives the exit code of a process that was already reaped.
const EXIT_BY_PIDFD: (u32, u32) = (6, 15);

pub(super) fn check() -> Vec<Finding> {
    let release = rustix::system::uname();
    let release = release.release().to_string_lossy().into_owned();
    vec![features(&release), exit_codes(&release), ptrace()]
}

fn features(release: &str) -> Finding {
    let tried = [
        ("pidfd", pidfd_open(getpid(), PidfdFlags::empty()).map(drop)),
        (
            "memfd",
            memfd_create("bgproc", MemfdFlags::CLOEXEC).map(drop),
        ),
        ("splice", try_splice()),
        ("subreaper", child_subreaper().map(drop)),
    ];
    let names = tried.map(|(name, _)| name).join(", ");
    let missing = tried.into_iter().filter_map(|(name, tried)| {
        let error = tried.err()?;
        Some(format!("{name} ({error})"))
    });
    let missing: Vec<_> = missing.collect();
    if missing.is_empty() {
        return Finding::ok(SUBJECT, format!("Linux {release} has {names}"));
    }
    let text = format!("Linux {release} refuses {}", missing.join(", "));
    Finding::problem(SUBJECT, text)
        .advise("use Linux 5.4 or newer; in a container, see its seccomp profile")
}

fn try_splice() -> Result<(), Errno> {
    let (reader, writer) = pipe()?;
    rustix::io::write(&writer, b"x")?;
    let file = memfd_create("bgproc", MemfdFlags::CLOEXEC)?;
    splice(&reader, None, &file, None, 1, SpliceFlags::empty()).map(drop)
}

fn exit_codes(release: &str) -> Finding {
    match version(release) {
        Some(version) if version >= EXIT_BY_PIDFD => {
            Finding::ok(SUBJECT, "exit codes outlive a killed keeper")
        }
        _ => Finding::warning(
            SUBJECT,
            "exit codes of jobs whose keeper was killed may be unknown",
        )
        .advise("nothing to do, or use Linux 6.15 or newer"),
    }
}

fn version(release: &str) -> Option<(u32, u32)> {
    let mut parts = release.split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// Checks whether the keeper, an ancestor of the jobs, may inspect what they wait for.
fn ptrace() -> Finding {
    let path = "/proc/sys/kernel/yama/ptrace_scope";
    match number(path) {
        Some(scope @ 2..) => Finding::warning(
            SUBJECT,
            format!(
                "ptrace_scope is {scope}: waiting for input is detected only at password prompts"
            ),
        )
        .advise("sysctl kernel.yama.ptrace_scope=1, as root"),
        Some(1) => Finding::ok(
            SUBJECT,
            "ptrace_scope is 1: the keeper can detect whether a job waits for input",
        ),
        _ => Finding::ok(SUBJECT, "bgproc can detect whether a job waits for input"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_releases() {
        assert_eq!(version("6.18.44-fc-v445"), Some((6, 18)));
        assert_eq!(version("5.4"), Some((5, 4)));
        assert_eq!(version("strange"), None);
        assert!(version("6.9.0") < Some(EXIT_BY_PIDFD));
    }
}
