"""For everybody: axe-core, sizes and contrast on every page, and a game by the keyboard alone."""

from urllib.parse import quote_plus

from playing import Clicker, begin

# No text is smaller, and no link or button that stands alone is harder to touch, in CSS pixels; links in lists, tables and heads may be
# a little smaller, since a finger that misses them opens another page and no more.
SMALLEST_TEXT, SMALLEST_TARGET, SMALLEST_LISTED = 12, 44, 32
# Points of a board cannot be larger on a narrow screen. WCAG 2.2 (2.5.8) asks for 24 pixels, or the same links elsewhere: they
# are in the list beside the board, whose links are larger.
# Off unless it is asked for.
AXE = {"rules": {"target-size": {"enabled": True}}, "resultTypes": ["violations"]}

# In the page: what is wrong with its sizes.
LOOK = """
([smallestText, smallestTarget, smallestListed]) => {
  const found = [], width = document.documentElement.clientWidth;
  const isSeen = element => element.checkVisibility() && element.getClientRects().length;
  if (document.documentElement.scrollWidth > width) {
    const wide = [...document.body.querySelectorAll("*")].filter(element => element.getBoundingClientRect().right > width + 1);
    const names = wide.slice(0, 3).map(element => element.outerHTML.slice(0, 60));
    found.push(`it is ${document.documentElement.scrollWidth} pixels wide on ${width}: ${names}`);
  }
  for (const element of document.body.querySelectorAll("*")) {
    if (element.closest("svg") || !isSeen(element)) continue;
    const has = [...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim());
    const size = parseFloat(getComputedStyle(element).fontSize);
    if (has && size < smallestText) found.push(`${size} is too small: ${element.outerHTML.slice(0, 60)}`);
  }
  for (const element of document.querySelectorAll("a[href], button, input:not([type=hidden]), textarea, summary")) {
    if (!isSeen(element) || element.closest(".skip") || element.tabIndex < 0) continue;
    if (element.closest("svg") && document.querySelector(`.next a[href="${CSS.escape(element.getAttribute("href"))}"]`)) continue;
    const box = element.getBoundingClientRect();
    // A link among the words of a sentence is as high as its line.
    const isAmongWords = element.tagName === "A" && getComputedStyle(element).display === "inline"
      && [...element.parentElement.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (isAmongWords) continue;
    const smallest = element.closest("td, li, h2, h3, .run") && element.tagName === "A" ? smallestListed : smallestTarget;
    if (box.height < smallest - 0.5 || box.width < smallestListed - 0.5) {
      found.push(`${box.width.toFixed(0)} by ${box.height.toFixed(0)} is hard to touch: ${element.outerHTML.slice(0, 90)}`);
    }
  }
  for (const image of document.images) if (image.loading !== "lazy" && (!image.complete || !image.naturalWidth)) found.push(`a picture is missing: ${image.src}`);
  return [...new Set(found)];
}
"""


def sizes(page):
    """What is wrong with the sizes on this page."""
    return page.evaluate(LOOK, [SMALLEST_TEXT, SMALLEST_TARGET, SMALLEST_LISTED])


def violations(page, axe):
    """What axe-core finds on this page."""
    page.evaluate(axe)
    found = page.evaluate("options => axe.run(document, options)", AXE)["violations"]
    return [f"{one['id']}: {one['help']}: {node['html'][:160]} {node['failureSummary'][:200]}" for one in found for node in one["nodes"][:3]]


def by_keyboard(house, people, game, checks, page):
    """A whole game of which the first player's turns are played by the keys Tab and Enter alone."""
    first, second = people
    number = begin(house, first, second, game)
    clicker = Clicker(house, page, first.home())
    keys = Keys(page)
    for is_first, turn in game.turns:
        if not is_first:
            second.command(f"{game.name} move {number} {{me}} {turn}")
            continue
        clicker.choose(game.name, number, turn, keys.follow)
        keys.press("button[value=play]")
    wanted = [turn for _, turn in game.turns]
    checks.equal(f"{game.name} is played by {keys.count} keys", house.turns(game.name, number), wanted)
    checks.equal("  and each that has the focus shows it", sorted(keys.unseen), [])


class Keys:
    """A keyboard with Tab and Enter."""

    def __init__(self, page):
        self.page = page
        self.count = 0
        self.unseen = set()

    def follow(self, step):
        """Goes to the link of a step and follows it."""
        self.press(f'a[href="?turn={quote_plus(step, safe="*-._")}"]')

    def press(self, selector):
        """Goes with Tab to the first element that fits, and presses Enter."""
        for _ in range(400):
            self.page.keyboard.press("Tab")
            self.count += 1
            focused = self.page.locator("*:focus")
            if self.page.locator(f"{selector}:focus").count():
                if not focused.evaluate(SHOWS_FOCUS):
                    self.unseen.add(focused.evaluate("element => element.outerHTML.slice(0, 80)"))
                with self.page.expect_navigation():
                    self.page.keyboard.press("Enter")
                self.count += 1
                return
        raise RuntimeError(f"400 times Tab, and never {selector}")


# Whether the focus can be seen: by an outline, or by what is drawn thicker.
SHOWS_FOCUS = """
element => {
  const style = getComputedStyle(element);
  if (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2) return true;
  const circle = element.querySelector("circle:not(.hit)");
  return circle !== null && parseFloat(getComputedStyle(circle).strokeWidth) >= 6;
}
"""
