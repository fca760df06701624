//! The session that writes: its settings, its lock, and who has that.

use super::access;
use super::error::{lost, unexpected};
use super::row::Row;
use super::server::Server;
use super::wire::Wire;
use crate::store::Result;
use crate::store::row as seen;
use crate::store::value::ToValue;

/// A process that is stopped, or whose machine is lost, keeps its session unless PostgreSQL ends it. It does so when it has
/// heard nothing for 15 seconds, within a batch or between two; the engine says something every few seconds. The others
/// are for a connection that takes no answer, or is cut. On a unix socket they do nothing.
const SETTINGS: &str = "SET idle_session_timeout = '15s'; SET idle_in_transaction_session_timeout = '15s'; \
                        SET tcp_user_timeout = '10s'; SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; \
                        SET tcp_keepalives_count = 3";

/// A commit waits for the standby, if there is one, whatever the database has as its default.
const SYNCHRONOUS: &str = "SELECT set_config('synchronous_commit', \
     CASE WHEN current_setting('synchronous_commit') IN ('on', 'remote_apply') \
     THEN current_setting('synchronous_commit') ELSE 'on' END, false)";

/// The first half of the lock's key is "pbms". The second is the schema.
const LOCK: &str = "SELECT pg_try_advisory_lock(1885499763, hashtext(current_schema()))";

/// Whether a session has that lock, and who it was that took it last.
pub(super) const HOLDER: &str = "SELECT host, since FROM engine WHERE EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted \
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND classid = 1885499763 \
     AND objid::bigint = hashtext(current_schema())::bigint & 4294967295 AND objsubid = 2)";

/// Opens a session that can have the lock.
pub(super) fn open(server: &Server) -> Result<Wire> {
    let mut wire = access::open(server)?;
    wire.execute_simple(SETTINGS)?;
    wire.execute(SYNCHRONOUS, &[], &mut |_| {})?;
    // Warnings of the login, such as that of another version of collations, say nothing about a commit.
    wire.was_unsure();
    Ok(wire)
}

/// Takes the lock, unless another session has it.
pub(super) fn try_lock(wire: &mut Wire) -> Result<bool> {
    first(wire, LOCK, &[], |row| row.get(0))?.ok_or_else(unexpected)
}

/// Whether this is the name of the last writer.
pub(super) fn is_last_writer(wire: &mut Wire, name: &str) -> Result<bool> {
    let found = first(wire, "SELECT 1 FROM engine WHERE holder = $1", &[&name], |_| {
        Ok(())
    })?;
    Ok(found.is_some())
}

/// Fails if a commit of this session is perhaps on this server's disk alone.
pub(super) fn was_replicated(wire: &mut Wire) -> Result<()> {
    match wire.was_unsure() {
        true => Err(lost("a commit did not wait for the standby")),
        false => Ok(()),
    }
}

fn first<T>(
    wire: &mut Wire,
    sql: &str,
    values: &[&dyn ToValue],
    read: impl FnOnce(&seen::Row<'_>) -> Result<T>,
) -> Result<Option<T>> {
    let mut first = None;
    let (statement, _) = wire.execute(sql, values, &mut |body| {
        first.get_or_insert(body);
    })?;
    let Some(body) = first else { return Ok(None) };
    read(&seen::Row::Postgres(Row::new(statement, body))).map(Some)
}
