#!/usr/bin/env bash
# Unpacks nginx, Caddy and Apache into target/peers/web, unless they are there: installed, they would start as services. Fails if
# they cannot be had, or do not run here.
set -euo pipefail
cd "$(dirname "$0")/../.."
place=target/peers/web
if [ ! -x "$place/usr/sbin/nginx" ] || [ ! -x "$place/usr/bin/caddy" ] || [ ! -x "$place/usr/sbin/apache2" ]; then
    rm -rf "$place"
    mkdir -p "$place/packages"
    (cd "$place/packages" && apt-get download -qq nginx caddy apache2-bin libapr1 libaprutil1)
    for package in "$place"/packages/*.deb; do
        dpkg-deb -x "$package" "$place"
    done
    rm -r "$place/packages"
fi
export LD_LIBRARY_PATH=$place/usr/lib/x86_64-linux-gnu
"$place/usr/sbin/nginx" -v
"$place/usr/bin/caddy" version
"$place/usr/sbin/apache2" -v
