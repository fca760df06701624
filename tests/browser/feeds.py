#!/usr/bin/env python3
"""The feeds and calendars of a running server: RFC 4287 by a schema, the rules of readers of feeds, RFC 5545 by a parser.

    tests/browser/feeds.py URL [PRIVATE_LINK]...

URL is that of the house: its feeds are found as browsers find them, by the heads of its pages. Each private link adds a calendar and
a feed of turns.
"""

import gzip
import re
import sys
import urllib.error
import urllib.request
from datetime import datetime, timedelta, timezone
from html import unescape
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import icalendar
from lxml import etree

ATOM = "{http://www.w3.org/2005/Atom}"
SCHEMA = Path(__file__).resolve().parent / "atom.rng"
# No feed is larger, in bytes, or has more entries; the same for a calendar.
LARGEST_FEED, MOST_ENTRIES = 60_000, 60
LARGEST_CALENDAR, MOST_EVENTS = 120_000, 200
# RFC 4151, with a date.
TAG = re.compile(r"tag:[a-z0-9.-]+,\d{4}(-\d\d(-\d\d)?)?:[0-9A-Za-z;/?:@&=+$.\-_!~*'()%,]+")


class Reader:
    """A program that reads feeds. `visitor` gives the address of one more visitor: a network may not ask for all at once."""

    def __init__(self, visitor):
        self.visitor = visitor
        self.asked = 0
        # Without the proxies of whoever runs this.
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def get(self, url, **fields):
        """The status, the header and the bytes at a URL."""
        self.asked += 1
        if self.asked % 100 == 1:
            self.address = self.visitor()
        header = {"X-Forwarded-For": self.address, "Accept-Encoding": "gzip", **fields}
        try:
            with self.opener.open(urllib.request.Request(url, headers=header), timeout=30) as answer:
                content = answer.read()
                packed = answer.headers.get("Content-Encoding") == "gzip"
                return answer.status, answer.headers, gzip.decompress(content) if packed else content
        except urllib.error.HTTPError as error:
            return error.code, error.headers, b""

    def found(self, start, most):
        """The feeds that are named by the pages of a house, its games, its players and its boards."""
        feeds, left, seen = set(), [start], set()
        while left and len(seen) < most:
            page = left.pop(0)
            if page in seen:
                continue
            seen.add(page)
            _, header, content = self.get(page)
            if not header.get("Content-Type", "").startswith("text/html"):
                continue
            text = content.decode()
            for link in re.findall(r'<link rel="alternate" type="application/atom\+xml"[^>]* href="([^"]+)"', text):
                feeds.add(urljoin(page, unescape(link)))
            links = [urldefrag(urljoin(page, unescape(link)))[0] for link in re.findall(r'<a [^>]*href="([^"]+)"', text)]
            # A board once, not each of its positions.
            kinds = re.compile(re.escape(start) + r"(house|players(/[^/]+)?|games/[^/]+|board/[^/]+/\d+)")
            left += [link for link in links if kinds.fullmatch(link)]
        return sorted(feeds)


def faults_of_feed(reader, url, schema):
    """What is wrong with a feed, and the number of its entries."""
    status, header, content = reader.get(url)
    if status != 200:
        return [f"status {status}"], 0
    wrong = []
    if header["Content-Type"] != "application/atom+xml; charset=utf-8":
        wrong.append(f"type {header['Content-Type']}")
    if len(content) > LARGEST_FEED:
        wrong.append(f"{len(content)} bytes")
    try:
        feed = etree.fromstring(content, etree.XMLParser(resolve_entities=False))
    except etree.XMLSyntaxError as error:
        return [*wrong, str(error)], 0
    if not schema.validate(feed):
        wrong += [str(error) for error in list(schema.error_log)[:3]]
        return wrong, 0
    entries = feed.findall(f"{ATOM}entry")
    if len(entries) > MOST_ENTRIES:
        wrong.append(f"{len(entries)} entries")
    nodes = [feed, *entries]
    ids = [node.findtext(f"{ATOM}id") for node in nodes]
    wrong += [f"not a tag URI: {one}" for one in ids if not TAG.fullmatch(one)]
    if len(set(ids)) < len(ids):
        wrong.append("an id is there twice")
    times = [datetime.fromisoformat(node.findtext(f"{ATOM}updated")) for node in nodes]
    if times[1:] != sorted(times[1:], reverse=True):
        wrong.append("the newest is not first")
    if times[1:] and times[0] != times[1]:
        wrong.append("the feed is not as new as its newest entry")
    if times[0] > datetime.now(timezone.utc) + timedelta(minutes=5):
        wrong.append(f"{times[0]} is yet to come")
    for node in nodes:
        links = [(link.get("rel"), link.get("href")) for link in node.findall(f"{ATOM}link")]
        alternate = [href for rel, href in links if rel == "alternate"]
        own = [href for rel, href in links if rel == "self"]
        if len(alternate) != 1 or (own != [url] if node is feed else own):
            wrong.append(f"links {links}")
        if not all(href.startswith(("http://", "https://")) for _, href in links):
            wrong.append(f"not absolute: {links}")
        title = node.findtext(f"{ATOM}title")
        if title != title.strip() or "<" in title or "&" in title:
            wrong.append(f"the title is no plain text: {title}")
    tag = header.get("ETag")
    if tag and reader.get(url, **{"If-None-Match": tag})[0] != 304:
        wrong.append("what is known is sent again")
    return wrong, len(entries)


