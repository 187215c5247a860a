//! A control sequence: `CSI`, parameters, intermediate bytes and a final byte.

use super::MAX_CSI;

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
    /// The control sequence at the beginning of `bytes`, if it is complete.
    #[inline(always)]
    pub fn first(bytes: &'a [u8]) -> Option<Self> {
        let body = bytes.strip_prefix(b"\x1b[")?;
        let body = &body[..body.len().min(MAX_CSI)];
        // Most have only parameters.
        let digits = body.iter().position(|b| !(b'0'..=b';').contains(b))?;
        if (0x40..0x7f).contains(&body[digits]) {
            return Some(Self {
                body: &body[..digits + 1],
                marker: 0,
                params: &body[..digits],
                inter: 0,
                last: body[digits],
            });
        }
        let last = body.iter().position(|b| !(0x20..0x40).contains(b))?;
        let is_final = (0x40..0x7f).contains(&body[last]);
        is_final.then(|| Self::parse(&body[..last + 1]))?
    }

    /// Number of bytes, including `CSI`.
    pub fn length(&self) -> usize {
        self.body.len() + 2
    }

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

    /// The parameters. Of one with sub-parameters, only the first is used.
    #[inline]
    pub fn numbers(&self) -> impl Iterator<Item = u16> + use<'a> {
        self.params.split(|&b| b == b';').map(number)
    }

    /// Parameter number `index`; `default` if it is absent or 0.
    #[inline]
    pub fn number(&self, index: usize, default: u16) -> u16 {
        match self.numbers().nth(index) {
            None | Some(0) => default,
            Some(n) => n,
        }
    }
}

/// The number at the beginning of a parameter. An empty one is 0, and one that is too large becomes
/// `u16::MAX`.
#[inline]
pub fn number(param: &[u8]) -> u16 {
    let digits = param.iter().take_while(|b| b.is_ascii_digit());
    digits.fold(0u16, |n, &b| {
        n.saturating_mul(10).saturating_add(u16::from(b - b'0'))
    })
}
