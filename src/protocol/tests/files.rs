//! Files that the keeper writes.

use super::golden::{self, at};
use crate::protocol::disk::IndexRecord;
use crate::protocol::keeper::Exit;

fn record(end: u64, second: i64, stream: u8) -> IndexRecord {
    let at = at(second).millis();
    IndexRecord { end, at, stream }
}

#[test]
fn the_index_of_version_1() {
    let indexes = [
        ("done00000001", vec![record(5, 0, 0), record(10, 1, 0)]),
        (
            "error0000001",
            vec![record(4, 0, 0), record(8, 1, 1), record(13, 2, 0)],
        ),
        ("running00001", vec![record(100, 0, 0), record(108, 1, 0)]),
    ];
    for (session, records) in indexes {
        let name = format!("home/sessions/{session}/output.idx");
        let bytes: Vec<u8> = records.iter().flat_map(|it| it.to_bytes()).collect();
        golden::compare(&name, &bytes);
        let kept = golden::kept(&name);
        let read = kept.chunks(IndexRecord::BYTES).map(IndexRecord::from_bytes);
        assert_eq!(read.collect::<Option<Vec<_>>>().unwrap(), records);
    }
}

#[test]
fn the_exit_of_version_1() {
    let error = Exit {
        pid: 2001,
        exit_code: Some(3),
        signal: None,
        core_dumped: false,
        ended_at: at(60),
        end_offset: 13,
        limit: None,
        out_of_memory: false,
    };
    golden::file("home/sessions/error0000001/exit.json", &error, &[""]);
    let stopping = Exit {
        pid: 7001,
        exit_code: None,
        signal: Some(15),
        core_dumped: true,
        ended_at: at(70),
        end_offset: 6,
        limit: None,
        out_of_memory: false,
    };
    golden::file("home/sessions/stopping0001/exit.json", &stopping, &[""]);
}
