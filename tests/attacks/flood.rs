//! Strangers at full speed beside people who play.
