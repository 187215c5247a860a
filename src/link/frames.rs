//! The frames of a link: `len u32, channel u32, kind u8`, then `len` bytes. Numbers are big-endian.

/// Maximum number of bytes in one frame.
pub const MAX_DATA: usize = 64 * 1024;

/// Number of bytes before the data.
pub const HEADER: usize = 9;

/// What a frame does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Opens a channel. The data is one byte, a [`Start`].
    Open,
    /// Bytes of a channel.
    Data,
    /// Ends a direction of a channel, or both. The data is one byte, an [`End`].
    Close,
    /// Allows the receiver to send more bytes on a channel. The data is their number, a u32.
    Window,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Open, Self::Data, Self::Close, Self::Window];

    fn of(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u8 == byte)
    }
}

/// Whether a relay starts a daemon for a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// Start a daemon if none is running.
    Yes,
    /// Start one only if the last one crashed.
    AfterCrash,
    /// Never start one.
    No,
}

impl Start {
    const ALL: [Self; 3] = [Self::Yes, Self::AfterCrash, Self::No];

    /// Reads the data of an [`Open`](Kind::Open) frame. A later version may say more.
    pub fn of(data: &[u8]) -> Self {
        let known = Self::ALL.into_iter();
        let said = known.zip(0..).find(|(_, byte)| data.first() == Some(byte));
        said.map_or(Self::Yes, |(start, _)| start)
    }
}

/// What has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The sender sends no more bytes, and still takes some.
    Sending,
    /// The sender neither sends nor takes any more.
    Both,
}

impl End {
    fn of(data: &[u8]) -> Self {
        match data.first() {
            Some(0) => Self::Sending,
            _ => Self::Both,
        }
    }
}

/// A frame that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Frame<'a> {
    /// Opens a channel.
    Open(Start),
    /// Bytes.
    Data(&'a [u8]),
    /// An end.
    Close(End),
    /// So many more bytes may be sent.
    Window(u32),
}

/// The bytes are no frames of this protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the other side of the link sent a frame that this version does not know")]
pub struct Malformed;

/// Reads the frame at the start of `bytes`: its channel, what it is, and its length in all. `None` if there is no
/// whole frame yet.
pub fn read(bytes: &[u8]) -> Result<Option<(u32, Frame<'_>, usize)>, Malformed> {
    let Some((header, rest)) = bytes.split_first_chunk::<HEADER>() else {
        return Ok(None);
    };
    let [l0, l1, l2, l3, c0, c1, c2, c3, kind] = *header;
    let kind = Kind::of(kind).ok_or(Malformed)?;
    let length = usize::try_from(u32::from_be_bytes([l0, l1, l2, l3])).map_err(|_| Malformed)?;
    if length > MAX_DATA {
        return Err(Malformed);
    }
    let Some(data) = rest.get(..length) else {
        return Ok(None);
    };
    let frame = match kind {
        Kind::Open => Frame::Open(Start::of(data)),
        Kind::Data => Frame::Data(data),
        Kind::Close => Frame::Close(End::of(data)),
        Kind::Window => {
            let count = data.first_chunk().ok_or(Malformed)?;
            Frame::Window(u32::from_be_bytes(*count))
        }
    };
    let channel = u32::from_be_bytes([c0, c1, c2, c3]);
    Ok(Some((channel, frame, HEADER + length)))
}

/// Appends a frame. `data` has at most [`MAX_DATA`] bytes.
pub fn write(out: &mut Vec<u8>, channel: u32, kind: Kind, data: &[u8]) {
    let length = u32::try_from(data.len()).unwrap_or(u32::MAX);
    out.extend(length.to_be_bytes());
    out.extend(channel.to_be_bytes());
    out.push(kind as u8);
    out.extend(data);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_as_they_were_written_and_not_before_they_are_whole() {
        let mut bytes = Vec::new();
        write(&mut bytes, 7, Kind::Open, &[Start::AfterCrash as u8]);
        write(&mut bytes, 7, Kind::Data, b"hello");
        write(&mut bytes, 8, Kind::Window, &70_000u32.to_be_bytes());
        write(&mut bytes, 7, Kind::Close, &[End::Sending as u8]);
        write(&mut bytes, 9, Kind::Close, &[End::Both as u8]);
        let mut rest = &bytes[..];
        let mut seen = Vec::new();
        while let Some((channel, frame, length)) = read(rest).unwrap() {
            for cut in 0..length {
                assert_eq!(read(&rest[..cut]), Ok(None));
            }
            seen.push((channel, frame));
            rest = &rest[length..];
        }
        assert!(rest.is_empty());
        assert_eq!(
            seen,
            [
                (7, Frame::Open(Start::AfterCrash)),
                (7, Frame::Data(b"hello")),
                (8, Frame::Window(70_000)),
                (7, Frame::Close(End::Sending)),
                (9, Frame::Close(End::Both)),
            ]
        );
    }

    #[test]
    fn the_form_is_that_of_the_protocol() {
        let mut bytes = Vec::new();
        write(&mut bytes, 0x0102, Kind::Data, b"ab");
        assert_eq!(bytes, b"\0\0\0\x02\0\0\x01\x02\x01ab");
    }

    #[test]
    fn what_is_no_frame_is_refused() {
        let too_long = [0, 1, 0, 1, 0, 0, 0, 0, 1];
        assert_eq!(read(&too_long), Err(Malformed));
        assert_eq!(read(b"Last login: Tue"), Err(Malformed));
        let mut short = Vec::new();
        write(&mut short, 1, Kind::Window, &[1]);
        assert_eq!(read(&short), Err(Malformed));
    }
}
