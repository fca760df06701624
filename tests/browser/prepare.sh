#!/usr/bin/env bash
# Installs into target/browse what tests/browser/run.py needs, unless it is there: playwright, which drives Debian's chromium,
# pyte, which reads a terminal, lxml and icalendar, which read feeds and calendars, schemathesis, which sends what the description
# of an interface allows and what it does not, and axe-core. The versions are fixed, so that a new one does not fail an old change.
set -euo pipefail
cd "$(dirname "$0")/../.."
place=target/browse
mkdir -p "$place"
if ! "$place/venv/bin/python" -c 'import playwright, pyte, lxml, icalendar, schemathesis' 2>/dev/null; then
    rm -rf "$place/venv"
    python3 -m venv "$place/venv"
    "$place/venv/bin/pip" install --quiet --disable-pip-version-check playwright==1.65.2 pyte==0.8.2 \
        lxml==6.1.3 icalendar==7.3.0 schemathesis==4.32.5
fi
if [ ! -f "$place/axe-core/axe.min.js" ]; then
    (cd "$place" && npm pack --silent axe-core@4.14.1 >/dev/null && tar -xzf axe-core-4.14.1.tgz && rm -rf axe-core && mv package axe-core)
fi
