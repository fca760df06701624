//! The Power of Two.
