//! The address of a server of PostgreSQL, as libpq reads it:
//! <https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS>.

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_rustls::rustls::ClientConfig;
use url::form_urlencoded;

use super::verify::{self, Encryption};
use pbmserv_mail::login::{Login, Secret};

/// The port of PostgreSQL.
const PORT: u16 = 5432;

/// How long a host is waited for, unless the address says otherwise. However busy, one that is there takes a connection at once;
/// after one that is dark the next one is tried.
const CONNECT: Duration = Duration::from_secs(5);

/// How long the answer to a login is waited for, unless the address says otherwise. After a crash each session of a server with
/// much else to do takes seconds to begin.
const LOG_IN: Duration = Duration::from_secs(10);

/// Where Debian and its like have the certificates of the system's roots.
const SYSTEM_ROOTS: &str = "/etc/ssl/certs/ca-certificates.crt";

/// The address cannot be used: a phrase that says what is wrong with it, without any part that may be secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadUrl(String);

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Host {
    Name(String, u16),
    Socket(PathBuf),
}

impl Host {
    /// Whether it is on this machine for certain, so that nobody is in between. A name may lead anywhere.
    fn is_here(&self) -> bool {
        match self {
            Self::Socket(_) => true,
            Self::Name(name, _) => {
                let address = name.parse().map(|address: IpAddr| address.to_canonical());
                name == "localhost" || address.is_ok_and(|address| address.is_loopback())
            }
        }
    }
}

/// A database at a server of PostgreSQL, and how to log in.
pub struct Server {
    /// Tried in this order; the first that takes writes is used.
    pub(super) hosts: Vec<Host>,
    pub(super) user: String,
    pub(super) database: String,
    password: Option<Secret>,
    /// Takes precedence over the password in the address.
    login: Option<Login>,
    pub(super) encryption: Encryption,
    pub(super) tls: std::sync::Arc<ClientConfig>,
    /// How long a host is waited for.
    pub(super) connect: Duration,
    /// How long it is waited for an answer to the login.
    pub(super) log_in: Duration,
    /// Settings of the session.
    pub(super) options: Option<String>,
    /// `sslmode` and `sslrootcert`, for programs of PostgreSQL.
    mode: String,
    root: Option<PathBuf>,
    /// The program that saves the database into a file.
    pub pg_dump: PathBuf,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Server({self})")
    }
}

/// Without the password.
impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "postgres://{}@", self.user)?;
        for (index, host) in self.hosts.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            match host {
                Host::Name(name, PORT) => write!(f, "{comma}{name}")?,
                Host::Name(name, port) => write!(f, "{comma}{name}:{port}")?,
                Host::Socket(path) => write!(f, "{comma}{}", path.display())?,
            }
        }
        write!(f, "/{}", self.database)
    }
}

impl Server {
    /// Reads an address. `login` has the password, if the address has none.
    ///
    /// # Errors
    /// [`BadUrl`]
    pub fn new(url: &str, login: Option<Login>) -> Result<Self, BadUrl> {
        let rest = ["postgres://", "postgresql://"]
            .iter()
            .find_map(|scheme| url.strip_prefix(scheme))
            .ok_or_else(|| BadUrl("it does not begin with postgres://".to_owned()))?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
        let (account, hosts) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (user, password) = account.split_once(':').unwrap_or((account, ""));
        let mut parts = Parts {
            user: decoded(user)?,
            password: decoded(password)?,
            database: decoded(database)?,
            ..Parts::default()
        };
        for host in hosts.split(',').filter(|host| !host.is_empty()) {
            let (name, port) = split_port(host)?;
            parts.hosts.push(decoded(name)?);
            parts.ports.push(port.to_owned());
        }
        // A plus sign stands for itself in these addresses.
        for (key, value) in form_urlencoded::parse(query.replace('+', "%2B").as_bytes()) {
            parts.set(&key, &value)?;
        }
        parts.server(login)
    }

