//! Whether what is committed is on a second machine, as PostgreSQL says.

/// More WAL than this is not kept for a standby that is about to come back.
const KEPT_MAX: u64 = 1 << 30;

/// What PostgreSQL says of its standbys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replication {
    /// Whether two machines are meant: the address of the database names more than one host.
    pub is_meant: bool,
    /// Whether this account may see the standbys.
    pub is_visible: bool,
    /// Whether a commit waits for a standby: `synchronous_standby_names` is not empty.
    pub waits: bool,
    /// The standbys that have a commit before it is answered.
    pub synchronous: u32,
    /// The slot without a standby that keeps the most WAL, and how many bytes.
    pub kept: Option<(String, u64)>,
}

impl Replication {
    /// Whether a second machine is meant, and none is known to have what is committed.
    #[must_use]
    pub const fn lacks_standby(&self) -> bool {
        self.is_meant && (!self.is_visible || !self.waits || self.synchronous == 0)
    }

    /// Whether nothing can be committed until a standby comes back.
    #[must_use]
    pub const fn stops_commits(&self) -> bool {
        self.is_visible && self.waits && self.synchronous == 0
    }

    /// What is wrong, and what to do; empty if all is well.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let mut found = Vec::new();
        if self.stops_commits() {
            found.push(
                "No synchronous standby is connected, and PostgreSQL waits for one with each commit, so no mail is taken: \
                 start the standby, or give it up (docs/two-machines.md)."
                    .to_owned(),
            );
        } else if self.is_meant && !self.is_visible {
            found.push(
                "Whether a standby has what is committed cannot be seen: GRANT pg_monitor TO the account of [store] url."
                    .to_owned(),
            );
        } else if self.lacks_standby() {
            found.push(
                "PostgreSQL waits for no standby: if the primary is lost, turns that were answered are lost too. Set \
                 synchronous_standby_names = '*' when a standby follows (docs/two-machines.md)."
                    .to_owned(),
            );
        }
        if let Some((slot, bytes)) = self.kept.as_ref().filter(|(_, bytes)| *bytes > KEPT_MAX) {
            found.push(format!(
                "The slot {slot} keeps {} GB of WAL for a standby that is away, and fills the disk of the primary: start that \
                 standby, or SELECT pg_drop_replication_slot('{slot}').",
                bytes >> 30
            ));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::Replication;

    fn meant() -> Replication {
        Replication {
            is_meant: true,
            is_visible: true,
            waits: true,
            synchronous: 1,
            kept: None,
        }
    }

    #[test]
    fn a_synchronous_standby_is_no_fault_and_one_machine_needs_none() {
        assert!(meant().faults().is_empty());
        assert!(Replication::default().faults().is_empty());
        assert!(!Replication::default().lacks_standby());
    }

    #[test]
    fn each_fault_says_what_to_do() {
        let fault = |found: Replication| found.faults().join("\n");
        let alone = Replication {
            waits: false,
            ..meant()
        };
        assert!(alone.lacks_standby() && fault(alone).contains("synchronous_standby_names = '*'"));
        let lost = Replication {
            synchronous: 0,
            ..meant()
        };
        assert!(lost.stops_commits() && fault(lost).contains("give it up"));
        let hidden = Replication {
            is_visible: false,
            ..meant()
        };
        assert!(hidden.lacks_standby() && fault(hidden).contains("GRANT pg_monitor"));
        let full = Replication {
            kept: Some(("db2".to_owned(), 3 << 30)),
            ..meant()
        };
        assert!(fault(full).contains("db2 keeps 3 GB"));
    }
}
