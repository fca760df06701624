//! The documented file: every key with its comment.

use toml::Table;

use super::{Config, SECTIONS};

/// What stands above the first section.
const HEAD: &str = "\
# The configuration of pbmserv: every key with its default. You may omit any key.
# The environment can set each key: [smtp] listen is PBMSERV_SMTP_LISTEN.
# A verb takes the file that --config names, else that of PBMSERV_CONFIG, else /etc/pbmserv.toml.
# SIGHUP reloads the [smtp] limits and certificate, [limits], [bots] but threads, [leagues], accounts.digest_hour and the templates; any other change needs a
# restart, and the log names it.
";

impl Config {
    /// The text of a file with every key, its comment and its value in this table, or its default.
    ///
    /// # Errors
    /// The defaults are no TOML, which a test excludes.
    pub fn documented(values: &Table) -> Result<String, toml::ser::Error> {
        let defaults = Table::try_from(Self::default())?;
        let mut text = HEAD.to_owned();
        for (section, keys) in SECTIONS {
            text += &format!("\n[{section}]\n");
            for key in *keys {
                let in_section = |table: &Table| Some(table.get(*section)?.get(key.name)?.to_string());
                // A field that is no key has no default here.
                let Some(default) = in_section(&defaults) else {
                    continue;
                };
                let value = in_section(values).unwrap_or(default);
                for line in key.comment {
                    text += &format!("#{line}\n");
                }
                text += &format!("{} = {value}\n", key.name);
            }
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/pbmserv.toml");

    #[test]
    fn the_documented_file_is_printed_from_the_keys() {
        let printed = Config::documented(&Table::new()).unwrap();
        if std::env::var_os("UPDATE_CONFIGURATION").is_some() {
            std::fs::write(FILE, &printed).unwrap();
        }
        assert_eq!(std::fs::read_to_string(FILE).unwrap(), printed);
    }

    #[test]
    fn it_holds_every_key_with_its_default() {
        let read: Table = toml::from_str(&Config::documented(&Table::new()).unwrap()).unwrap();
        assert_eq!(read, Table::try_from(Config::default()).unwrap());
    }
}
