//! Stands for what the `.env` files of a job say, so that a change of them is noticed while the job runs.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use super::dotenv::{Pair, Piece};
use super::env_file::Reader;
use super::fault::{Fault, Faults};
use super::files::Files;
use super::job::{EnvFile, Job};

/// Fingerprints of the `.env` files of jobs. Each file is read once.
pub struct EnvPrints<'a> {
    reader: Reader<'a>,
    /// By path, and whether the file may be missing.
    known: HashMap<(PathBuf, bool), Result<Vec<Pair>, Vec<Fault>>>,
}

impl<'a> EnvPrints<'a> {
    /// Reads the files through `files`.
    pub fn new(files: &'a dyn Files) -> Self {
        Self {
            reader: Reader::new(files),
            known: HashMap::new(),
        }
    }

    /// The fingerprint of the variables that the files of a job give it: equal while they are. They count as they are
    /// written, so that the environment of who asks makes no difference. Those that the job's own `env` sets do not
    /// count.
    pub fn of(&mut self, job: &Job) -> Result<String, Vec<Fault>> {
        let files = || job.env_files.iter().chain(&job.own_env_files);
        for file in files() {
            let read = || {
                let faults = Faults::default();
                let pairs = self.reader.read(file, &job.dir, &faults);
                faults.finish().map(|_| pairs)
            };
            let key = (file.path.clone(), file.may_be_missing);
            self.known.entry(key).or_insert_with(read);
        }
        let mut variables = BTreeMap::new();
        let known = |file: &EnvFile| self.known.get(&(file.path.clone(), file.may_be_missing));
        for pairs in files().filter_map(known) {
            let pairs = pairs.as_ref().map_err(Clone::clone)?;
            variables.extend(pairs.iter().map(|pair| (&pair.name, &pair.value)));
        }
        variables.retain(|name, _| !job.own_env.iter().any(|(own, _)| own == *name));
        let mut hash = Sha256::new();
        for (name, value) in variables {
            // These bytes keep names, values and their pieces apart.
            hash.update(name.as_bytes());
            hash.update([0]);
            for piece in value {
                let (kind, text) = match piece {
                    Piece::Text(text) => (1, text),
                    Piece::Variable { written, .. } => (2, written),
                };
                hash.update([kind]);
                hash.update(text.as_bytes());
            }
            hash.update([0]);
        }
        let bytes = hash.finalize();
        Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}
