//! Logs and screens as resources, for clients that let people or models attach them.
//!
//! Reading a resource does not advance the `new` cursor of the session.

use rmcp::ErrorData;
use rmcp::model::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};
use serde_json::{Value, json};

use super::call::Call;
use crate::protocol::{Error, SessionId};

/// Sessions that are listed, newest first. Others can still be read.
const LISTED: usize = 50;

/// Lines of a log that are returned, the newest.
const LINES: u64 = 1000;

const PREFIX: &str = "bgproc://session/";

/// The templates of the URIs.
pub fn templates() -> ListResourceTemplatesResult {
    let template = |what: &str, about: String| {
        ResourceTemplate::new(format!("{PREFIX}{{id}}/{what}"), format!("session {what}"))
            .with_description(about)
            .with_mime_type("text/plain")
    };
    let templates = vec![
        template(
            "log",
            format!("The last {LINES} lines that a session has written"),
        ),
        template("screen", "The current screen of a session".to_owned()),
    ];
    ListResourceTemplatesResult::with_all_items(templates)
}

/// The resources of the newest sessions.
pub async fn list(call: &Call) -> Result<ListResourcesResult, ErrorData> {
    let listed = call.action("list", json!({ "limit": LISTED })).await;
    let listed = listed.map_err(|error| failed(error, "resources"))?;
    let sessions = listed["sessions"].as_array().into_iter().flatten().rev();
    let resources = sessions.flat_map(|session| {
        ["log", "screen"].map(|what| {
            let id = session["sessionId"].as_str().unwrap_or_default();
            let name = session["label"].as_str().unwrap_or(id);
            let (status, command) = (&session["status"], &session["command"]);
            let words = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            Resource::new(format!("{PREFIX}{id}/{what}"), format!("{name} {what}"))
                .with_description(format!("{}: {}", words(status), words(command)))
                .with_mime_type("text/plain")
        })
    });
    Ok(ListResourcesResult::with_all_items(resources.collect()))
}

/// The content of one resource.
pub async fn read(call: &Call, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let Some((id, what)) = parse(uri) else {
        let message = format!("{uri} is not a resource; see the templates");
        return Err(ErrorData::resource_not_found(message, None));
    };
    let text = match what {
        What::Log => log(call, id).await,
        What::Screen => screen(call, id).await,
    };
    let text = text.map_err(|error| failed(error, uri))?;
    Ok(ReadResourceResult::new(vec![ResourceContents::text(
        text, uri,
    )]))
}

/// The session of a resource, or `None` if the URI is not one.
pub fn session(uri: &str) -> Option<&str> {
    parse(uri).map(|(id, _)| id)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    Log,
    Screen,
}

fn parse(uri: &str) -> Option<(&str, What)> {
    let (id, what) = uri.strip_prefix(PREFIX)?.split_once('/')?;
    SessionId::parse(id)?;
    match what {
        "log" => Some((id, What::Log)),
        "screen" => Some((id, What::Screen)),
        _ => None,
    }
}

async fn log(call: &Call, id: &str) -> Result<String, Error> {
    let log = call
        .action("log", json!({ "sessionId": id, "tail": LINES }))
        .await?;
    let lines = log["lines"].as_array().into_iter().flatten();
    let texts: Vec<&str> = lines.filter_map(|line| line["text"].as_str()).collect();
    Ok(texts.join("\n"))
}

async fn screen(call: &Call, id: &str) -> Result<String, Error> {
    let screen = call.action("capture", json!({ "sessionId": id })).await?;
    Ok(screen["text"].as_str().unwrap_or_default().to_owned())
}

/// An error about a resource.
pub fn failed(error: Error, uri: &str) -> ErrorData {
    let data = Some(json!({ "uri": uri, "error": error }));
    if error.code.is_gone() {
        ErrorData::resource_not_found(error.message, data)
    } else {
        ErrorData::internal_error(error.message, data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_names_a_session_and_one_of_its_views() {
        let id = "k3vaaaaaaaa1";
        let log = format!("bgproc://session/{id}/log");
        assert_eq!(parse(&log), Some((id, What::Log)));
        let screen = format!("bgproc://session/{id}/screen");
        assert_eq!(parse(&screen), Some((id, What::Screen)));
        for wrong in [
            "bgproc://session/../log".to_owned(),
            format!("bgproc://session/{id}"),
            format!("bgproc://session/{id}/input"),
            format!("file:///{id}/log"),
        ] {
            assert_eq!(parse(&wrong), None, "{wrong}");
        }
    }
}
