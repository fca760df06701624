//! The script of a story, read from its file without the server's mails.

use chrono::TimeDelta;

/// A step of a story.
pub(crate) enum Line {
    Players(Vec<(String, String)>),
    Mail {
        from: String,
        /// `None`: a reply.
        subject: Option<String>,
        /// Whether it is a reply to the same mail as the one before.
        again: bool,
        fields: Vec<String>,
        body: String,
    },
    ToPostmaster {
        from: String,
        subject: String,
        body: String,
    },
    Bounce {
        address: String,
        status: String,
    },
    Complaint {
        address: String,
        kind: String,
    },
    /// A visitor keeps the game of a page: its name and its turns.
    Keep {
        address: String,
        game: String,
    },
    /// The button of the page is pressed to which the last letter to this address links.
    Press {
        address: String,
        button: String,
    },
    Wait(TimeDelta),
    Damage(String),
    Move(String),
    /// The server has pages at this address.
    Pages(String),
    Prose(String),
}

pub(crate) fn read(story: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    for text in story.lines() {
        if let Some(mail) = text.strip_prefix(">>> ") {
            let (from, subject) = mail
                .split_once(": ")
                .unwrap_or_else(|| panic!("no subject: {text}"));
            lines.push(match from.split_once(' ') {
                Some((from, replies @ ("replies" | "replies again"))) => Line::Mail {
                    from: from.into(),
                    subject: None,
                    again: replies != "replies",
                    fields: Vec::new(),
                    body: format!("{subject}\n"),
                },
                Some((from, "to the postmaster")) => Line::ToPostmaster {
                    from: from.into(),
                    subject: subject.into(),
                    body: String::new(),
                },
                Some((address, "bounces")) => Line::Bounce {
                    address: address.into(),
                    status: subject.into(),
                },
                Some((address, "keeps")) => Line::Keep {
                    address: address.into(),
                    game: subject.into(),
                },
                Some((address, "presses")) => Line::Press {
                    address: address.into(),
                    button: subject.into(),
                },
                Some((address, "complains")) => Line::Complaint {
                    address: address.into(),
                    kind: subject.into(),
                },
                _ => Line::Mail {
                    from: from.into(),
                    subject: Some(subject.into()),
                    again: false,
                    fields: Vec::new(),
                    body: String::new(),
                },
            });
        } else if let Some(field) = text.strip_prefix(">+ ") {
            let Some(Line::Mail { fields, .. }) = lines.last_mut() else {
                panic!("whose field is this: {text}")
            };
            fields.push(field.into());
        } else if let Some(said) = text.strip_prefix("> ").or_else(|| (text == ">").then_some("")) {
            let Some(Line::Mail { body, .. } | Line::ToPostmaster { body, .. }) = lines.last_mut() else {
                panic!("whose text is this: {text}")
            };
            body.push_str(said);
            body.push('\n');
        } else if let Some(sql) = text.strip_prefix("@! ") {
            lines.push(Line::Damage(sql.into()));
        } else if let Some(address) = text.strip_prefix("@> ") {
            lines.push(Line::Move(address.into()));
        } else if let Some(time) = text.strip_prefix("@@ ") {
            let (count, unit) = time.split_once(' ').unwrap();
            let count: i64 = count.parse().unwrap();
            lines.push(Line::Wait(match unit.trim_end_matches('s') {
                "day" => TimeDelta::days(count),
                "hour" => TimeDelta::hours(count),
                other => panic!("no unit {other}"),
            }));
        } else if let Some(address) = text.strip_prefix("Pages: ") {
            lines.push(Line::Pages(address.into()));
        } else if let Some(players) = text.strip_prefix("Players: ") {
            let players = players.split(", ").map(|player| player.split_once(' ').unwrap());
            let players = players.map(|(userid, password)| (userid.into(), password.into()));
            lines.push(Line::Players(players.collect()));
        } else if !text.starts_with("<<<")
            && !text.starts_with("@ ")
            && !text.starts_with("  ")
            && !text.is_empty()
        {
            lines.push(Line::Prose(text.into()));
        }
    }
    lines
}
