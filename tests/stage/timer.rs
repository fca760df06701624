//! The timer of a stage.

use chrono::{DateTime, TimeDelta, Utc};
use pbmserv_core::store::Outgoing;

use crate::stage::Stage;

impl Stage {
    /// Lets time pass as the timer does: each due thing is done at its time, and its mails are delivered at that
    /// time.
    pub(crate) async fn live(&self, time: TimeDelta) -> Vec<(DateTime<Utc>, Vec<Outgoing>)> {
        let until = self.server.now() + time;
        let next = self.server.engine.next_due();
        let mut happened = Vec::new();
        loop {
            let due = next.borrow().filter(|due| *due <= until);
            let Some(due) = due else { break };
            let at = due.max(self.server.now());
            self.pass(at - self.server.now());
            let done = self.server.engine.do_what_is_due().await.unwrap();
            assert!(done > 0 || *next.borrow() != Some(due), "{due}");
            self.server.thinking.until_idle().await.unwrap();
            let letters = self.collect().await;
            if !letters.is_empty() {
                happened.push((at, letters));
            }
        }
        self.pass(until - self.server.now());
        happened
    }
}
