//! The help of the command line and the manual pages. What clap does not know of a verb, its checks, examples, files and exit
//! codes, is written here once and printed in both.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;

use super::check;
use super::verb::Cli;

/// A section of a page: lines of a term and its text.
struct Section {
    title: &'static str,
    lines: Vec<(&'static str, &'static str)>,
}

/// Commands worth showing, by verb: the words after `pbmserv`.
const EXAMPLES: &[(&str, &[(&str, &str)])] = &[
    (
        "",
        &[
            (
                "pbmserv serve",
                "Try the server: without a configuration it keeps to this folder.",
            ),
            (
                "pbmserv init",
                "Make the configuration /etc/pbmserv.toml and a director's account.",
            ),
            ("pbmserv check", "Find out what is wrong."),
        ],
    ),
    (
        "init",
        &[
            (
                "pbmserv init --user pbmserv --mta postfix --address games@example.org --data /var/lib/pbmserv --director alice --director-address alice@example.org",
                "Behind the Postfix of this machine, without a question.",
            ),
            (
                "pbmserv init --mta postfix --lines",
                "The lines for Postfix again, after the server's addresses have changed.",
            ),
        ],
    ),
    (
        "check",
        &[
            ("sudo -u pbmserv pbmserv check", "As the account of the server."),
            ("pbmserv check --offline", "After init, before the first start."),
            ("pbmserv check | grep ^FAULT", "Only what is wrong."),
        ],
    ),
    (
        "mail",
        &[(
            "pbmserv mail alice@example.org 'Pow2 challenge alice bob'",
            "What the server does with this mail of hers.",
        )],
    ),
    (
        "user list",
        &[("pbmserv user list --failing", "Players whose mail comes back.")],
    ),
    (
        "user erase",
        &[
            (
                "pbmserv user erase alice --why 'she asked for it' --dry-run",
                "What would end with her account.",
            ),
            (
                "pbmserv user erase alice --why 'she asked for it' --yes",
                "Erase it without a question.",
            ),
        ],
    ),
    (
        "queue retry",
        &[
            (
                "pbmserv queue retry --state held --yes",
                "After a restore: send the mails that it has held.",
            ),
            (
                "pbmserv queue retry --state failed --since 2d --host example.org",
                "After example.org refused mail for two days.",
            ),
        ],
    ),
    (
        "audit",
        &[("pbmserv audit 'Pow2 101'", "What the operator did to a board.")],
    ),
    (
        "backup",
        &[
            (
                "pbmserv backup /var/lib/pbmserv-backups --keep 14",
                "A fortnight of nights.",
            ),
            ("pbmserv backup list /var/lib/pbmserv-backups", "What there is."),
            (
                "pbmserv backup verify /var/lib/pbmserv-backups",
                "Whether each could be restored.",
            ),
        ],
    ),
    (
        "perft",
        &[(
            "pbmserv perft Ringworm 3",
            "After two depths it says how long the third will take; Ctrl-C keeps the two.",
        )],
    ),
    (
        "match",
        &[
            (
                "pbmserv match Forms hard easy --games 40 -size=8",
                "Forty games on the board of eight.",
            ),
            (
                "pbmserv match Pow2 hard uct:10000",
                "Against plain UCT, which plays 10000 random games for a turn.",
            ),
        ],
    ),
    (
        "think",
        &[(
            "pbmserv think pow2-101.txt --level easy",
            "What bot-easy would play next on board 101, saved by `Pow2 show 101`.",
        )],
    ),
    (
        "restore",
        &[(
            "pbmserv restore /var/lib/pbmserv-backups/pbmserv-20260101-031700.000",
            "After systemctl stop pbmserv.",
        )],
    ),
    (
        "adopt",
        &[
            (
                "pbmserv adopt --dry-run",
                "Whether the data folder is a copy, and how many mails wait in it.",
            ),
            (
                "pbmserv adopt",
                "The server was stopped, and its disk or folder moved to this machine.",
            ),
            (
                "pbmserv adopt --hold",
                "It was copied while it ran, or a snapshot was brought back: it may have sent what waits here.",
            ),
        ],
    ),
    (
        "compact",
        &[
            (
                "pbmserv compact --dry-run",
                "What it would gain, the room that it needs, and how long it takes.",
            ),
            (
                "pbmserv compact",
                "After systemctl stop pbmserv. A crash leaves the old database or the new one.",
            ),
        ],
    ),
    (
        "migrate",
        &[(
            "sudo -u pbmserv pbmserv migrate",
            "After systemctl stop pbmserv and the installation of a new version, to see how long it takes.",
        )],
    ),
    (
        "store copy",
        &[
            (
                "pbmserv store copy --to postgres://pbmserv@db.example.org/pbmserv",
                "After systemctl stop pbmserv: from the data folder to an empty database of PostgreSQL.",
            ),
            (
                "pbmserv store copy --to /var/lib/pbmserv-new",
                "Back, with [store] url in the configuration.",
            ),
        ],
    ),
    (
        "key rotate",
        &[(
            "pbmserv key rotate",
            "After systemctl stop pbmserv. Letters that were sent can still be answered.",
        )],
    ),
];

