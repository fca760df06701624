"""The configuration lines of the pages in deploy/, with the paths, ports and the account of a test.

The documentation is the source of the test's configuration, so what is documented is tested.
"""

import grp
import os
import pwd
import re
from pathlib import Path

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"

BLOCK = re.compile(r"^```([a-z.]+\.[a-z]+|transport)(?: ([a-z-]+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Recipe:
    """The blocks of the page, by file and variant; a variant of None belongs to all."""

    def __init__(self, page="postfix.md"):
        page = DEPLOY / page
        self.name = page.name
        self.blocks = {}
        for name, variant, text in BLOCK.findall(page.read_text()):
            key = (name, variant or None)
            if key in self.blocks:
                raise ValueError(f"{page.name} has two blocks {key}")
            self.blocks[key] = text

    def file(self, name, variants, places):
        """The text of a file made of the common block and those of these variants.

        Each example of `places` in it is replaced by its value.
        """
        keys = [(name, None)] + [(name, variant) for variant in variants]
        text = "".join(self.blocks.get(key, "") for key in keys)
        if not text:
            raise ValueError(f"{self.name} has no block {name} for {variants}")
        # In one pass, longest first, so that no replacement is itself replaced.
        examples = sorted(places, key=len, reverse=True)
        pattern = re.compile("|".join(re.escape(example) for example in examples))
        return pattern.sub(lambda found: str(places[found.group()]), text)


def make_folders(text):
    """Makes the folders of a file of tmpfiles.d, as systemd-tmpfiles does."""
    for line in text.splitlines():
        kind, path, mode, user, group = line.split()
        if kind != "d":
            raise ValueError(f"no folder: {line!r}")
        os.mkdir(path)
        os.chown(path, pwd.getpwnam(user).pw_uid, grp.getgrnam(group).gr_gid)
        os.chmod(path, int(mode, 8))


def parameters(text):
    """The parameters of a main.cf, of which each stands on one line."""
    found = {}
    for line in filter(None, text.splitlines()):
        name, sign, value = line.partition("=")
        if not sign or line[0].isspace():
            raise ValueError(f"no parameter: {line!r}")
        found[name.strip()] = value.strip()
    return found
