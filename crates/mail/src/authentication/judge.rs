//! What `mail-auth` finds about a claim, and what of that is believed.

use mail_auth::common::crypto::Algorithm;
use mail_auth::common::to_a_label;
use mail_auth::common::verify::{DomainKey, VerifySignature as _};
use mail_auth::dkim::Signature;
use mail_auth::dmarc::verify::DmarcParameters;
use mail_auth::spf::verify::SpfParameters;
use mail_auth::{
    AuthenticatedMessage, DkimOutput, DkimResult, DmarcResult, MessageAuthenticator, Parameters, SpfOutput,
    SpfResult,
};

use crate::{Address, is_same_organisation};

use super::bounds::{Bounds, Purse};
use super::cache::Cache;
use super::claim::{Claim, Verdict};

/// The signatures of a message that are verified, from the top. Anybody can write a hundred.
pub const SIGNATURES: usize = 3;

/// The fields of a header, and those that a signature covers. `mail-auth` looks for each of the latter among all of the former.
const FIELDS: usize = 1000;
const COVERED: usize = 100;

/// The flag `t=y` of a key, as `mail-auth` keeps it: its owner tests it, and messages that bear it are to be treated as
/// unsigned (RFC 6376, section 3.6.1).
const IS_UNDER_TEST: u64 = 0x10;

/// What is looked at, and with what.
struct Case<'a> {
    authenticator: &'a MessageAuthenticator,
    cache: &'a Cache,
    purse: Purse<'a>,
    /// The domain in `From`, in lower case, as A-labels.
    from: String,
}

/// What authenticates a claim. Its caller bounds the time.
pub(super) async fn judge(
    authenticator: &MessageAuthenticator,
    cache: &Cache,
    bounds: &Bounds,
    claim: &Claim,
) -> Verdict {
    let case = Case {
        authenticator,
        cache,
        purse: Purse::new(bounds, claim),
        from: to_a_label(claim.from.domain()).into_owned(),
    };
    let message = {
        let _turn = bounds.turn(claim).await;
        case.read(claim)
    };
    let Some(message) = message else {
        return Verdict::Nothing;
    };
    let sender = claim
        .sender
        .as_ref()
        .filter(|sender| case.is_near(sender.domain()));
    let client = claim.client.zip(sender);
    if message.dkim_headers.is_empty() && client.is_none() {
        return Verdict::Nothing;
    }
    let Some(_place) = bounds.enter(claim).await else {
        return Verdict::Unknown;
    };
    let mut found = Verdict::Nothing;
    if case.is_signed(message.clone()).await {
        found = Verdict::Signed;
    } else if let Some((client, sender)) = client
        && case.is_sent(&message, client, sender).await
    {
        found = Verdict::Sent;
    }
    match case.purse.is_over() {
        true => Verdict::Unknown,
        false => found,
    }
}

