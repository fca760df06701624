//! Takes the values of `init` from the flags, and asks on a terminal for those that are missing.

use std::io::{BufRead, Write};

use anyhow::bail;

/// Where the values come from. Each is checked as soon as it is known.
pub(super) struct Asker<'a> {
    /// The input and the output of a terminal, if there is one.
    pub(super) terminal: Option<(&'a mut dyn BufRead, &'a mut dyn Write)>,
    /// The flags that are missing, where nobody can be asked.
    missing: Vec<&'static str>,
}

impl<'a> Asker<'a> {
    pub(super) const fn new(terminal: Option<(&'a mut dyn BufRead, &'a mut dyn Write)>) -> Self {
        Self {
            terminal,
            missing: Vec::new(),
        }
    }

    /// The value of a flag. If it is not given, it is asked for until it can be used, and the answer is put into `given`; an
    /// empty answer chooses `usual`. `check` returns the reason why a value cannot be used. `None`: it is missing.
    ///
    /// # Errors
    /// The given value cannot be used, or the input ends.
    pub(super) fn take<T>(
        &mut self,
        flag: &'static str,
        given: &mut Option<String>,
        (question, usual): (&str, &str),
        check: impl Fn(&str) -> Result<T, String>,
    ) -> anyhow::Result<Option<T>> {
        if let Some(given) = given {
            return check(given)
                .map(Some)
                .map_err(|why| anyhow::anyhow!("{flag}: {why}"));
        }
        let Some((input, output)) = &mut self.terminal else {
            self.missing.push(flag);
            return Ok(None);
        };
        loop {
            match usual {
                "" => write!(output, "{question}: ")?,
                usual => write!(output, "{question} [{usual}]: ")?,
            }
            output.flush()?;
            let mut line = String::new();
            if input.read_line(&mut line)? == 0 {
                writeln!(output)?;
                bail!("the input ended before all was answered: nothing was made");
            }
            let answer = match line.trim() {
                "" => usual,
                said => said,
            };
            let checked = match answer {
                "" => Err("an answer is needed".to_owned()),
                answer => check(answer),
            };
            match checked {
                Ok(value) => {
                    *given = Some(answer.to_owned());
                    return Ok(Some(value));
                }
                Err(why) => writeln!(output, "  {why}")?,
            }
        }
    }

    /// # Errors
    /// All flags that are missing.
    pub(super) fn is_complete(&self) -> anyhow::Result<()> {
        match self.missing.as_slice() {
            [] => Ok(()),
            [flag] => bail!("{flag} is missing: pbmserv init --help explains it"),
            flags => bail!(
                "{} are missing: pbmserv init --help explains them",
                flags.join(", ")
            ),
        }
    }
}