/// Terms that are all shorter stand on the same line as their text.
const COLUMN: usize = 14;

/// Verbs that read no configuration.
const WITHOUT_DATA: &[&str] = &[
    "demo",
    "replay",
    "verify",
    "show",
    "perft",
    "match",
    "solve",
    "completions",
    "man",
];

const FILES: &[(&str, &str)] = &[
    (
        "/etc/pbmserv.toml",
        "The configuration, unless --config or PBMSERV_CONFIG names another. If there is none: the defaults for a trial, with data in ./pbmserv-data, which serve, demo and mail make.",
    ),
    (
        "DATA/pbmserv.sqlite",
        "The database; DATA is server.data of the configuration.",
    ),
    (
        "DATA/key",
        "The key of the tokens in players' mailboxes: keep it with the database.",
    ),
    ("DATA/control.sock", "Where verbs ask the running server."),
    (
        "DATA/failed/",
        "Messages that could not be handled, for two weeks.",
    ),
    (
        "DATA/before-migration-FROM-to-TO-TIME/",
        "Database and key before a migration, for restore; the last two.",
    ),
];

const EXIT_STATUS: &[(&str, &str)] = &[
    ("0", "Done."),
    ("1", "Failed; one sentence on standard error says why."),
    ("2", "The command line is wrong."),
];

const EXIT_STATUS_OF_SERVE: &[(&str, &str)] = &[
    ("0", "Stopped as it was asked to."),
    ("1", "Failed; one sentence on standard error says why."),
    ("2", "The command line is wrong."),
    (
        "78",
        "The data folder is a copy: systemd does not try again. See adopt.",
    ),
];

const EXIT_STATUS_OF_CHECK: &[(&str, &str)] = &[
    ("0", "No fault."),
    ("1", "A line that begins with FAULT."),
    ("2", "The command line is wrong."),
];

const EXIT_STATUS_OF_INGEST: &[(&str, &str)] = &[
    ("0", "Done: all effects are on the disk."),
    ("65", "The message cannot be used; the mail server returns it."),
    ("75", "Not now; the mail server keeps it and tries again."),
];

/// The sections of a verb, whose words are separated by blanks.
fn sections(verb: &str) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut add = |title, lines: &[(&'static str, &'static str)]| {
        if !lines.is_empty() {
            let lines = lines.to_vec();
            sections.push(Section { title, lines });
        }
    };
    if verb == "check" {
        add("CHECKS", &check::table());
    }
    let examples = EXAMPLES.iter().find(|(known, _)| *known == verb);
    add("EXAMPLES", examples.map_or(&[], |(_, lines)| lines));
    let first = verb.split(' ').next().unwrap_or_default();
    if !WITHOUT_DATA.contains(&first) {
        add("FILES", FILES);
    }
    let codes = match verb {
        "serve" => EXIT_STATUS_OF_SERVE,
        "check" => EXIT_STATUS_OF_CHECK,
        "ingest" => EXIT_STATUS_OF_INGEST,
        _ => EXIT_STATUS,
    };
    add("EXIT STATUS", codes);
    sections
}

