//! Golden files. What this version writes is compared with the files under `tests/golden/v1`, and
//! these files must be readable. The rules are in `tests/golden/README.md`.

use std::fmt::Debug;
use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::protocol::{SessionId, Timestamp};

/// Path of a golden file.
pub(crate) fn path(name: &str) -> PathBuf {
    let golden = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v1");
    golden.join(name)
}

/// Content of a golden file.
pub(crate) fn kept(name: &str) -> Vec<u8> {
    let path = path(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Whether golden files are to be written instead of compared. Pictures have a variable of their own (`expect-test`),
/// so that updating them never changes a file that other programs read.
pub(crate) fn blesses() -> bool {
    std::env::var_os("BGPROC_BLESS").is_some_and(|value| value == "1")
}

/// Compares today's output with a golden file. With `BGPROC_BLESS=1`, writes the file instead, for
/// review and commit.
pub(crate) fn compare(name: &str, today: &[u8]) {
    if blesses() {
        let path = path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, today).unwrap();
        return;
    }
    let kept = kept(name);
    assert!(
        kept == today,
        "{name} is written in another way; read tests/golden/README.md.\n--- kept\n{}\n--- now\n{}",
        String::from_utf8_lossy(&kept),
        String::from_utf8_lossy(today)
    );
}

/// Checks a file of one JSON value. `open` lists the places (JSON pointers) where another version
/// may add fields, which this one must ignore.
pub(crate) fn file<T>(name: &str, value: &T, open: &[&str])
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    check(name, std::slice::from_ref(value), "", open);
}

/// Checks a file with one JSON value per line.
pub(crate) fn lines<T>(name: &str, values: &[T], open: &[&str])
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    check(name, values, "\n", open);
}

fn check<T>(name: &str, values: &[T], end: &str, open: &[&str])
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let written = values
        .iter()
        .map(|it| serde_json::to_string(it).unwrap() + end);
    compare(name, written.collect::<String>().as_bytes());
    let kept = kept(name);
    let read = serde_json::Deserializer::from_slice(&kept).into_iter();
    let read: Vec<T> = read.collect::<Result<_, _>>().unwrap();
    assert_eq!(read, values, "{name}");
    passes_over_more(values, open);
}

/// Checks that an unknown field changes nothing, in each of the places `open` that any of the
/// values has.
pub(crate) fn passes_over_more<T>(values: &[T], open: &[&str])
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    for place in open {
        let mut tried = 0;
        for value in values {
            let mut json = serde_json::to_value(value).unwrap();
            if let Some(Value::Object(object)) = json.pointer_mut(place) {
                object.insert("ofTheFuture".to_owned(), json!({"a": [1]}));
                tried += 1;
                assert_eq!(
                    &serde_json::from_value::<T>(json).unwrap(),
                    value,
                    "{place}"
                );
            }
        }
        assert!(tried > 0, "no value has the place {place}");
    }
}

/// A session id used in the golden files.
pub(crate) fn id(text: &str) -> SessionId {
    SessionId::parse(text).unwrap()
}

/// A time, in seconds after the beginning of the golden files.
pub(crate) fn at(seconds: i64) -> Timestamp {
    let begun = Timestamp::parse("2026-01-02T03:04:05.678Z").unwrap();
    Timestamp(begun.millis() + 1000 * seconds)
}
