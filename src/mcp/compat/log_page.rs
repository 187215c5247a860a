//! A page of a log by bytes that splits no character.
//!
//! The daemon ends a page before a character that is not complete. A caller that adds its limit to its offset
//! therefore asks for a page that starts within a character. Such a page starts with the whole character, so
//! each character is on exactly one page.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::super::call::Call;
use super::super::caller::Answer;

/// The largest number of bytes of a page.
pub const MAX_LIMIT: u64 = 1 << 20;

/// The number of bytes of a page if the caller does not say.
const LIMIT: u64 = 65_536;

/// The largest number of bytes of a character that can be before an offset within it.
const BEFORE: u64 = 3;

/// Reads a page: `output`, `offset`, `nextOffset`, `firstOffset` and `totalBytes`.
pub async fn read(call: &Call, session: &Value, offset: u64, limit: Option<u64>) -> Answer {
    let (limit, begin) = (
        limit.unwrap_or(LIMIT),
        char_start(call, session, offset).await?,
    );
    let limit = limit.saturating_add(offset - begin).min(MAX_LIMIT);
    let page = json!({ "sessionId": session, "offset": begin, "limit": limit });
    call.action("log", page).await
}

/// The offset of the first byte of the character at an offset.
async fn char_start(
    call: &Call,
    session: &Value,
    offset: u64,
) -> Result<u64, crate::protocol::Error> {
    let before = offset.min(BEFORE);
    if before == 0 {
        return Ok(offset);
    }
    let around = json!({
        "sessionId": session, "offset": offset - before, "limit": before + 1, "format": "base64",
    });
    let around = call.action("log", around).await?;
    let bytes = around["output"].as_str().unwrap_or_default();
    let bytes = STANDARD.decode(bytes).unwrap_or_default();
    // The log may begin later, or end here.
    let whole = around["offset"] == offset - before && bytes.len() as u64 == before + 1;
    if whole {
        Ok(offset - within(&bytes))
    } else {
        Ok(offset)
    }
}

/// How many bytes of the last byte's character are before it.
fn within(bytes: &[u8]) -> u64 {
    let is_rest = |byte: &u8| byte & 0xc0 == 0x80;
    let rest = bytes.iter().rev().take_while(|byte| is_rest(byte)).count();
    let Some(start) = bytes.len().checked_sub(rest + 1) else {
        return 0;
    };
    let length = match bytes[start] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    };
    // More such bytes than the character has belong to no character.
    if rest < length { rest as u64 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_of_a_character_is_found() {
        for (bytes, before) in [
            ("abcd".as_bytes(), 0),
            ("bcé".as_bytes(), 1),
            ("a€".as_bytes(), 2),
            ("🦀".as_bytes(), 3),
            (&"🦀".as_bytes()[..3], 2),
            (b"a\x80\x80", 0),
            (b"\x80\x80\x80\x80", 0),
        ] {
            assert_eq!(within(bytes), before, "{bytes:?}");
        }
    }
}
