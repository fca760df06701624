//! Strangers cannot make the server compute hashes.
