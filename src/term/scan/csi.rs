//! A control sequence: `CSI`, parameters, intermediate bytes and a final byte.

/// A well-formed control sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Csi<'a> {
    /// Everything after `CSI`.
    pub body: &'a [u8],
    /// `<`, `=`, `>` or `?` before the parameters; 0 if there is none.
    pub marker: u8,
    /// The parameters: digits, `;` and `:`.
    pub params: &'a [u8],
    /// The intermediate byte; 0 if there is none, 0xff for several.
    pub inter: u8,
    /// The final byte.
    pub last: u8,
}

impl<'a> Csi<'a> {
    /// Parses the part after `CSI`, up to and including the final byte.
    pub(super) fn parse(body: &'a [u8]) -> Option<Self> {
        let (&last, front) = body.split_last()?;
        let (marker, front) = match front {
            [marker @ b'<'..=b'?', rest @ ..] => (*marker, rest),
            _ => (0, front),
        };
        let digits = front
            .iter()
            .position(|b| !(b'0'..=b';').contains(b))
            .unwrap_or(front.len());
        let (params, inters) = front.split_at(digits);
        let inter = match inters {
            [] => 0,
            [one @ 0x20..=0x2f] => *one,
            _ if inters.iter().all(|b| (0x20..0x30).contains(b)) => 0xff,
            _ => return None,
        };
        Some(Self {
            body,
            marker,
            params,
            inter,
            last,
        })
    }

    /// The parameters. An empty one is 0, and one that is too large becomes `u16::MAX`. Of one with
    /// sub-parameters, only the first is used.
    pub fn numbers(&self) -> impl Iterator<Item = u16> + 'a {
        self.params.split(|&b| b == b';').map(|param| {
            param
                .iter()
                .take_while(|b| b.is_ascii_digit())
                .fold(0u16, |n, &b| {
                    n.saturating_mul(10).saturating_add(u16::from(b - b'0'))
                })
        })
    }

    /// Parameter number `index`; `default` if it is absent or 0.
    pub fn number(&self, index: usize, default: u16) -> u16 {
        match self.numbers().nth(index) {
            None | Some(0) => default,
            Some(n) => n,
        }
    }
}
