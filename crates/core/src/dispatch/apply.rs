//! Writes the changes of a decision to the database.

use chrono::{DateTime, TimeDelta, Utc};

use crate::command::{Change, CompanyChange, DAYS_TO_CONFIRM};
use crate::store::{Result, Store};

/// Applies one change.
pub(super) fn apply(store: &Store, change: &Change, now: DateTime<Utc>) -> Result<()> {
    match change {
        Change::Signup {
            player,
            addresses,
            confirmed_at,
        } => {
            let id = store.add_player(player)?;
            for address in addresses {
                store.add_address(id, address, *confirmed_at, now)?;
            }
            match confirmed_at {
                Some(_) => Ok(()),
                None => store.set_expiry(id, Some(now + TimeDelta::days(DAYS_TO_CONFIRM))),
            }
        }
        Change::ConfirmAddress(row) => store.confirm_address(*row, now),
        Change::AddAddress {
            player,
            address,
            confirmed_at,
        } => store
            .add_address(*player, address, *confirmed_at, now)
            .map(|_| ()),
        Change::AskForName {
            address,
            userid,
            invited,
        } => store.add_join(address, userid, invited.as_ref(), now),
        Change::Uninvite { hash, until } => store.uninvite(hash, *until),
        Change::KeepGame {
            address,
            game,
            player,
        } => store.keep_game(address, game, *player),
        Change::KeptGameBegins(row) => store.game_has_begun(*row),
        Change::ProposeName { row, userid } => store.propose_name(*row, userid),
        Change::Join { row, player, address } => {
            let id = store.add_player(player)?;
            store.add_address(id, address, Some(now), now)?;
            store.has_joined(*row, id)
        }
        Change::RemoveAddress(row) => store.remove_address(*row),
        Change::ReplaceAddresses {
            player,
            addresses,
            confirmed_at,
        } => store.replace_addresses(*player, addresses, *confirmed_at, now),
        Change::Password {
            player,
            password_hash,
        } => store.set_password(*player, password_hash),
        Change::Away { player, since } => store.set_away(*player, *since),
        Change::Vacation { player, until } => store.set_vacation(*player, *until, now),
        Change::EndVacation(player) => store.end_vacation(*player, now),
        Change::Disable { player, since } => store.set_disabled(*player, *since),
        Change::Rename { player, userid } => store.rename_player(*player, userid),
        Change::Delete(player) => store.erase_player(*player, now),
        Change::Block {
            player,
            other,
            is_on: true,
        } => store.block(*player, *other),
        Change::Block { player, other, .. } => store.unblock(*player, *other),
        Change::Count { what, key, more } => store.count(*what, key, *more, now),
        Change::Propose {
            player,
            opponent,
            line,
        } => store.add_proposal(*player, *opponent, line, now),
        Change::EndProposal { player, line } => store.end_proposal(*player, line),
        Change::Begin(board) => store.add_board(board).map(|_| ()),
        Change::Board(board) => store.save_board(board),
        Change::Offer(board) => store.set_offer(board),
        Change::Rate(rated) => store.rate(rated),
        Change::Overturn(board) => store.overturn(*board),
        Change::Display {
            player,
            game,
            display,
        } => store.set_display(*player, game, *display),
        Change::Digest { player, due_at } => {
            if due_at.is_none() {
                store.forget_digest_news(*player)?;
            }
            store.set_digest(*player, *due_at, now)
        }
        Change::DigestLetter { player, boards } => store.add_digest_letter(*player, boards),
        Change::RenewLinks(player) => store.renew_page_links(*player),
        Change::Preferences { player, preferences } => store.set_preferences(*player, preferences),
        Change::Seek(seek) => store.set_seek(seek),
        Change::EndSeek { player, game } => store.end_seek(*player, game),
        Change::TakeSeek { player, game } => store.take_seek(*player, game),
        Change::Taking { player, game, taking } => store.set_taking(*player, game, *taking),
        Change::Ask(advice) => store.ask_advice(advice),
        Change::EndAdvice(advice) => store.end_advice(advice.kind, advice.board, advice.player),
        Change::Note { board, note } => store.add_note(*board, note),
        Change::OwnNote { player, board, words } => store.set_own_note(*player, *board, words.as_deref()),
        Change::KeepLine { player, board, kept } => store.keep_line(*player, *board, kept),
        Change::DropLine { player, board, name } => store.drop_line(*player, *board, name),
        Change::PlayerNote { player, other, words } => {
            store.set_player_note(*player, *other, words.as_deref())
        }
        Change::TurnComment {
            player,
            board,
            ordinal,
            words,
        } => store.set_turn_comment((*board, *ordinal, *player), words.as_deref(), now),
        Change::OpenComments {
            player,
            board,
            is_open,
        } => store.open_comments(*player, *board, *is_open),
        Change::Estimate { board, estimate } => store.set_estimate(*board, i64::from(*estimate)),
        Change::Watch {
            player,
            watched,
            ends_only,
        } => store.watch(*player, *watched, *ends_only),
        Change::Unwatch { player, watched } => store.unwatch(*player, *watched),
        Change::NotifyAt { player, target, form } => store.set_notice_target(*player, target, *form, now),
        Change::BeginNotices(player) => store.begin_notices(*player),
        Change::EndNotices(player) => store.end_notices(*player),
        Change::PlanGazette { since, due_at } => store.plan_gazette(*since, *due_at),
        Change::Solve(answer) => store.add_gazette_answer(answer, now),
        Change::Company(change) => company(store, change, now),
    }
}

fn company(store: &Store, change: &CompanyChange, now: DateTime<Utc>) -> Result<()> {
    match change {
        CompanyChange::JoinLeague { player, game, next } => store.join_league(game, *player, *next, now),
        CompanyChange::LeaveLeague { player, game } => store.leave_league(game, *player),
        CompanyChange::JoinLadder { player, game } => store.join_ladder(game, *player, now),
        CompanyChange::LeaveLadder { player, game } => store.leave_ladder(game, *player, now),
        CompanyChange::BeginLadderBoard(board) => store.begin_ladder_board(board),
        CompanyChange::NewCup(new) => store.add_contest(new).map(|_| ()),
        CompanyChange::JoinCup { contest, player } => store.add_entrant(*contest, *player, now),
        CompanyChange::InviteToCup { contest, player } => store.add_cup_guest(*contest, *player),
        CompanyChange::LeaveContest { contest, player } => store.leave_contest(*contest, *player, now),
        CompanyChange::LeaveAll { player, is_for_good } => store.leave_company(*player, *is_for_good, now),
        CompanyChange::BeginPairing { pairing, board } => store.begin_pairing(*pairing, board),
        CompanyChange::LookAt(contest) => store.look_at_contest(*contest, now),
        CompanyChange::EndContest(contest) => store.end_contest(*contest, now),
        CompanyChange::Rule { pairing, ruling } => store.rule_pairing(*pairing, *ruling, now),
    }
}
