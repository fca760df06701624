//! Userids whose player would be taken for somebody who runs the server.

/// Words that sound official, of a userid or between its hyphens.
const OFFICIAL: [&str; 16] = [
    "admin",
    "administrator",
    "support",
    "security",
    "operator",
    "moderator",
    "staff",
    "director",
    "abuse",
    "postmaster",
    "hostmaster",
    "webmaster",
    "root",
    "help",
    "noreply",
    "mailer",
];

/// Whether a userid sounds official, is the server's name, or looks like the userid of a director without being it.
pub fn sounds_official(userid: &str, server: &str, directors: &[String]) -> bool {
    if directors
        .iter()
        .any(|director| director.eq_ignore_ascii_case(userid))
    {
        return false;
    }
    let parts = userid.split(['-', '_']).chain([userid]);
    // Also as one of several: admin2, moderators.
    let ends = parts.flat_map(|part| {
        let bare = part.trim_end_matches(|c: char| c.is_ascii_digit());
        [part, bare, bare.trim_end_matches(['s', 'S'])]
    });
    let mut looks = ends.map(look).filter(|look| !look.is_empty());
    let whole = look(userid);
    looks.any(|part| OFFICIAL.iter().any(|word| look(word) == part) || look(server) == part)
        || directors.iter().any(|director| look(director) == whole)
}

/// What a reader sees at a glance: equal for userids that look alike.
fn look(userid: &str) -> String {
    let letters = userid
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| match c.to_ascii_lowercase() {
            '0' => 'o',
            '1' | 'i' => 'l',
            '3' => 'e',
            '4' => 'a',
            '5' => 's',
            '7' => 't',
            c => c,
        });
    letters.collect::<String>().replace("rn", "m").replace("vv", "w")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn official_words_and_look_alikes_are_found_in_all_spellings() {
        let directors = ["carol".to_owned(), "Admin9".to_owned()];
        let sounds = |userid| sounds_official(userid, "Games-by-mail", &directors);
        for userid in [
            "admin",
            "ADMIN",
            "adm1n",
            "Admin2",
            "moderators",
            "no-reply",
            "No_Reply",
            "support-team",
            "the-staff",
            "r00t",
            "postrnaster",
            "games-by-mail",
            "GamesByMail",
            "gamesbymail2",
            "caroI",
            "car0l",
            "c-arol",
            "Caro1",
            "admln9",
        ] {
            assert!(sounds(userid), "{userid}");
        }
        for userid in [
            "alice",
            "carol",
            "CAROL",
            "Admin9",
            "carola",
            "administer",
            "rooted",
            "games",
            "helpful",
            "staffan",
        ] {
            assert!(!sounds(userid), "{userid}");
        }
        assert!(!sounds_official("alice", "", &[]));
    }
}
