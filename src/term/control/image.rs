//! Images: sixel, kitty's and iTerm2's. They are not displayed. A reader marks the place of each with [`TEXT`].

/// What stands in the place of an image.
pub const TEXT: &str = "[image]";

/// An image that a program displays, by where it expects the cursor afterwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Image {
    /// In the row below, in the column where it began: sixel.
    Below,
    /// Behind it: kitty, iTerm2.
    Behind,
    /// Where it was: kitty with `C=1`.
    InPlace,
}

impl Image {
    /// The image that a device control string displays, by its first bytes: a sixel image, unless it is empty, as
    /// programs send it to clear or to ask.
    pub(super) fn of_dcs(data: &[u8]) -> Option<Self> {
        let params = data
            .iter()
            .position(|b| !(b.is_ascii_digit() || *b == b';'))?;
        let sixels = data[params..].strip_prefix(b"q")?;
        let is_sixel = |b: &u8| (b'?'..=b'~').contains(b);
        sixels.iter().any(is_sixel).then_some(Self::Below)
    }

    /// The image that iTerm2's OSC 1337 displays, by what follows the number: `File` or `MultipartFile`, with
    /// `inline=1`. Without it, the file is to be saved.
    pub(super) fn of_osc(data: &[u8]) -> Option<Self> {
        let file = data.strip_prefix(b"Multipart").unwrap_or(data);
        let options = file.strip_prefix(b"File=")?;
        let options = options.split(|&b| b == b':').next()?;
        let mut options = options.split(|&b| b == b';');
        options
            .any(|option| option == b"inline=1")
            .then_some(Self::Behind)
    }

    /// The image that kitty's APC G displays, by its first bytes: the actions `T` and `p`. Others transmit, query or
    /// delete. A virtual placement (`U=1`) is displayed by text. Of an image in pieces, only the first has an
    /// action.
    pub(super) fn of_apc(data: &[u8]) -> Option<Self> {
        let keys = data.strip_prefix(b"G")?.split(|&b| b == b';').next()?;
        let has = |key: &[u8]| keys.split(|&b| b == b',').any(|one| one == key);
        let is_shown = (has(b"a=T") || has(b"a=p")) && !has(b"U=1");
        is_shown.then(|| {
            if has(b"C=1") {
                Self::InPlace
            } else {
                Self::Behind
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Image::{self, Behind, Below, InPlace};

    #[test]
    fn only_what_is_displayed_is_an_image() {
        for (data, image) in [
            (&b"q#0~~@@"[..], Some(Below)),
            (b"0;1;8q\"1;1;9;9?", Some(Below)),
            (b"q", None),
            (b"q\"1;1", None),
            (b"$qm", None),
            (b"+q544e", None),
            (b"1;2|~", None),
        ] {
            assert_eq!(Image::of_dcs(data), image, "{}", data.escape_ascii());
        }
        for (data, image) in [
            (&b"File=name=eA==;inline=1:aGk="[..], Some(Behind)),
            (b"MultipartFile=inline=1;size=9", Some(Behind)),
            (b"File=inline=0:aGk=", None),
            (b"File=name=eA==:inline=1", None),
            (b"FilePart=aGk=", None),
            (b"SetMark", None),
        ] {
            assert_eq!(Image::of_osc(data), image, "{}", data.escape_ascii());
        }
        for (data, image) in [
            (&b"Ga=T,f=100;aGk="[..], Some(Behind)),
            (b"Gi=1,a=p", Some(Behind)),
            (b"Ga=p,C=1,i=3;", Some(InPlace)),
            (b"Ga=T,U=1,i=3;", None),
            (b"Gm=1;aGk=", None),
            (b"Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA", None),
            (b"Ga=t;a=T", None),
            (b"Ga=d", None),
            (b"Xa=T", None),
        ] {
            assert_eq!(Image::of_apc(data), image, "{}", data.escape_ascii());
        }
    }
}
