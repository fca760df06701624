"""What must not play a turn, or not twice: a scanner, a double click, the back button, a tab that was left open."""

import gzip
import http.client
import re
from urllib.parse import urldefrag, urljoin, urlsplit

from playing import Clicker, Game, begin


class Scanner:
    """Opens links as the scanners of mail providers do: without a browser, everything that it finds."""

    def __init__(self, house):
        self.house = house
        self.opened = {}

    def open(self, url, method="GET"):
        """The status of an answer, and its text."""
        place = urlsplit(url)
        connection = http.client.HTTPConnection(place.netloc, timeout=30)
        # A network may ask for a few hundred pages at once, and then waits.
        fields = {"Accept-Encoding": "gzip", "X-Forwarded-For": f"198.19.{len(self.opened) // 100}.1"}
        path = place.path + (f"?{place.query}" if place.query else "")
        connection.request(method, path, headers=fields)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        if answer.getheader("Content-Encoding") == "gzip" and content:
            content = gzip.decompress(content)
        is_text = not (answer.getheader("Content-Type") or "").startswith("image/png")
        return answer.status, content.decode() if is_text else ""

    def walk(self, urls, most):
        """Opens these, and every link of this server on each page that it gets, up to so many: the rest is of the same kinds."""
        left = [urldefrag(url)[0] for url in urls]
        while left and len(self.opened) < most:
            url = left.pop(0)
            if url in self.opened or not url.startswith(self.house.url):
                continue
            status, text = self.open(url)
            self.opened[url] = status
            self.open(url, "HEAD")
            found = re.findall(r'(?:href|src|action|content)="([^" ]+)"', text)
            found = [urldefrag(urljoin(url, link.replace("&amp;", "&").replace("&#x2f;", "/")))[0] for link in found]
            # What belongs to a board comes before the thousand beginnings of its turns.
            left += sorted(set(found) - set(left), key=lambda link: "?" in link)
        return self.opened


def scanned(house, people, checks, most):
    """Every link of every letter and page is opened."""
    house.settle()
    letters = [letter for person in people for letter in person.letters()]
    links = sorted({link for letter in letters for link in letter.links()})
    before = house.state()
    scanner = Scanner(house)
    opened = scanner.walk(links, most)
    wrong = {url: status for url, status in opened.items() if status not in (200, 404)}
    checks.equal(f"a scanner opens {len(opened)} links, those of {len(letters)} letters first", wrong, {})
    missing = [url for url in links if url.startswith(house.url) and opened.get(url) == 404 and "/u/" not in url]
    checks.equal("  every link of a letter leads to a page", missing, [])
    after = house.state()
    checks.equal("  and nothing has changed", [name for name in after if before.get(name) != after[name]], [])


def mistakes(house, people, checks, context):
    """Double clicks, the back button, tabs that are left open."""
    first, second = people
    number = begin(house, first, second, Game("pow2"))
    house.settle()
    already = len(second.letters())
    page = context.new_page()
    clicker = Clicker(house, page, first.home())
    clicker.choose("Pow2", number, "m13-j7")
    forgotten = context.new_page()
    other = Clicker(house, forgotten, first.home())
    other.choose("Pow2", number, "m13-k11")
    same = context.new_page()
    same.goto(page.url)

    page.locator("button[value=play]").dblclick()
    page.get_by_text("It is not your turn").wait_for()
    checks.equal("a double click plays once", house.turns("Pow2", number), ["m13-j7"])
    house.settle()
    checks.equal("  and writes one letter", len(second.letters()) - already, 1)
    checks.holds("  the page goes on", clicker.text(), "It is not your turn")
    page.go_back()
    checks.check("the back button leads to a page that plays nothing", not clicker.is_whole(), clicker.text())
    page.reload()
    same.locator("button[value=play]").click()
    checks.holds("another tab with the same turn shows that it is played", Clicker(house, same, "").text(), "It is not your turn")
    checks.equal("  and plays nothing", house.turns("Pow2", number), ["m13-j7"])

    second.command(f"Pow2 move {number} {{me}} a1-e1")
    forgotten.locator("#w").fill("Take that")
    forgotten.locator("button[value=play]").click()
    checks.holds("a tab that was left open says that the board has moved on", other.text(), "Not played", "has moved on")
    checks.equal("  and plays nothing", house.turns("Pow2", number), ["m13-j7", "a1-e1"])
    kept = forgotten.locator("textarea").evaluate_all("all => all.map(one => one.value)")
    checks.check("  and keeps the words", "Take that" in kept, str(kept))
    for one in (page, forgotten, same):
        one.close()
    return number
