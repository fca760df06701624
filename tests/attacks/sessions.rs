//! Bounds of one SMTP session and of one network.
