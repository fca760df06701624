//! What its players have written on the turns of a finished game, and who may read it.

use chrono::{DateTime, Utc};
use pbmserv_games::Seat;
use pbmserv_games::record::Record;

use crate::table::{Board, BoardId, End, PlayerId, is_erased};

use super::{BoardNote, Reader, Result, Store};

/// Words of a player on a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnComment {
    /// The number of the turn, from 1; both players' turns count.
    pub ordinal: u32,
    pub seat: Seat,
    pub words: String,
}

impl Reader {
    /// What this reader may read of the words on a board's turns, in their order: its players read each other's unless one has
    /// blocked the other, and anybody else reads what is public.
    pub fn turn_comments(&self, board: &Board, reader: Option<PlayerId>) -> Result<Vec<TurnComment>> {
        if !matches!(board.end, Some(End::Finished(_))) {
            return Ok(Vec::new());
        }
        let own = reader.and_then(|reader| board.seat_of(reader));
        let hidden = match own {
            None if !self.has_public_comments(board)? => return Ok(Vec::new()),
            Some(own) if self.has_blocked(board.at(own).id, board.at(own.other()).id)? => Some(own.other()),
            _ => None,
        };
        let sql =
            "SELECT ordinal, player, words FROM turn_comments WHERE board = $1 ORDER BY ordinal, player";
        let rows: Vec<(u32, PlayerId, String)> = self.db.all(sql, &[&board.id], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?;
        let comments = rows.into_iter().filter_map(|(ordinal, player, words)| {
            let seat = board.seat_of(player).filter(|seat| Some(*seat) != hidden)?;
            Some(TurnComment { ordinal, seat, words })
        });
        Ok(comments.collect())
    }

    /// Whether the player in this seat agrees that everybody may read the words. A computer does, and who is erased, since they
    /// have none there.
    pub fn opens_comments(&self, board: &Board, seat: Seat) -> Result<bool> {
        let seated = board.at(seat);
        let sql = "SELECT 1 FROM open_comments WHERE player = $1 AND board = $2";
        let agrees = || self.db.find(sql, &[&seated.id, &board.id], |_| Ok(()));
        Ok(seated.id.is_computer() || is_erased(&seated.userid) || agrees()?.is_some())
    }

    /// Whether everybody may read the words on the turns of a board.
    pub fn has_public_comments(&self, board: &Board) -> Result<bool> {
        Ok(self.opens_comments(board, Seat::First)? && self.opens_comments(board, Seat::Second)?)
    }

    /// The record of a board with what was said on its turns: its notes with these in place of the same ones, and the words that
    /// this reader may read. `None` if the board has none.
    pub fn record_of(
        &self,
        board: &Board,
        reader: Option<PlayerId>,
        more: &[BoardNote],
    ) -> Result<Option<Record>> {
        let Some(mut record) = board.record(&self.turns(board.id)?) else {
            return Ok(None);
        };
        let mut notes = self.board_notes(board.id)?;
        notes.retain(|note| {
            more.iter()
                .all(|other| (other.ordinal, other.kind) != (note.ordinal, note.kind))
        });
        notes.extend_from_slice(more);
        let notes = notes.into_iter().map(|note| (note.ordinal, note.text));
        let words = self.turn_comments(board, reader)?.into_iter().map(|comment| {
            let words = comment.words.split_whitespace().collect::<Vec<_>>().join(" ");
            (
                comment.ordinal,
                format!("{}: {words}", board.at(comment.seat).userid),
            )
        });
        let mut said: Vec<_> = notes.chain(words).collect();
        said.sort_by_key(|(turn, _)| *turn);
        let said = said
            .into_iter()
            .map(|(turn, text)| (turn as usize, format!("{turn}. {text}")));
        record.comments.0 = said.collect();
        Ok(Some(record))
    }
}

impl Store {
    /// Replaces a player's words on a turn of a board; `None` deletes them.
    pub fn set_turn_comment(
        &self,
        (board, ordinal, player): (BoardId, u32, PlayerId),
        words: Option<&str>,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let Some(words) = words else {
            let sql = "DELETE FROM turn_comments WHERE board = $1 AND ordinal = $2 AND player = $3";
            return self.db.write(sql, &[&board, &ordinal, &player]);
        };
        let sql = "INSERT INTO turn_comments (board, ordinal, player, words, written_at) VALUES ($1, $2, $3, $4, $5) \
                   ON CONFLICT (board, ordinal, player) DO UPDATE SET words = excluded.words, written_at = excluded.written_at";
        self.db.write(sql, &[&board, &ordinal, &player, &words, &now])
    }

    /// A player agrees that everybody may read the words on the turns of a board, or does not any more.
    pub fn open_comments(&self, player: PlayerId, board: BoardId, is_open: bool) -> Result<()> {
        let sql = match is_open {
            true => {
                "INSERT INTO open_comments (player, board) VALUES ($1, $2) ON CONFLICT (player, board) DO NOTHING"
            }
            false => "DELETE FROM open_comments WHERE player = $1 AND board = $2",
        };
        self.db.write(sql, &[&player, &board])
    }
}
