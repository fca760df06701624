//! SMTP.
