//! Standard input and output, and detection of a client that is gone.
//!
//! The event loop of the service also detects the end of input, but then gives every call five more
//! seconds, which a wait does not need.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rmcp::transport::{StdioReader, StdioWriter, stdio_pipes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::watch;

/// Both streams, and a handle that reports when the client is gone. Must be called within a runtime.
pub fn transport() -> ((Input, Output), HungUp) {
    let (reader, writer) = stdio_pipes();
    let (sender, receiver) = watch::channel(false);
    let sender = Arc::new(sender);
    let input = Input {
        reader,
        hung_up: sender.clone(),
    };
    let output = Output {
        writer,
        hung_up: sender,
    };
    ((input, output), HungUp(receiver))
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
        // Both streams hold the sender. If it is dropped, they are closed too.
        let _ = self.0.clone().wait_for(|gone| *gone).await;
    }
}

/// Standard input.
#[derive(Debug)]
pub struct Input {
    reader: StdioReader,
    hung_up: Arc<watch::Sender<bool>>,
}

/// Standard output.
#[derive(Debug)]
pub struct Output {
    writer: StdioWriter,
    hung_up: Arc<watch::Sender<bool>>,
}

impl AsyncRead for Input {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.reader).poll_read(cx, buf);
        let ended = match &polled {
            Poll::Pending => false,
            Poll::Ready(Ok(())) => buf.filled().len() == before,
            Poll::Ready(Err(_)) => true,
        };
        if ended {
            self.hung_up.send_replace(true);
        }
        polled
    }
}

impl Output {
    fn look<T>(&self, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if matches!(polled, Poll::Ready(Err(_))) {
            self.hung_up.send_replace(true);
        }
        polled
    }
}

impl AsyncWrite for Output {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.writer).poll_write(cx, bytes);
        self.look(polled)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.writer).poll_flush(cx);
        self.look(polled)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_shutdown(cx)
    }
}
