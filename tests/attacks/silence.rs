//! A forged mail silences nobody.
