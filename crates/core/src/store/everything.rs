//! Everything that is stored of one player, by the tables themselves: a table that is added later is in it, if its rows name the
//! player. The operator gets it, and the player: so nothing of it lets anybody play for the player, or says of others more than
//! a board says of them.

use std::collections::HashSet;
use std::ops::ControlFlow;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};

use super::sqlite::{Table, tables};
use super::value::{Kept, ToValue};
use super::{BoardFilter, Reader, Result};
use crate::table::{Player, PlayerId};
use pbmserv_mail::Address;

/// What says nothing of the player, lets others play for them, helps in a game that runs, or is about others: who guessed a
/// password, and the words of who wrote to the player.
const LEFT_OUT: [&str; 15] = [
    "password_hash",
    "generation",
    "renewed",
    "identity",
    "letter",
    "limit_key",
    "recipient_key",
    "hash",
    "estimate",
    "dice_seed",
    "dice_words",
    "submitted_event",
    "sender_key",
    "said",
    "said_by",
];

/// The condition for rows of the player in a table; `None`: it has none.
fn condition(table: &Table) -> Option<&'static str> {
    let has = |name: &str| table.columns.iter().any(|column| column == name);
    Some(match table.name.as_str() {
        "players" => "id = $1",
        // Who has blocked the player is theirs.
        "blocks" => "player = $1",
        "boards" => "first_player = $1 OR second_player = $1",
        "turns" => "board IN (SELECT id FROM boards WHERE first_player = $1 OR second_player = $1)",
        "proposals" => "player = $1 OR opponent = $1",
        "joins" => "player = $1 OR inviter = $1",
        "contests" => "made_by = $1",
        "inbox" => {
            "lower(header_from) IN (SELECT lower(address) FROM addresses WHERE player = $1) \
             OR lower(sender) IN (SELECT lower(address) FROM addresses WHERE player = $1)"
        }
        _ if has("player") => "player = $1",
        _ => return None,
    })
}

/// What may still be written, in bytes.
struct Room(usize);

impl Room {
    /// Takes the bytes of a part; gives whether there was room for it.
    fn takes(&mut self, bytes: usize) -> bool {
        match self.0.checked_sub(bytes) {
            Some(left) => {
                self.0 = left;
                true
            }
            None => false,
        }
    }
}

impl Reader {
    /// All that is stored of a player as JSON: the rows by table, with times in milliseconds since 1970, and the record of each
    /// board under the name of a file. `None`: it has more bytes than these, and not much more was read.
    pub fn everything_of(
        &self,
        player: &Player,
        server: &Address,
        now: DateTime<Utc>,
        most: usize,
    ) -> Result<Option<String>> {
        let room = &mut Room(most);
        let Some(rows) = self.rows_of(player.id, room)? else {
            return Ok(None);
        };
        let boards = self.boards(BoardFilter {
            player: Some(player.id),
            limit: u32::MAX,
            ..BoardFilter::default()
        })?;
        let mut records = Map::new();
        for board in boards {
            let Some(record) = board.record(&self.turns(board.id)?) else {
                continue;
            };
            let record = record.to_string();
            if !room.takes(record.len()) {
                return Ok(None);
            }
            let file = format!("{}-{}.txt", board.game.facts.name, board.number);
            records.insert(file, record.into());
        }
        let shown = json!({
            "server": server.as_str(),
            "userid": player.userid,
            "made_at": now.to_rfc3339(),
            "rows": rows,
            "records": records,
        });
        let text = format!("{shown:#}\n");
        Ok((text.len() <= most).then_some(text))
    }

    fn rows_of(&self, player: PlayerId, room: &mut Room) -> Result<Option<Map<String, Value>>> {
        let addresses = self.addresses(player)?;
        let own: HashSet<String> = addresses
            .iter()
            .map(|row| row.address.as_str().to_lowercase())
            .collect();
        let mut all = Map::new();
        for table in tables()? {
            let Some(condition) = condition(&table) else {
                continue;
            };
            let mut columns = table.columns.clone();
            columns.retain(|column| !LEFT_OUT.contains(&column.as_str()));
            let sql = format!(
                "SELECT {} FROM {} WHERE {condition} ORDER BY {}",
                columns.join(", "),
                table.name,
                table.listed_key()
            );
            let mut rows = Vec::new();
            let mut fits = true;
            self.db.each(&sql, &[&player as &dyn ToValue], |row| {
                let mut shown = Map::new();
                for (index, column) in columns.iter().enumerate() {
                    shown.insert(column.clone(), shown_value(row.get(index)?));
                }
                without_others(&table.name, &mut shown, player, &own);
                let shown = Value::Object(shown);
                fits = room.takes(shown.to_string().len());
                rows.push(shown);
                Ok(match fits {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                })
            })?;
            if !fits {
                return Ok(None);
            }
            if !rows.is_empty() {
                all.insert(table.name, rows.into());
            }
        }
        Ok(Some(all))
    }
}

/// Takes out what is of others: their addresses, and what the other player of a board has planned.
fn without_others(table: &str, row: &mut Map<String, Value>, player: PlayerId, own: &HashSet<String>) {
    let is_player = |row: &Map<String, Value>, name: &str| row.get(name) == Some(&player.0.into());
    match table {
        "boards" => {
            let seat = i64::from(!is_player(row, "first_player"));
            let is_own = |name: &str| row.get(name) == Some(&seat.into());
            let (plans, moves) = (is_own("plan_by"), is_own("to_move"));
            if !plans {
                row.remove("plan");
                row.remove("plan_by");
            }
            if !moves {
                row.remove("submitted");
            }
        }
        "joins" if !is_player(row, "player") => {
            row.remove("address");
        }
        "inbox" => {
            for name in ["sender", "header_from"] {
                let is_own = |text: &str| own.contains(&text.to_lowercase());
                if !row.get(name).and_then(Value::as_str).is_some_and(is_own) {
                    row.remove(name);
                }
            }
        }
        _ => {}
    }
}

fn shown_value(value: Kept) -> Value {
    match value {
        Kept::Int(number) => number.into(),
        Kept::Real(number) => json!(number),
        Kept::Text(text) => text.into(),
        // No such column is shown.
        Kept::Null | Kept::Blob(_) => Value::Null,
    }
}