    /// The same for a program that uses libpq, as variables of its environment:
    /// <https://www.postgresql.org/docs/current/libpq-envars.html>. The password is among them.
    ///
    /// # Errors
    /// The password cannot be read.
    pub fn environment(&self) -> Result<Vec<(&'static str, String)>, String> {
        let host = |host: &Host| match host {
            Host::Name(name, port) => (name.clone(), port.to_string()),
            Host::Socket(path) => {
                let folder = path.parent().unwrap_or(path).display().to_string();
                let port = path.extension().unwrap_or_default();
                (folder, port.to_string_lossy().into_owned())
            }
        };
        let (names, ports): (Vec<_>, Vec<_>) = self.hosts.iter().map(host).unzip();
        let mut found = vec![
            ("PGHOST", names.join(",")),
            ("PGPORT", ports.join(",")),
            ("PGUSER", self.user.clone()),
            ("PGDATABASE", self.database.clone()),
            ("PGSSLMODE", self.mode.clone()),
            ("PGTARGETSESSIONATTRS", "read-write".to_owned()),
            ("PGCONNECT_TIMEOUT", self.connect.as_secs().max(1).to_string()),
        ];
        // Before version 16 libpq has no word for the roots of the system.
        let root = self.root.clone().or_else(|| {
            let roots = self
                .mode
                .starts_with("verify")
                .then(|| Path::new(SYSTEM_ROOTS).to_owned());
            roots.filter(|roots| roots.exists())
        });
        found.extend(root.map(|root| ("PGSSLROOTCERT", root.display().to_string())));
        found.extend(self.options.clone().map(|options| ("PGOPTIONS", options)));
        let password = self.password()?;
        found.extend(password.map(|password| ("PGPASSWORD", password.expose().to_owned())));
        Ok(found)
    }

    /// The password of the next session. A file is read each time.
    pub(super) fn password(&self) -> Result<Option<Secret>, String> {
        match &self.login {
            Some(login) => login
                .secret_at_once()
                .map(Some)
                .map_err(|error| error.to_string()),
            None => Ok(self.password.clone()),
        }
    }
}

/// What an address consists of.
#[derive(Default)]
struct Parts {
    user: String,
    password: String,
    database: String,
    hosts: Vec<String>,
    ports: Vec<String>,
    mode: Option<String>,
    root: Option<PathBuf>,
    connect_timeout: Option<Duration>,
    options: Option<String>,
}

impl Parts {
    fn set(&mut self, key: &str, value: &str) -> Result<(), BadUrl> {
        let list = || value.split(',').map(str::to_owned).collect();
        match key {
            "user" => value.clone_into(&mut self.user),
            "password" => value.clone_into(&mut self.password),
            "dbname" => value.clone_into(&mut self.database),
            "host" => self.hosts = list(),
            "port" => self.ports = list(),
            "sslmode" => self.mode = Some(value.to_owned()),
            "sslrootcert" => self.root = (value != "system").then(|| value.into()),
            "options" => self.options = Some(value.to_owned()),
            "connect_timeout" => {
                let seconds = value
                    .parse()
                    .map_err(|_| BadUrl("connect_timeout is no number of seconds".to_owned()))?;
                // With 0 libpq waits for ever.
                self.connect_timeout = Some(seconds)
                    .filter(|seconds| *seconds > 0)
                    .map(Duration::from_secs);
            }
            // pbmserv has a name of its own, and always uses a server that takes writes.
            "application_name" | "target_session_attrs" => {}
            other => return Err(BadUrl(format!("pbmserv does not know {other} in it"))),
        }
        Ok(())
    }

    fn server(self, login: Option<Login>) -> Result<Server, BadUrl> {
        if self.user.is_empty() {
            return Err(BadUrl(
                "it names no user: postgres://USER@HOST/DATABASE".to_owned(),
            ));
        }
        let mut hosts = Vec::new();
        for (index, name) in self.hosts.iter().enumerate() {
            // One port is that of all hosts.
            let port = self.ports.get(index).or(self.ports.first());
            let port = match port.map_or("", String::as_str) {
                "" => PORT,
                port => port
                    .parse()
                    .map_err(|_| BadUrl("it has a port that is no number".to_owned()))?,
            };
            hosts.push(match name.starts_with('/') {
                true => Host::Socket(Path::new(name).join(format!(".s.PGSQL.{port}"))),
                false => Host::Name(name.clone(), port),
            });
        }
        if hosts.is_empty() {
            return Err(BadUrl(
                "it names no host: postgres://USER@HOST/DATABASE".to_owned(),
            ));
        }
        let is_here = hosts.iter().all(Host::is_here);
        let (encryption, check) = verify::mode(self.mode.as_deref(), self.root.is_some(), is_here)
            .ok_or_else(|| {
                BadUrl(
                    "sslmode is not one of disable, allow, prefer, require, verify-ca, verify-full"
                        .to_owned(),
                )
            })?;
        let tls = verify::config(check, self.root.as_deref()).map_err(BadUrl)?;
        Ok(Server {
            hosts,
            database: match self.database.is_empty() {
                true => self.user.clone(),
                false => self.database,
            },
            user: self.user,
            password: (!self.password.is_empty()).then(|| Secret::of(self.password)),
            login,
            encryption,
            tls: tls.into(),
            connect: self.connect_timeout.unwrap_or(CONNECT),
            log_in: self.connect_timeout.unwrap_or(LOG_IN),
            options: self.options,
            mode: match (self.mode, is_here) {
                (Some(mode), _) => mode,
                (None, true) => "prefer".to_owned(),
                (None, false) => "verify-full".to_owned(),
            },
            root: self.root,
            pg_dump: "pg_dump".into(),
        })
    }
}

