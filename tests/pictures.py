#!/usr/bin/env python3
"""Makes the pictures of the README from the program itself: two boards from their records in docs/pictures, and a letter of
the stories as a browser shows it. Needs Debian's chromium; `make pictures` runs it.

    python3 tests/pictures.py target/release/pbmserv target/letters docs/pictures
"""

import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "browser"))

import letters as browser  # noqa: E402

BOARD_WIDTH, LETTER_WIDTH = 360, 420
# What is below is words of the foot.
HIGHEST = 800
# All of them together, in bytes.
MOST = 150_000


def chosen(folder):
    """The first letter that shows all that a board's letter has: a picture, words of the other player, a turn to be played."""
    def has_all(text):
        return all(part in text for part in ("data:image/png", "<blockquote", "Play your turn", " played "))
    is_board = re.compile(r"-board$").search
    return next((name, text) for name, text in browser.letters(folder) if is_board(name) and "Pow2" in text and has_all(text))


def height(text):
    """How high the letter is at that width, in pixels."""
    script = "<script>addEventListener('load', () => document.title = 'high:' + document.documentElement.scrollHeight)</script>"
    shown = browser.chromium(text + script, "light", f"--window-size={LETTER_WIDTH},100", "--dump-dom")
    return int(re.search(r"<title>high:(\d+)", shown).group(1))


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def smaller(png):
    """The same picture packed as tightly as zlib can, and without what a viewer does not need."""
    at, data, header = 8, b"", b""
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + size]
        header = body if kind == b"IHDR" else header
        data += body if kind == b"IDAT" else b""
        at += 12 + size
    packed = zlib.compress(zlib.decompress(data), 9)
    return png[:8] + chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def main(program, letters, target):
    target = pathlib.Path(target)
    for record in sorted(target.glob("*.txt")):
        board = record.with_suffix(".png")
        subprocess.run([program, "show", record, "--png", board, "--width", str(BOARD_WIDTH)], check=True)
    name, text = chosen(letters)
    letter = target / "letter.png"
    with tempfile.TemporaryDirectory() as folder:
        shot = pathlib.Path(folder) / "letter.png"
        size = f"--window-size={LETTER_WIDTH},{min(height(text), HIGHEST)}"
        browser.chromium(text, "light", size, f"--screenshot={shot}")
        letter.write_bytes(smaller(shot.read_bytes()))
    made = {file.name: file.stat().st_size for file in sorted(target.glob("*.png"))}
    print(f"{name}; {made}")
    return 0 if sum(made.values()) <= MOST else f"together more than {MOST} bytes"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
