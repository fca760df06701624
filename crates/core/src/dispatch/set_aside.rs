//! A message whose handling failed through a fault of ours.

use chrono::{DateTime, Utc};

use crate::command::{Addressee, Belief, InternalError, Letter, Proofs};
use crate::letters::Apology;
use crate::store::{Outcome, State, Store};
use crate::table::PlayerId;

use super::entry::{Recorded, received};
use super::handler::{Cause, Handler};
use super::reply_context::ReplyContext;
use super::request::Request;
use super::trust::Trust;

impl Handler {
    /// Records a message whose handling failed, and sends an apology: to its player, if a token or a password proves who
    /// that is.
    pub fn set_aside(
        &mut self,
        store: &Store,
        request: &Request,
        proofs: &Proofs,
        why: &str,
        now: DateTime<Utc>,
    ) -> Result<Recorded, InternalError> {
        let outcome = Outcome {
            identity: request.copy(),
            ..Outcome::of(State::Failed, why.to_owned())
        };
        let id = store.add_received(&received(request, now), &outcome)?;
        let answers = ReplyContext::of(request, store, &self.key, now)?;
        if request.mail.silence.is_none() {
            let player = match answers.token_player() {
                Some(player) => Some(player),
                None => proven_by(store, proofs)?,
            };
            let is_proven = player.is_some() || request.sender.belief == Belief::Authenticated;
            let cause = Cause {
                standing: match is_proven {
                    true => Trust::Proven,
                    false => Trust::unproven(store, &request.sender)?,
                },
                ..request.cause(id)
            };
            let letter = Letter {
                to: player.map_or(Addressee::Sender, Addressee::Player),
                ..Letter::answer(Apology { number: id }.into())
            };
            self.post(store, &cause, &letter, now)?;
        }
        Ok(Recorded::of(id, outcome))
    }
}

/// The player of whom a message has the right password, which was checked before.
fn proven_by(store: &Store, proofs: &Proofs) -> Result<Option<PlayerId>, InternalError> {
    for proof in &proofs.0 {
        if let Some((hash, true)) = &proof.checked
            && let Some(player) = store.player(&proof.userid_key)?
            && player.password_hash == *hash
        {
            return Ok(Some(player.id));
        }
    }
    Ok(None)
}
