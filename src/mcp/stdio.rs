//! Messages on standard input and output, a line each, and detection of a client that is gone.
//!
//! The transport of `rmcp` ignores a line that is not JSON, so that a client which waits for an answer waits in
//! vain. Here every line that may be a request is answered, if only with an error of JSON-RPC. The event loop of
//! the service detects the end of input as well, but then gives every call five more seconds, which a wait does
//! not need.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use rmcp::model::{ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::{StdioReader, StdioWriter, Transport, stdio_pipes};
use serde::Deserialize;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{Mutex, watch};
use tokio::task::JoinHandle;

use crate::protocol::request::fields;
use crate::serve::line_splitter::LineSplitter;

/// Maximum length of a line, in bytes. It is far above that of a request to the daemon, so that a call with too
/// much data is answered under its id.
const MAX_LINE: usize = 16 << 20;

/// Bytes read at once.
const READ: usize = 64 * 1024;

/// Messages to and from a client, and a handle that reports when the client is gone. Must be called within a
/// runtime.
pub fn transport() -> (Stdio, HungUp) {
    let (reader, writer) = stdio_pipes();
    let (hung_up, receiver) = watch::channel(false);
    let stdio = Stdio {
        reader,
        buffer: vec![0; READ],
        splitter: LineSplitter::with_limit(MAX_LINE),
        lines: VecDeque::new(),
        refusal: None,
        output: Output {
            writer: Arc::new(Mutex::new(writer)),
            hung_up: Arc::new(hung_up),
        },
    };
    (stdio, HungUp(receiver))
}

/// Reports whether the client is gone.
#[derive(Clone, Debug)]
pub struct HungUp(watch::Receiver<bool>);

impl HungUp {
    /// Whether the client is gone.
    pub fn is_set(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the client is gone.
    pub async fn wait(&self) {
        // The transport holds the sender. If it is dropped, it is closed too.
        let _ = self.0.clone().wait_for(|gone| *gone).await;
    }
}

/// Standard input and output.
pub struct Stdio {
    reader: StdioReader,
    buffer: Vec<u8>,
    splitter: LineSplitter,
    /// Lines that were read and not handled.
    lines: VecDeque<Vec<u8>>,
    /// The error that is being written for the last line.
    refusal: Option<JoinHandle<()>>,
    output: Output,
}

/// Standard output, which several tasks write to.
#[derive(Clone)]
struct Output {
    writer: Arc<Mutex<StdioWriter>>,
    hung_up: Arc<watch::Sender<bool>>,
}

impl Output {
    async fn write(self, message: TxJsonRpcMessage<RoleServer>) -> io::Result<()> {
        let mut line = serde_json::to_vec(&message)?;
        line.push(b'\n');
        let mut writer = self.writer.lock().await;
        let written = match writer.write_all(&line).await {
            Ok(()) => writer.flush().await,
            error => error,
        };
        if written.is_err() {
            self.hung_up.send_replace(true);
        }
        written
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.output.clone().write(message)
    }

    /// The next message. The service may drop this future at any time and call again, so everything that is
    /// begun is kept in `self`.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(refusal) = &mut self.refusal {
                // It fails only if the client is gone, which the next read finds as well.
                let _ = refusal.await;
                self.refusal = None;
            }
            match self.lines.pop_front().map(|line| message(&line)) {
                Some(Ok(message)) => return Some(message),
                Some(Err(Some(refused))) => {
                    let (output, (error, id)) = (self.output.clone(), refused);
                    self.refusal = Some(tokio::spawn(async move {
                        let _ = output.write(JsonRpcMessage::error(error, id)).await;
                    }));
                }
                Some(Err(None)) => {}
                None if *self.output.hung_up.borrow() => return None,
                None => self.read().await,
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        let mut writer = self.output.writer.lock().await;
        writer.shutdown().await
    }
}

impl Stdio {
    /// Reads more lines. At the end of input the client is gone.
    async fn read(&mut self) {
        match self.reader.read(&mut self.buffer).await {
            Ok(count @ 1..) => {
                let bytes = &self.buffer[..count];
                self.splitter.feed(bytes, |line| self.lines.push_back(line));
            }
            Ok(0) | Err(_) => {
                self.lines.extend(self.splitter.finish());
                self.output.hung_up.send_replace(true);
            }
        }
    }
}

/// An error, and the id of the request that it answers, if that could be read.
type Refused = (ErrorData, Option<RequestId>);

/// The message of a line, or else the error to answer it with, if it may be a request.
fn message(line: &[u8]) -> Result<RxJsonRpcMessage<RoleServer>, Option<Refused>> {
    let refuse = |error: ErrorData, id: Option<RequestId>| Err(Some((error, id)));
    // RFC 8259, section 8.1: a byte order mark may be ignored.
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if line.trim_ascii().is_empty() {
        return Err(None);
    }
    if line.len() > MAX_LINE {
        let about = format!("The line is longer than {MAX_LINE} bytes");
        return refuse(ErrorData::invalid_request(about, None), None);
    }
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => {
            let about = format!("The line is not JSON: {error}");
            // Whoever has sent it waits for an answer to this id.
            let id = fields(line).remove("id");
            let id = id.and_then(|id| serde_json::from_str(id.get()).ok());
            return refuse(ErrorData::parse_error(about, None), id);
        }
    };
    let error = match RxJsonRpcMessage::<RoleServer>::deserialize(&value) {
        Ok(message) => return Ok(message),
        Err(error) => error,
    };
    let id = serde_json::from_value(value["id"].clone()).ok();
    let is_request = value.get("method").is_some() && value.get("id").is_some();
    // Notifications are never answered, and an answer to an answer would begin an endless exchange.
    if value.is_object() && !is_request {
        return Err(None);
    }
    let about = if value.is_array() {
        "Batches are not supported: send each message on its own line".to_owned()
    } else {
        format!("The line is not a message of JSON-RPC 2.0: {error}")
    };
    refuse(ErrorData::invalid_request(about, None), id)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_line_that_may_be_a_request_is_answered() {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
        assert!(message(request.as_bytes()).is_ok());
        assert!(message(format!("\u{feff}{request}\r\n").as_bytes()).is_ok());
        for (line, code) in [
            ("hello", Some(-32700)),
            ("{\"id\":1", Some(-32700)),
            ("[]", Some(-32600)),
            ("1", Some(-32600)),
            (r#"{"id":1,"method":"ping"}"#, Some(-32600)),
            (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, Some(-32600)),
            ("", None),
            (" \r\n", None),
            (r#"{"method":"notifications/x"}"#, None),
            (r#"{"jsonrpc":"2.0","error":{"code":-32700}}"#, None),
        ] {
            let error = message(line.as_bytes()).err().flatten();
            assert_eq!(error.map(|(error, _)| error.code.0), code, "{line}");
        }
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        for params in [r#""\ud800""#, &deep] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":5,"method":"x","params":{params}}}"#);
            let refused = message(line.as_bytes()).err().flatten();
            let refused = refused.map(|(error, id)| (error.code.0, id));
            assert_eq!(refused, Some((-32700, Some(RequestId::Number(5)))));
        }
    }
}
