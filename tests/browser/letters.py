#!/usr/bin/env python3
"""Renders every letter of the stories in a real browser: narrow and wide, light and dark, with its styles and without.
Needs Debian's chromium.

    PBMSERV_LETTERS=target/letters cargo test --test play conversations
    python3 tests/browser/letters.py target/letters target/browser

No line of a board may wrap, no letter may be wider than its screen, every text needs enough size and contrast, every link
must be easy to touch, and a telephone shows whose turn it is without scrolling. The sheets in the second folder are for
people to look at.
"""

import base64
import email
import email.policy
import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile

CHROMIUM = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=100000"]
SCHEMES = {"light": [], "dark": ["--blink-settings=preferredColorScheme=0"]}
PHONE, DESK = 390, 1000
# A telephone shows so much of a letter at once.
FOLD = 844
# No text is smaller, and no link is harder to touch, in CSS pixels.
SMALLEST_TEXT, SMALLEST_LINK = 12, 44
# On one sheet.
MOST_SHOWN = 9

# In the page that holds the letters: what is wrong with each.
LOOK = """
function channel(value) { value /= 255; return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4; }
function brightness(colour) {
  const [red, green, blue] = colour.match(/[\\d.]+/g).map(Number);
  return 0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue);
}
function ground(element, isDark) {
  for (let at = element; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (!colour.startsWith("rgba(0, 0, 0, 0")) return colour;
  }
  return isDark ? "rgb(18, 18, 18)" : "rgb(255, 255, 255)";
}
function look(frame, isDark) {
  const found = [], page = frame.contentDocument, width = frame.clientWidth;
  if (!page || !page.body || !page.body.innerText.trim()) return ["it is empty"];
  if (page.documentElement.scrollWidth > width) found.push(`it is ${page.documentElement.scrollWidth} pixels wide on ${width}`);
  for (const pre of page.querySelectorAll("pre")) {
    const lines = pre.textContent.replace(/\\n$/, "").split("\\n").length;
    const height = parseFloat(getComputedStyle(pre).lineHeight) * lines;
    if (Math.abs(pre.clientHeight - height) > 2) found.push(`${lines} lines are ${pre.clientHeight} high, not ${height}`);
  }
  for (const element of page.body.querySelectorAll("*")) {
    const text = [...element.childNodes].filter(node => node.nodeType === Node.TEXT_NODE && node.data.trim());
    // The preheader is for the list of a mailbox.
    if (!text.length || !element.getClientRects().length) continue;
    const style = getComputedStyle(element), what = `${element.tagName}: ${element.textContent.trim().slice(0, 40)}`;
    if (parseFloat(style.fontSize) < SMALLEST_TEXT) found.push(`${style.fontSize} is too small in ${what}`);
    const [above, below] = [style.color, ground(element, isDark)].map(brightness).sort((a, b) => b - a);
    if ((above + 0.05) / (below + 0.05) < 4.5) found.push(`it does not stand out, ${what}`);
  }
  for (const link of page.querySelectorAll("a[href]")) {
    const {width, height} = link.getBoundingClientRect();
    if (Math.min(width, height) < SMALLEST_LINK) found.push(`${width} by ${height} is hard to touch: ${link.textContent}`);
  }
  const status = page.querySelector(".status");
  if (width < 480 && status && status.getBoundingClientRect().bottom > FOLD) found.push("whose turn it is stands below the fold");
  for (const image of page.images) if (!image.complete || !image.naturalWidth) found.push("a picture is not shown");
  return [...new Set(found)];
}
window.addEventListener("load", () => {
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const found = {isDark};
  for (const frame of document.querySelectorAll("iframe")) {
    const wrong = look(frame, isDark);
    if (wrong.length) found[frame.title] = wrong;
  }
  document.getElementById("found").textContent = JSON.stringify(found);
});
"""

CONSTANTS = f"const FOLD = {FOLD}, SMALLEST_TEXT = {SMALLEST_TEXT}, SMALLEST_LINK = {SMALLEST_LINK};"


