//! What bytes mean on a terminal: pure, without clock, files, environment or tokio.
