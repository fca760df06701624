//! The client of a session, as the limits see it.

use std::net::IpAddr;
use std::sync::Arc;

use super::admission::{Admission, ConnectionPermit, Full};
use super::rates::{Event, Rates};
use super::settings::Settings;
use crate::doors::socket::Peer;

/// Lines in the log about the limits of one network in a minute.
const LOG_LINES: u32 = 6;

/// A client with an open connection, which counts until this is dropped.
pub(super) struct Client {
    /// `None` for a trusted client, of which nothing is counted.
    counted: Option<(IpAddr, Arc<Rates>)>,
    permit: ConnectionPermit,
}

impl Client {
    /// Admits a new connection, if the limits allow it.
    pub(super) fn admit(
        admission: &Admission,
        peer: Peer,
        is_trusted: bool,
        settings: &Settings,
    ) -> Result<Self, Full> {
        let address = peer.ip();
        let rates = &admission.rates;
        let permit = admission.guests.admit(address, is_trusted, settings)?;
        if is_trusted {
            return Ok(Self {
                counted: None,
                permit,
            });
        }
        if rates.is_spent(address, Event::Refusal, settings.refusals_a_minute) {
            return Err(Full::Refusals);
        }
        if !rates.admit(address, Event::Connection, settings.connections_a_minute) {
            return Err(Full::Often);
        }
        Ok(Self {
            counted: Some((address, Arc::clone(rates))),
            permit,
        })
    }

    /// The address of a sender's machine; `None` for a mail server that brings everybody's mail.
    pub(super) fn address(&self) -> Option<IpAddr> {
        self.counted.as_ref().map(|(address, _)| address.to_canonical())
    }

    /// Whether the client is a mail server of the operator.
    pub(super) fn is_trusted(&self) -> bool {
        self.counted.is_none()
    }

    /// Counts an event, if the limit of so many a minute allows it.
    pub(super) fn may(&self, event: Event, limit: u32) -> bool {
        let counted = self.counted.as_ref();
        counted.is_none_or(|(address, rates)| rates.admit(*address, event, limit))
    }

    /// Whether this client is to be served with less patience, since most connections are in use.
    pub(super) fn is_under_stress(&self, settings: &Settings) -> bool {
        !self.is_trusted() && self.permit.is_crowded(settings)
    }

    /// Whether a limit that the client has met is to be logged.
    pub(super) fn is_log_due(&self) -> bool {
        self.may(Event::LogLine, LOG_LINES)
    }
}

/// Whether a refused connection is to be logged.
pub(super) fn is_refusal_log_due(admission: &Admission, peer: Peer) -> bool {
    admission.rates.admit(peer.ip(), Event::LogLine, LOG_LINES)
}
