//! Nobody else on the machine reads the database or the key.