def letters(folder):
    """The name and the HTML of each letter, its pictures in it."""
    for file in sorted(pathlib.Path(folder).glob("*.eml")):
        message = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
        for part in message.walk():
            assert not part.defects, f"{file}: {part.defects}"
            for name, value in part.items():
                # An address in another script (RFC 6532), which Python takes for a defect.
                if name == "To" and not str(value).isascii():
                    continue
                assert not getattr(value, "defects", ()), f"{file}: {name}: {value.defects}"
        kinds = [part.get_content_type() for part in message.walk()]
        page = message.get_body(("html",))
        if page is None:
            assert "text/html" not in kinds, f"{file}: {kinds}"
            continue
        text = page.get_content()
        for part in message.walk():
            if part.get_content_type() == "image/png":
                url = "cid:" + part["Content-ID"].strip("<>")
                assert url in text, f"{file}: {url} is nowhere"
                text = text.replace(url, "data:image/png;base64," + base64.b64encode(part.get_content()).decode())
        assert "cid:" not in text, f"{file}: a picture is missing"
        yield file.stem, text


def sheet(pages, width, height=None):
    """A page that holds the letters side by side, each as if it had a screen of that width."""
    frames = []
    for name, text in pages:
        style = f"border: 0; width: {width}px; height: {height or 2000}px; margin-right: 8px; background: Canvas; color-scheme: light dark;"
        frames.append(
            f'<iframe title="{html.escape(name)}" style="{style}" srcdoc="{html.escape(text)}">'
            "</iframe>"
        )
    return (
        '<!DOCTYPE html><meta charset="utf-8"><meta name="color-scheme" content="light dark">'
        '<body style="margin: 0; white-space: nowrap; background: #888">'
        f'{"".join(frames)}<pre id="found"></pre><script>{CONSTANTS}{LOOK}</script>'
    )


def chromium(page, scheme, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "sheet.html"
        file.write_text(page)
        command = [*CHROMIUM, f"--user-data-dir={folder}/profile", *SCHEMES[scheme], *arguments, file.as_uri()]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout


def unstyled(text):
    """As a mail program without style sheets shows it."""
    return re.sub(r"<style>.*?</style>", "", text, flags=re.S)


def check(pages):
    """Everything that is wrong with any of them."""
    wrong = []
    both = pages + [(name + " without styles", unstyled(text)) for name, text in pages]
    for scheme in SCHEMES:
        for width in (PHONE, DESK):
            for start in range(0, len(both), 24):
                shown = chromium(sheet(both[start : start + 24], width), scheme, "--dump-dom")
                found = json.loads(html.unescape(re.search(r'<pre id="found">(.*?)</pre>', shown, re.S)[1]))
                assert found.pop("isDark") == (scheme == "dark"), "the colour scheme could not be set"
                wrong += [f"{name}, {scheme}, {width}: {why}" for name, whys in found.items() for why in whys]
    return wrong


def distinct(pages):
    """One letter of each group that differs only in words."""
    seen = {}
    for name, text in pages:
        shape = re.sub(r">[^<]*<|\"[^\"]*\"", "", text)
        seen.setdefault(shape, (name, text))
    return list(seen.values())


def main(source, target):
    pages = list(letters(source))
    assert pages, f"no letters in {source}"
    target = pathlib.Path(target)
    target.mkdir(parents=True, exist_ok=True)
    # Letters of one shape look alike: the checks read all letters, the browser renders one of each shape.
    shapes = distinct(pages)
    wrong = check(shapes)
    # The name of a file ends with the kind of its letter.
    kinds = list({name.rsplit("-", 1)[1]: (name, text) for name, text in reversed(shapes)}.values())
    for start in range(0, len(kinds), MOST_SHOWN):
        chosen = kinds[start : start + MOST_SHOWN]
        for scheme in SCHEMES:
            for width in (PHONE, DESK):
                size = f"--window-size={(width + 8) * len(chosen)},1600"
                file = target / f"{width}-{scheme}-{start // MOST_SHOWN + 1}.png"
                chromium(sheet(chosen, width, 1600), scheme, size, f"--screenshot={file}")
    print(f"{len(pages)} letters with HTML, {len(shapes)} shapes of them in the browser, sheets in {target}")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
