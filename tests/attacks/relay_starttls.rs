//! A man in the middle between the server and its relay.