/// A host and its port, which may be empty. IPv6 addresses stand in brackets.
fn split_port(host: &str) -> Result<(&str, &str), BadUrl> {
    if let Some(rest) = host.strip_prefix('[') {
        let (name, port) = rest
            .split_once(']')
            .ok_or_else(|| BadUrl("it has a bracket that is not closed".to_owned()))?;
        return Ok((name, port.strip_prefix(':').unwrap_or(port)));
    }
    Ok(host.split_once(':').unwrap_or((host, "")))
}

/// Without percent signs.
fn decoded(text: &str) -> Result<String, BadUrl> {
    let bad = || BadUrl("it has a percent sign that two digits do not follow".to_owned());
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| {
            byte.and_then(|byte| char::from(byte).to_digit(16))
                .ok_or_else(bad)
        };
        let (high, low) = (digit(rest.next())?, digit(rest.next())?);
        bytes.push(u8::try_from(high * 16 + low).map_err(|_| bad())?);
    }
    String::from_utf8(bytes).map_err(|_| bad())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(url: &str) -> Result<Server, String> {
        Server::new(url, None).map_err(|error| error.to_string())
    }

    #[test]
    fn an_address_is_read_as_libpq_reads_it_and_shown_without_its_password() {
        for (url, hosts, shown) in [
            (
                "postgres://pbm:a%40b@one:5433,two/games?sslmode=disable&target_session_attrs=read-write",
                vec![Host::Name("one".into(), 5433), Host::Name("two".into(), PORT)],
                "postgres://pbm@one:5433,two/games",
            ),
            (
                "postgresql://pbm@[::1]:7/",
                vec![Host::Name("::1".into(), 7)],
                "postgres://pbm@::1:7/pbm",
            ),
            (
                "postgres:///games?host=/run/postgresql&user=pbm&password=a+b",
                vec![Host::Socket("/run/postgresql/.s.PGSQL.5432".into())],
                "postgres://pbm@/run/postgresql/.s.PGSQL.5432/games",
            ),
        ] {
            let server = server(url).unwrap();
            assert_eq!(server.hosts, hosts);
            assert_eq!(server.to_string(), shown);
            assert_eq!(format!("{server:?}"), format!("Server({shown})"));
        }
        let password = |url| {
            let password = server(url).unwrap().password().unwrap();
            password.map(|password| password.expose().to_owned())
        };
        assert_eq!(password("postgres://pbm:a%40b@h/g").as_deref(), Some("a@b"));
        assert_eq!(
            password("postgres://h/g?user=pbm&password=a+b").as_deref(),
            Some("a+b")
        );
        assert_eq!(password("postgres://pbm@h/g"), None);
    }

    #[test]
    fn without_sslmode_a_server_elsewhere_must_prove_itself() {
        for (hosts, encryption) in [
            ("localhost", Encryption::Preferred),
            ("127.0.0.2,[::1]", Encryption::Preferred),
            ("[::ffff:127.0.0.1]", Encryption::Preferred),
            ("%2Frun%2Fpostgresql", Encryption::Preferred),
            ("db.example.org", Encryption::Always),
            ("192.0.2.1", Encryption::Always),
            ("0.0.0.0", Encryption::Always),
            ("localhost.example", Encryption::Always),
            ("localhost,db.example.org", Encryption::Always),
        ] {
            let url = format!("postgres://pbm@{hosts}/g");
            assert_eq!(server(&url).unwrap().encryption, encryption, "{hosts}");
            for (mode, written) in [("prefer", Encryption::Preferred), ("disable", Encryption::Never)] {
                let server = server(&format!("{url}?sslmode={mode}")).unwrap();
                assert_eq!(server.encryption, written, "{hosts}");
            }
        }
        let default = verify::mode(None, false, false);
        assert_eq!(default, Some((Encryption::Always, verify::Check::Name)));
    }

    #[test]
    fn a_wrong_address_is_refused_without_its_secret() {
        for url in [
            "mysql://pbm:s3cret@h/g",
            "postgres://h/g?password=s3cret",
            "postgres://pbm:s3cret@/g",
            "postgres://pbm:s3cret%4@h/g",
            "postgres://pbm:s3cret@h:x/g",
            "postgres://pbm:s3cret@h/g?sslmode=on",
            "postgres://pbm:s3cret@h/g?sslkey=x",
            "postgres://pbm:s3cret@[h/g",
        ] {
            let refused = server(url).err().unwrap_or_else(|| panic!("{url} is taken"));
            assert!(!refused.contains("s3cret"), "{refused}");
        }
    }
}
