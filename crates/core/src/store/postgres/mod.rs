//! PostgreSQL. This is the only folder that knows it: the address of the server, sessions, values, the lock of the one
//! writer, migrations.
//!
//! The client is ours, over the messages of the crate `postgres-protocol`. The clients of crates.io need a runtime for each
//! call and refuse to be called within another one; the store is called from everywhere and blocks, as SQLite does. A
//! statement whose result nobody waits for goes out together with the next one, which saves its round trip.

mod access;
mod engine;
mod error;
mod filling;
mod hold;
mod migrate;
mod pipeline;
mod row;
mod server;
mod session;
mod stream;
mod verify;
mod wire;
mod writer;

pub(super) use engine::Postgres;
pub(super) use row::Row;
pub use server::{BadUrl, Server};
