//! One message has one effect, however many copies come; a copy that was not carried out takes no other's place.
