//! Files that are complete or are not there: those that are copied from another host, and those that a verb writes.

use std::io::{self, Write};
use std::path::Path;

use crate::sys::file::Draft;

/// A file that is written in parts, such as a copy from another host. It is at its path once it is complete: a host that
/// does not answer, a link that breaks and a full disk leave an older file alone.
#[derive(Debug)]
pub struct Copy<'a> {
    path: &'a Path,
    draft: Option<Draft>,
    bytes: u64,
    /// Why the file could not be written, which is no fault of the host.
    fault: Option<io::Error>,
}

impl<'a> Copy<'a> {
    /// A copy to this path. It is begun when the first byte is there.
    pub fn to(path: &'a Path) -> Self {
        Self {
            path,
            draft: None,
            bytes: 0,
            fault: None,
        }
    }

    /// Why the file could not be written, if that is so.
    pub fn fault(&mut self) -> Option<io::Error> {
        self.fault.take()
    }

    fn draft(&mut self) -> io::Result<&mut Draft> {
        let draft = match self.draft.take() {
            Some(draft) => draft,
            None => Draft::new(self.path)?,
        };
        Ok(self.draft.insert(draft))
    }

    /// Moves the file to its path, and returns its length.
    pub fn finish(mut self) -> io::Result<u64> {
        self.draft()?;
        self.draft.as_ref().map_or(Ok(()), Draft::finish)?;
        Ok(self.bytes)
    }
}

impl Write for Copy<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(error) = self.draft().and_then(|draft| draft.write(bytes)) {
            let kind = error.kind();
            self.fault = Some(error);
            return Err(kind.into());
        }
        self.bytes += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_older_file_stays_until_the_copy_is_complete() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("web.txt");
        std::fs::write(&path, "old").unwrap();
        let copy = |texts: &[&str]| {
            let mut copy = Copy::to(&path);
            for text in texts {
                copy.write_all(text.as_bytes()).unwrap();
            }
            copy
        };
        // The link breaks.
        drop(copy(&["half of "]));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(copy(&["all ", "of it"]).finish().unwrap(), 9);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "all of it");
        assert_eq!(copy(&[]).finish().unwrap(), 0);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
