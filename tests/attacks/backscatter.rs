//! A stranger's mail makes the server write little.
