//! Statements by psql, in one session; `;;` stands between those that run on their own.

use std::process::Command;

use super::cluster::programs;

/// What psql prints for a statement: a line a row, `|` between columns.
pub(crate) fn rows(url: &str, sql: &str) -> String {
    let said = try_rows(url, sql);
    said.unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// The same; the error of psql if it fails.
pub(crate) fn try_rows(url: &str, sql: &str) -> Result<String, String> {
    let psql = programs().map_or_else(|| "psql".into(), |folder| folder.join("psql"));
    let out = Command::new(psql)
        .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url])
        .args(sql.split(";;").flat_map(|each| ["-c", each]))
        .output()
        .unwrap();
    match out.status.success() {
        true => Ok(String::from_utf8(out.stdout)
            .unwrap()
            .trim_end_matches('\n')
            .to_owned()),
        false => Err(String::from_utf8_lossy(&out.stderr).into_owned()),
    }
}
