//! `write`: types input into a program.

use std::rc::Rc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::daemon::hub::Hub;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::keystrokes::Keystrokes;
use crate::daemon::requests::limits::wait_ms;
use crate::daemon::requests::target::Target;
use crate::daemon::requests::wait_plan::Plan;
use crate::daemon::transport::Answer;
use crate::engine::conditions::Conditions;
use crate::protocol::condition::{View, WaitSpec};
use crate::protocol::params::{Encoding, Write};
use crate::protocol::status::Mode;
use crate::protocol::{Error, Role};

/// Silence after which the reaction of a program to its input counts as complete if the program does not wait
/// for input, in milliseconds.
const IDLE_MS: u64 = 1500;

/// Start and end of a bracketed paste, as in xterm.
const PASTE: (&[u8], &[u8]) = (b"\x1b[200~", b"\x1b[201~");

/// Handles the action `write`.
pub(super) async fn write(hub: &Hub, client: &Rc<Client>, params: Write) -> Answer {
    let target = Target::find(hub, client, &params.session_id)?;
    target.check_allowed(client)?;
    let ends = [params.newline, params.submit, params.eof];
    if params.data.is_none() && !ends.contains(&Some(true)) {
        return Err(Error::invalid(
            "`write` needs `data`, `newline`, `submit` or `eof`",
        ));
    }
    let mut bytes = decode(
        params.data.unwrap_or_default(),
        params.encoding.unwrap_or_default(),
    )?;
    let pastes = params.paste == Some(true) && !bytes.is_empty();
    if pastes && target.modes.bracketed_paste {
        let text = without_paste_end(&bytes);
        bytes = [PASTE.0, &text, PASTE.1].concat();
    }
    if params.newline == Some(true) {
        bytes.push(b'\n');
    }
    // A pipe has no terminal that turns Enter into a newline, and no program behind one takes text
    // and Enter in one read for a paste.
    let enters = params.submit == Some(true);
    let submit = enters && target.mode == Mode::Pty;
    if enters && !submit {
        bytes.push(b'\n');
    }
    let own = WaitSpec::of(params.until, params.fail, params.view, params.wait_ms);
    let typed = target.echoed(client, &bytes);
    let plan = reaction(client, &target, params.wait.as_ref(), &own, typed)?;
    client.types(&target.id, typed);
    let since = params.wait.as_ref().and_then(|spec| spec.since.as_deref());
    let keystrokes = Keystrokes {
        // Within a paste, line feeds are text.
        warns_of_newline: client.is_lean()
            && !(pastes && target.modes.bracketed_paste)
            && bytes.contains(&b'\n'),
        warns_of_no_enter: client.is_lean() && !submit && params.eof != Some(true),
        bytes,
        submit,
        eof: params.eof == Some(true),
        passed_on: params.passed_on == Some(true) && target.principal.role == Role::Human,
        is_plain_paste: pastes && !target.modes.bracketed_paste,
    };
    keystrokes.type_into(client, target, plan, since).await
}

/// What a request waits for after its input: what its `wait` says, or its `own` parameters, or until there is
/// something to do again if it is a model's, or gives a time or a view. `None` if the reply comes at once.
pub(super) fn reaction(
    client: &Client,
    target: &Target,
    wait: Option<&WaitSpec>,
    own: &WaitSpec,
    typed: &[u8],
) -> Result<Option<Plan>, Error> {
    wait_ms("waitMs", own.timeout_ms, 0)?;
    let is_named = own.until.is_some() || own.fail.is_some() || own.timeout_ms.is_some();
    let is_asked = own.names_conditions() || own.timeout_ms.is_some() || own.view.is_some();
    let plan = match wait {
        Some(_) if is_named => {
            return Err(Error::invalid(
                "`wait` contains `until`, `fail` and `timeoutMs`; give either `wait` or the others",
            ));
        }
        Some(spec) => Plan::new(client, spec)?,
        None if is_asked || client.is_lean() => {
            let reacts = Conditions::something_to_do(false, Some(IDLE_MS));
            let reacts = reacts.or_command_end(client.awaited_command(&target.id).is_some());
            Plan::or_else(client, own, reacts)?
        }
        None => return Ok(None),
    };
    let on_screen = own.view == Some(View::Screen);
    Ok(Some(
        plan.after_input().typing(typed).with_screen(on_screen),
    ))
}

fn decode(data: String, encoding: Encoding) -> Result<Vec<u8>, Error> {
    match encoding {
        Encoding::Utf8 => Ok(data.into_bytes()),
        Encoding::Base64 => STANDARD
            .decode(data)
            .map_err(|error| Error::invalid(format!("`data` is not valid base64: {error}"))),
    }
}

/// Removes end markers from pasted bytes, also those that only the removal of another one makes: after one, the rest would
/// be taken as typed.
fn without_paste_end(bytes: &[u8]) -> Vec<u8> {
    let mut clean = Vec::with_capacity(bytes.len());
    for byte in bytes {
        clean.push(*byte);
        if clean.ends_with(PASTE.1) {
            clean.truncate(clean.len() - PASTE.1.len());
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_end_markers_from_a_paste() {
        assert_eq!(without_paste_end(b"a\x1b[201~b\x1b[20"), b"ab\x1b[20");
        assert_eq!(without_paste_end(b"A\x1b[20\x1b[201~1~B"), b"AB");
    }
}
