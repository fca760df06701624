//! Mail to the postmaster.
