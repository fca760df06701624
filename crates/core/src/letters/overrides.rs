//! The operator's files in the place of templates. One that does not fit never stops a letter: the built-in one stays, and
//! `pbmserv check` and the log name it.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::built_in::built_in;
use super::{Error, LetterKind, Letters, samples, unprintable};

impl Letters {
    /// Takes those files of this folder that fit, and notes what is wrong with the others.
    ///
    /// # Errors
    /// A built-in template is none, which is a programming error.
    pub(super) fn override_from(&mut self, folder: &Path) -> Result<(), Error> {
        let mut files = BTreeMap::new();
        if let Err(source) = list(folder, "", &mut files) {
            self.faults.push(Error::Read {
                file: folder.display().to_string(),
                source,
            });
        }
        for (name, built_in) in built_in() {
            let Some(file) = files.remove(name) else { continue };
            if let Err(fault) = self.override_by(name, &file) {
                self.faults.push(fault);
                self.templates.put(name, built_in)?;
            }
        }
        self.faults.extend(files.into_keys().map(Error::Unknown));
        Ok(())
    }

    fn override_by(&mut self, name: &str, file: &Path) -> Result<(), Error> {
        let source = std::fs::read_to_string(file).map_err(|source| Error::Read {
            file: file.display().to_string(),
            source,
        })?;
        self.templates.put(name, &source)?;
        let kind = LetterKind::of_file(name);
        if let Some(kind) = kind
            && let Some(sample) = samples().iter().find(|sample| sample.kind == kind)
        {
            let facts = sample.facts().map_err(|error| unprintable(name, &error))?;
            let facts = serde_json::from_str(facts.get()).unwrap_or_default();
            // The engine would name the macro that prints it, not the line that names it.
            if let Some(unknown) = self.templates.unknown(kind, &facts) {
                let line = source.lines().position(|line| line.contains(&unknown));
                return Err(Error::Template {
                    name: name.to_owned(),
                    line: line.map_or(0, |at| at + 1),
                    reason: format!("this letter has no {unknown}"),
                });
            }
        }
        self.try_out(kind).map_err(|error| match kind {
            None => Error::Template {
                name: name.to_owned(),
                line: 0,
                reason: error.to_string(),
            },
            Some(_) => error,
        })
    }
}

/// The files below a folder by their names there, without those that are hidden.
fn list(folder: &Path, within: &str, files: &mut BTreeMap<String, PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        let (path, name) = (entry.path(), format!("{within}{name}"));
        match path.is_dir() {
            true => list(&path, &format!("{name}/"), files)?,
            false => drop(files.insert(name, path)),
        }
    }
    Ok(())
}
