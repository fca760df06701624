//! A forged sender begins no boards, speaks for nobody, and learns nothing of an account.
