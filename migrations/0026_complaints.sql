-- Addresses whose owner told the mail provider that our mail is unwanted. The row goes when a mail comes from there.
CREATE TABLE complaints (
    address_key   TEXT    PRIMARY KEY,
    kind          TEXT    NOT NULL, -- the Feedback-Type of the report (RFC 5965, section 7.3), such as abuse
    at            INTEGER NOT NULL
) STRICT;
