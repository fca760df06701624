//! Guessing passwords in somebody's name locks nobody out.
