//! What an agent does all day, as transcripts: each through `--serve` and through MCP.

mod agent;
mod editors;
mod people;
mod programs;
mod results;