impl Case<'_> {
    fn is_near(&self, domain: &str) -> bool {
        is_same_organisation(&to_a_label(domain), &self.from)
    }

    /// The message with the signatures that may count. `None`: it has not the one `From` that the claim is about, by the
    /// parser that finds the signed fields.
    fn read<'m>(&self, claim: &'m Claim) -> Option<AuthenticatedMessage<'m>> {
        let mut message = AuthenticatedMessage::parse(&claim.bytes)?;
        if message.headers.len() > FIELDS {
            return None;
        }
        let fields = message.headers.iter();
        let fields = fields.filter(|(name, _)| name.trim_ascii().eq_ignore_ascii_case(b"From"));
        let is_one = fields.count() == 1;
        let domain = match message.from.as_slice() {
            [one] if is_one => one
                .rsplit_once('@')
                .map(|(_, domain)| to_a_label(domain).into_owned()),
            _ => None,
        };
        if domain.as_ref() != Some(&self.from) {
            return None;
        }
        message
            .dkim_headers
            .retain(|header| self.may_count(&header.header));
        message.dkim_headers.truncate(SIGNATURES);
        // What asks for reports about failures, and for third parties who may sign, would only cause questions.
        for header in &mut message.dkim_headers {
            header.header.r = false;
            header.header.atps = None;
        }
        message.dkim2_signatures.clear();
        message.dkim2_instances.clear();
        Some(message)
    }

    /// Whether a signature may count: RFC 6376, section 5.4, demands that it covers `From`; RFC 8301 forbids SHA-1.
    fn may_count(&self, signature: &Signature) -> bool {
        signature.v == 1
            && signature.a != Algorithm::RsaSha1
            && signature.h.len() <= COVERED
            && signature.h.iter().any(|name| name.eq_ignore_ascii_case("from"))
            && self.is_near(&signature.d)
    }

    async fn is_signed(&self, mut message: AuthenticatedMessage<'_>) -> bool {
        let keys = self.cache.keys.of(&self.purse);
        let mut usable = Vec::new();
        for header in std::mem::take(&mut message.dkim_headers) {
            let name = header.header.domain_key();
            let key = self
                .authenticator
                .txt_lookup::<DomainKey>(name, Some(&keys))
                .await;
            if key.is_ok_and(|key| !key.has_flag(IS_UNDER_TEST)) {
                usable.push(header);
            }
        }
        message.dkim_headers = usable;
        if message.dkim_headers.is_empty() {
            return false;
        }
        let signed = self
            .authenticator
            .verify_dkim(Parameters::new(&message).with_txt_cache(&keys));
        let signed: Vec<DkimOutput<'_>> = signed.await;
        let passed = |output: &&DkimOutput<'_>| *output.result() == DkimResult::Pass;
        if !signed.iter().any(|output| passed(&output)) {
            return false;
        }
        let mut domains = signed.iter().filter(passed).filter_map(DkimOutput::signature);
        let is_equal = domains.any(|signature| to_a_label(&signature.d) == self.from);
        self.is_aligned(&message, &signed, "", &SpfOutput::default(), is_equal)
            .await
    }

    /// The greeting of the client is not known here. The domain of the sender stands for it: a record that depends on the
    /// greeting names its own.
    async fn is_sent(
        &self,
        message: &AuthenticatedMessage<'_>,
        client: std::net::IpAddr,
        sender: &Address,
    ) -> bool {
        let domain = to_a_label(sender.domain());
        let senders = self.cache.senders.of(&self.purse);
        let (mx, names) = (self.cache.mx.of(&self.purse), self.cache.names.of(&self.purse));
        let (ipv4, ipv6) = (self.cache.ipv4.of(&self.purse), self.cache.ipv6.of(&self.purse));
        let address = format!("{}@{domain}", sender.local());
        let asked = SpfParameters::verify_mail_from(client, &domain, &domain, &address);
        let asked = Parameters::new(asked)
            .with_txt_cache(&senders)
            .with_mx_cache(&mx)
            .with_ptr_cache(&names)
            .with_ipv4_cache(&ipv4)
            .with_ipv6_cache(&ipv6);
        let sent = self.authenticator.check_host(asked).await;
        sent.result() == SpfResult::Pass
            && self
                .is_aligned(message, &[], &domain, &sent, domain == self.from)
                .await
    }

    /// Whether what has passed aligns with `From` as the policy of its domain asks. Without a policy the domains must be
    /// equal.
    async fn is_aligned(
        &self,
        message: &AuthenticatedMessage<'_>,
        signed: &[DkimOutput<'_>],
        sender: &str,
        sent: &SpfOutput,
        is_equal: bool,
    ) -> bool {
        let policies = self.cache.policies.of(&self.purse);
        let ipv4 = self.cache.ipv4.of(&self.purse);
        let asked = DmarcParameters {
            message,
            dkim_output: signed,
            dkim2_output: None,
            rfc5321_mail_from_domain: sender,
            spf_output: sent,
        };
        let asked = Parameters::new(asked)
            .with_txt_cache(&policies)
            .with_ipv4_cache(&ipv4);
        let found = self.authenticator.verify_dmarc(asked).await;
        match (found.dkim_result(), found.spf_result()) {
            (DmarcResult::Pass, _) | (_, DmarcResult::Pass) => true,
            (DmarcResult::None, DmarcResult::None) => is_equal && found.dmarc_record().is_none(),
            _ => false,
        }
    }
}
