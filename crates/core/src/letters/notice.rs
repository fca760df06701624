//! What is said below a mail of any kind.

/// Says that no more answers go to an address until then.
#[must_use]
pub fn last_answer(until: &str) -> String {
    format!(
        "This is the last answer to this address today: it has had as many as the server sends in a day. Answers go out \
         again from {until}. Commands are still carried out."
    )
}

/// Says that no more answers to mails that prove nobody go to an address until then.
#[must_use]
pub fn last_unproven_answer(until: &str) -> String {
    format!(
        "This is the last answer to this address today. Until {until}, only commands with your password, and answers to \
         this server's mails, are answered."
    )
}

/// Says that no more refusals of mails that prove nobody go to an address until then.
#[must_use]
pub fn last_refusal(until: &str) -> String {
    format!(
        "This is the last refusal to this address today. Until {until}, a mail that cannot be understood or carried \
         out is answered only if it has your password, or answers a mail of this server."
    )
}