def faults_of_calendar(reader, url):
    """What is wrong with a calendar, and its events."""
    status, header, content = reader.get(url)
    if status != 200:
        return [f"status {status}"], []
    wrong = []
    if header["Content-Type"] != "text/calendar; charset=utf-8":
        wrong.append(f"type {header['Content-Type']}")
    if len(content) > LARGEST_CALENDAR:
        wrong.append(f"{len(content)} bytes")
    if not content.endswith(b"\r\n") or b"\n" in content.replace(b"\r\n", b""):
        wrong.append("a line does not end with CRLF")
    if any(len(line) > 75 for line in content.split(b"\r\n")):
        wrong.append("a line is longer than 75 octets")
    try:
        calendar = icalendar.Calendar.from_ical(content)
    except ValueError as error:
        return [*wrong, str(error)], []
    wrong += [f"{part.name}: {part.errors}" for part in calendar.walk() if part.errors]
    if calendar.get("VERSION") != "2.0" or not calendar.get("PRODID"):
        wrong.append("no VERSION or no PRODID")
    events = calendar.walk("VEVENT")
    if len(events) > MOST_EVENTS:
        wrong.append(f"{len(events)} events")
    uids = [str(event.get("UID", "")) for event in events]
    if len(set(uids)) < len(uids) or not all(uids):
        wrong.append("a UID is missing or there twice")
    for event in events:
        stamp, begin, end = (event.decoded(name, None) for name in ("DTSTAMP", "DTSTART", "DTEND"))
        if not (stamp and begin and end and begin < end and all(time.tzinfo for time in (stamp, begin, end))):
            wrong.append(f"times {stamp} {begin} {end}")
        if not str(event.get("SUMMARY", "")):
            wrong.append("no SUMMARY")
    return wrong, events


def check(house, private, visitor, checks, most=400):
    """All feeds of a house, and those of some players."""
    reader = Reader(visitor)
    schema = etree.RelaxNG(etree.parse(SCHEMA))
    wrong, entries = [], 0
    feeds = reader.found(house, most)
    feeds += [feed for link in private for feed in (f"{link}turns.atom", f"{link}feed.atom")]
    for feed in feeds:
        faults, count = faults_of_feed(reader, feed, schema)
        wrong += [f"{feed}: {fault}" for fault in faults]
        entries += count
    checks.check(f"{len(feeds)} feeds with {entries} entries are valid", feeds and entries and not wrong, "\n".join(wrong[:20]))
    wrong, count, closed = [], 0, []
    for link in private:
        faults, events = faults_of_calendar(reader, f"{link}deadlines.ics")
        wrong += [f"{link}: {fault}" for fault in faults]
        count += len(events)
        # What an event leads to: the page of its turn, on which it is played; or of the season or cup that begins.
        for url in [str(event.get("URL", "")) for event in events[:5]]:
            status, _, page = reader.get(url)
            begins = "/league" in url or "/cups/" in url
            if status != 200 or (not begins and b"<h2 id=\"far\">Your turn" not in page):
                closed.append(f"{url}: {status}")
    checks.check(f"{len(private)} calendars with {count} deadlines are valid", not wrong, "\n".join(wrong[:20]))
    checks.equal("  and lead to where the turn is played", closed, [])


def main():
    sys.path.append(str(Path(__file__).resolve().parent.parent / "peers"))
    from checks import Checks

    checks = Checks()
    numbers = iter(range(1, 250))
    check(sys.argv[1], sys.argv[2:], lambda: f"198.18.9.{next(numbers)}", checks, 2000)
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
