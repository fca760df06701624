//! The access log, in which tokens are masked.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::fault::Fault;
use super::site::Site;

/// The segments of a path after which a token stands.
const BEFORE_TOKENS: [&str; 3] = ["j", "k", "u"];

/// No name in our paths is longer, in bytes.
const MAX_NAME: usize = 20;

/// The longest path in the log, in characters.
const MAX_SHOWN: usize = 200;

/// Who sent a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Client(pub(super) IpAddr);

/// The address without its last part, for the log.
fn masked_address(client: IpAddr) -> IpAddr {
    match client {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() >> 80 << 80)),
        IpAddr::V4(v4) => IpAddr::V4(Ipv4Addr::from_bits(v4.to_bits() >> 8 << 8)),
    }
}

/// A path whose tokens are masked, for the log. A segment that looks like a token is masked wherever it stands: a path may be
/// misspelt, and its token good.
fn masked_path(path: &str) -> String {
    let mut is_token = false;
    let shown = path.split('/').map(|segment| {
        let looks_so = segment.len() > MAX_NAME && segment.contains('-');
        let shown = match (is_token || looks_so) && !segment.is_empty() {
            true => "***",
            false => segment,
        };
        is_token = BEFORE_TOKENS.contains(&segment);
        shown
    });
    let shown = shown.collect::<Vec<_>>().join("/");
    shown.chars().take(MAX_SHOWN).collect()
}

/// Limits the rate, and logs each request with its answer.
pub(super) async fn watch(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let client = request.extensions().get::<Client>().map(|client| client.0);
    let client = client.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    let method = request.method().clone();
    let path = masked_path(request.uri().path());
    let answer = match site.rates.take(client, started) {
        Some(wait) => {
            if !wait.is_zero() {
                tokio::time::sleep(wait).await;
            }
            next.run(request).await
        }
        None => Fault::hurried().into_response(),
    };
    let milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let (client, status) = (masked_address(client), answer.status().as_u16());
    tracing::info!(%client, %method, path, status, milliseconds, "page");
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_masked_wherever_the_pages_are() {
        for (path, shown) in [
            ("/", "/"),
            ("/board/Pow2/105", "/board/Pow2/105"),
            ("/k/kaa-bbb/board/Pow2/105", "/k/***/board/Pow2/105"),
            ("/games/k/kaa-bbb", "/games/k/***"),
            ("/games/u/uaa-bbb", "/games/u/***"),
            ("/k//kaa-bbb", "/k//kaa-bbb"),
            ("/%6b/kae-aa2wnon5wjxvmdbiplg5ap4kga", "/%6b/***"),
            ("/k//kae-aa2wnon5wjxvmdbiplg5ap4kga/", "/k//***/"),
        ] {
            assert_eq!(masked_path(path), shown);
        }
        assert_eq!(masked_path(&"/x".repeat(5000)).len(), MAX_SHOWN);
    }
}
