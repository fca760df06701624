//! The resolver: which name servers it asks, and how long it waits for them.

use std::net::SocketAddr;
use std::time::Duration;

use mail_auth::hickory_resolver::TokioResolver;
use mail_auth::hickory_resolver::config::{
    ConnectionConfig, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts,
};
use mail_auth::hickory_resolver::net::runtime::TokioRuntimeProvider;
use mail_auth::hickory_resolver::system_conf::read_system_conf;

/// The name servers cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the name servers cannot be used: {0}")]
pub struct NoResolver(String);

/// How long one answer may take, before the question is asked once more.
const ANSWER: Duration = Duration::from_millis(1500);

/// A resolver that asks these name servers; with none of them those of `/etc/resolv.conf`.
pub(super) fn resolver(servers: &[SocketAddr]) -> Result<TokioResolver, NoResolver> {
    let (config, mut options) = match servers {
        [] => read_system_conf().map_err(|error| NoResolver(error.to_string()))?,
        servers => (
            ResolverConfig::from_parts(None, Vec::new(), servers.iter().map(named).collect()),
            ResolverOpts::default(),
        ),
    };
    options.timeout = ANSWER;
    options.attempts = 1;
    // It would count answers, of which a hostile one takes a megabyte in memory. What is kept is in `cache.rs`.
    options.cache_size = 0;
    // What other servers publish is asked for, not what this machine calls its neighbours.
    options.use_hosts_file = ResolveHosts::Never;
    TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
        .with_options(options)
        .build()
        .map_err(|error| NoResolver(error.to_string()))
}

fn named(server: &SocketAddr) -> NameServerConfig {
    let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()].map(|mut connection| {
        connection.port = server.port();
        connection
    });
    NameServerConfig::new(server.ip(), true, connections.into())
}
