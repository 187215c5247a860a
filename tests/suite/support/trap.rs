//! Places where a process of bgproc dies, panics or is held up, once it is told to (`sys/failpoint.rs`).

use std::path::PathBuf;

use super::{Home, Serve, eventually};

/// Whoever first comes to each of these places after [`Trap::set`] dies or panics there.
pub(crate) struct Trap {
    files: Vec<PathBuf>,
    /// The value of `BGPROC_FAILPOINT` and `BGPROC_PANIC`, for whoever starts the keeper.
    pub(crate) variable: String,
}

impl Trap {
    /// Not set yet.
    pub(crate) fn new(home: &Home, places: &[&str]) -> Self {
        let files: Vec<PathBuf> = places.iter().map(|place| home.scratch(place)).collect();
        let traps = places.iter().zip(&files);
        let traps: Vec<String> = traps.map(|(p, f)| format!("{p}:{}", f.display())).collect();
        Self {
            files,
            variable: traps.join(","),
        }
    }

    /// A `--serve` that starts the keeper with it.
    pub(crate) fn serve(&self, home: &Home) -> Serve {
        let mut command = home.command(&["--serve"]);
        command.env("BGPROC_FAILPOINT", &self.variable);
        command.env("BGPROC_PANIC", &self.variable);
        Serve::spawn(command)
    }

    pub(crate) fn set(&self) {
        for file in &self.files {
            std::fs::write(file, "").unwrap();
        }
    }

    /// Fails if a place was not come by.
    #[track_caller]
    pub(crate) fn check(&self) {
        for file in &self.files {
            assert!(!file.exists(), "nothing ended at {}", file.display());
        }
    }
}

/// Whoever comes to a place after [`Hold::set`] is held up there until [`Hold::release`].
pub(crate) struct Hold {
    place: &'static str,
    file: PathBuf,
}

impl Hold {
    /// Not set yet.
    pub(crate) fn new(home: &Home, place: &'static str) -> Self {
        Self {
            place,
            file: home.scratch("hold"),
        }
    }

    /// The value of `BGPROC_HOLD`, for whoever starts the keeper.
    pub(crate) fn variable(&self) -> String {
        format!("{}:{}", self.place, self.file.display())
    }

    /// A `--serve` that starts the keeper with it.
    pub(crate) fn serve(&self, home: &Home) -> Serve {
        let mut command = home.command(&["--serve"]);
        command.env("BGPROC_HOLD", self.variable());
        Serve::spawn(command)
    }

    pub(crate) fn set(&self) {
        std::fs::write(&self.file, "").unwrap();
    }

    /// Waits until somebody is held up.
    #[track_caller]
    pub(crate) fn await_reached(&self) {
        let reached = self.file.with_extension("reached");
        eventually(&format!("{} is reached", self.place), || {
            reached.exists().then_some(())
        });
    }

    pub(crate) fn release(&self) {
        std::fs::remove_file(&self.file).unwrap();
    }
}
