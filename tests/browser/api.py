"""The boards for programs: the player of docs/api.md plays, and schemathesis sends what the description allows and what it does not."""

import os
import re
import subprocess
import sys
from pathlib import Path

import playing
from checks import await_true
from playing import Game

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = {True: 20, False: 100}


def player():
    """The program of the documentation, which looks at its boards once."""
    text = (ROOT / "docs/api.md").read_text()
    code = re.search(r"```python\n(.*?)```", text, re.S).group(1)
    return code.replace("time.sleep(60)", "break")


def environment(key):
    """Without the proxies of whoever runs this."""
    rest = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    return rest | {"PBMSERV_KEY": key}


def plays(stage, keys):
    """Two programs play some turns."""
    number = playing.begin(stage.house, *stage.people, Game("reversi"))
    for played in range(1, 7):
        mover = keys[(played + 1) % 2]
        done = subprocess.run([sys.executable, "-c", player(), stage.house.url], env=environment(mover), capture_output=True, text=True, timeout=60)
        stage.checks.equal(f"  the documented player ends well, turn {played}", (done.returncode, done.stderr), (0, ""))
        await_true(f"turn {played} is played", lambda: len(stage.house.turns("Reversi", number)) >= played)
    stage.checks.equal("  six turns were played", len(stage.house.turns("Reversi", number)), 6)


def described(stage, key):
    """No answer differs from the description, and no request makes the server fail."""
    command = [
        Path(sys.executable).with_name("schemathesis"), "run", f"{stage.house.url}api/openapi.json", "--url", f"{stage.house.url}api",
        "--header", f"Authorization: Bearer {key}", "--header", f"X-Forwarded-For: {stage.house.visitor()}", "--rate-limit", "20/s",
        "--max-examples", str(EXAMPLES[stage.given.short]), "--seed", "1994", "--no-color", "--suppress-health-check", "all",
    ]
    done = subprocess.run(command, env=environment(key), cwd=stage.folder, capture_output=True, text=True, timeout=1200)
    said = (done.stdout + done.stderr).replace(key, "***")
    print("\n".join(said.splitlines()[-60:]), flush=True)
    stage.checks.equal("  schemathesis finds no fault", done.returncode, 0)


def check(stage):
    """Both."""
    keys = [re.search("/k/([^/]+)/", person.home()).group(1) for person in stage.people]
    plays(stage, keys)
    described(stage, keys[0])
