//! Golden files: what is written today is compared with what is kept under
//! `tests/golden/v1`, and what is kept there is read. The rules are in
//! `tests/golden/README.md`.

use std::fmt::Debug;
use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::protocol::{SessionId, Timestamp};

/// Where a golden file is.
pub(crate) fn path(name: &str) -> PathBuf {
    let golden = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v1");
    golden.join(name)
}

/// What is kept under this name.
pub(crate) fn kept(name: &str) -> Vec<u8> {
    let path = path(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Compares what is written today with the file of this name; with
/// `BGPROC_BLESS=1` the file is written instead, to be looked at and committed.
pub(crate) fn compare(name: &str, today: &[u8]) {
    if std::env::var_os("BGPROC_BLESS").is_some_and(|value| value == "1") {
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

/// A file of one JSON value. `open` are the places (JSON pointers) where another
/// version may add fields that this one passes over.
pub(crate) fn file<T>(name: &str, value: &T, open: &[&str])
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    check(name, std::slice::from_ref(value), "", open);
}

/// A file of one JSON value a line.
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

/// Checks that a field which this version does not know changes nothing, in each
/// of the places `open` that some of the values have.
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
        assert!(tried > 0, "nothing has the place {place}");
    }
}

/// A session's name of the golden files.
pub(crate) fn id(text: &str) -> SessionId {
    SessionId::parse(text).unwrap()
}

/// So many seconds after the moment when the golden files begin.
pub(crate) fn at(seconds: i64) -> Timestamp {
    let begun = Timestamp::parse("2026-01-02T03:04:05.678Z").unwrap();
    Timestamp(begun.millis() + 1000 * seconds)
}