/// The command line with its whole help.
#[must_use]
pub fn command() -> Command {
    with_help(Cli::command(), "")
}

fn with_help(mut command: Command, verb: &str) -> Command {
    let names: Vec<String> = command
        .get_subcommands()
        .map(|inner| inner.get_name().to_owned())
        .collect();
    for name in names {
        let inner = joined(verb, &name);
        command = command.mut_subcommand(&name, |sub| with_help(sub, &inner));
    }
    command.after_long_help(text(&sections(verb)))
}

fn joined(verb: &str, name: &str) -> String {
    if verb.is_empty() {
        name.to_owned()
    } else {
        format!("{verb} {name}")
    }
}

fn text(sections: &[Section]) -> String {
    let mut text = String::new();
    for Section { title, lines } in sections {
        text.push_str(&format!("{title}:\n"));
        let is_table = lines.iter().all(|(term, _)| term.len() < COLUMN);
        for (term, line) in lines {
            if is_table {
                text.push_str(&format!("  {term:<COLUMN$} {line}\n"));
            } else {
                text.push_str(&format!("  {term}\n          {line}\n"));
            }
        }
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text
}

/// Writes the manual pages into a folder.
///
/// # Errors
/// A file cannot be written; the error names it.
pub fn write_pages(folder: &Path) -> io::Result<()> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    write_page(&command, "", folder)
}

fn write_page(command: &Command, verb: &str, folder: &Path) -> io::Result<()> {
    for inner in command.get_subcommands() {
        write_page(inner, &joined(verb, inner.get_name()), folder)?;
    }
    let file = folder.join(Man::new(command.clone()).get_filename());
    let written = File::create(&file).and_then(|mut page| print_page(command, verb, &mut page));
    written.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", file.display())))
}

/// Prints the first manual page.
///
/// # Errors
/// The output cannot be written.
pub fn print_first_page(out: &mut dyn Write) -> io::Result<()> {
    print_page(&Cli::command(), "", out)
}

fn print_page(command: &Command, verb: &str, out: &mut dyn Write) -> io::Result<()> {
    let man = Man::new(command.clone());
    man.render_title(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
    man.render_description_section(out)?;
    man.render_options_section(out)?;
    if command.get_subcommands().next().is_some() {
        man.render_subcommands_section(out)?;
    }
    for Section { title, lines } in sections(verb) {
        writeln!(out, ".SH \"{title}\"")?;
        for (term, line) in lines {
            writeln!(out, ".TP\n\\fB{}\\fR\n{}", roff(term), roff(line))?;
        }
    }
    if command.get_version().is_some() {
        man.render_version_section(out)?;
    }
    Ok(())
}

/// Text as roff prints it: a backslash is a command, so is a point at the beginning of a line, and a plain - is a hyphen.
fn roff(text: &str) -> String {
    let text = text
        .replace('\\', "\\e")
        .replace('-', "\\-")
        .replace('\'', "\\(aq");
    if text.starts_with('.') {
        format!("\\&{text}")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_example_is_of_a_verb_and_a_command_line_that_is_read() {
        for (verb, examples) in EXAMPLES {
            let words: Vec<&str> = verb.split_whitespace().collect();
            let found = words.iter().try_fold(Cli::command(), |command, word| {
                command.find_subcommand(word).cloned()
            });
            assert!(found.is_some(), "{verb}");
            for (example, _) in *examples {
                let line = example.split(" | ").next().unwrap();
                let line = line.trim_start_matches("sudo -u pbmserv ");
                let mut words = Vec::new();
                for (at, part) in line.split('\'').enumerate() {
                    match at % 2 {
                        0 => words.extend(part.split_whitespace()),
                        _ => words.push(part),
                    }
                }
                let read = Cli::command().try_get_matches_from(&words);
                assert!(read.is_ok(), "{example}: {}", read.unwrap_err());
            }
        }
    }

    #[test]
    fn what_reads_no_configuration_is_a_verb() {
        for verb in WITHOUT_DATA {
            assert!(Cli::command().find_subcommand(verb).is_some(), "{verb}");
        }
    }
}
