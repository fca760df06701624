//! All that is stored of a player, for that player: attached to the letter that brings it, or given by the link in it.
//!
//! It is made when the letter is sent, or the button of the page is pressed, and kept nowhere. Finding all mails of a player
//! reads the whole tables of mails. So one is made at a time, on a connection of its own, and never by the engine.

use pbmserv_core::letters::{Draft, Export, MAX_TEXT_BYTES};
use pbmserv_core::store::{self, Location, Outgoing, Reader};
use pbmserv_core::table::Player;
use pbmserv_mail::Address;

use super::TimeSource;
use super::readers::Readers;

/// The longest file that is attached, in bytes.
const MAX_ATTACHED: usize = MAX_TEXT_BYTES;

/// Makes the files.
#[derive(Clone, Debug)]
pub(super) struct Exports {
    readers: Readers,
    server: Address,
    clock: TimeSource,
}

impl Exports {
    pub(super) fn new(database: impl Into<Location>, server: Address, clock: TimeSource) -> Self {
        Self {
            readers: Readers::new(database, 1),
            server,
            clock,
        }
    }

    /// The file of the player whom `find` finds; `None`: it finds none. An inner `None`: the file has more bytes than these.
    pub(super) async fn make(
        &self,
        most: usize,
        find: impl FnOnce(&Reader) -> store::Result<Option<Player>> + Send + 'static,
    ) -> store::Result<Option<Option<String>>> {
        let (server, now) = (self.server.clone(), self.clock.now());
        let made = move |reader: &Reader| {
            let Some(player) = find(reader)? else {
                return Ok(None);
            };
            reader.everything_of(&player, &server, now, most).map(Some)
        };
        self.readers.ask(made).await
    }

    /// The letter with its file, or without its link if it goes where no link should go. A letter whose file is too long, or
    /// cannot be made in time, keeps its link.
    ///
    /// # Errors
    /// It must not be sent. For the operator.
    pub(super) async fn attached(&self, mut mail: Outgoing) -> Result<Outgoing, String> {
        let player = mail.draft.as_ref().and_then(Export::player);
        let player = player.ok_or("it does not say whose data it brings")?;
        let to = mail.to.key();
        // An address that is taken from an account gets nothing that waited for it.
        let find = move |reader: &Reader| {
            let rows = reader.addresses(player)?;
            let is_own = rows
                .iter()
                .any(|row| row.address.key() == to && row.confirmed_at.is_some());
            let account = reader.account(player)?.filter(|_| is_own);
            Ok(account.filter(|account| account.disabled_at.is_none()))
        };
        match self.make(MAX_ATTACHED, find).await {
            Ok(Some(Some(text))) => {
                mail.attachment = Some((Export::FILE.to_owned(), text));
                mail.draft = mail.draft.map(Draft::with_file);
            }
            Ok(Some(None)) => {}
            Ok(None) => return Err("the address is not the player's any more".to_owned()),
            Err(error) => {
                tracing::warn!(
                    mail = mail.id,
                    "the data of a player could not be attached: {error}"
                );
            }
        }
        Ok(mail)
    }
}
