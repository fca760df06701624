"""The pages in w3m, on a terminal: a game is played by typing."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

import pyte

from checks import Failed
from playing import begin

COLUMNS, LINES = 80, 50
TAB, ENTER, CLEAR = "\t", "\r", "\x15"


class Terminal:
    """A program on a terminal of its own: what it shows, and keys for it."""

    def __init__(self, command):
        self.screen = pyte.Screen(COLUMNS, LINES)
        self.stream = pyte.ByteStream(self.screen)
        self.number, self.end = pty.fork()
        if self.number == 0:
            os.environ.update(TERM="vt100", LANG="C.UTF-8", COLUMNS=str(COLUMNS), LINES=str(LINES))
            os.execvp(command[0], command)
        fcntl.ioctl(self.end, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        os.kill(self.number, signal.SIGWINCH)

    def text(self):
        """What is on the screen."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def read(self, seconds):
        """Takes in what the program writes until it is silent for that long."""
        while select.select([self.end], [], [], seconds)[0]:
            try:
                self.stream.feed(os.read(self.end, 65536))
            except OSError:
                return

    def await_text(self, wanted, seconds=20):
        """Waits until a text is on the screen."""
        until = time.monotonic() + seconds
        while wanted not in self.text():
            if time.monotonic() > until:
                raise Failed(f"the terminal does not show {wanted!r}:\n{self.text()}")
            self.read(0.05)
        self.read(0.05)

    def type(self, keys):
        """Types, and waits until the screen is at rest."""
        os.write(self.end, keys.encode())
        self.read(0.15)

    def find(self, wanted, seconds=20):
        """Searches the page from its top, which is loaded again and again until it has the text."""
        until = time.monotonic() + seconds
        while True:
            self.type("g")
            self.type("/" + wanted + ENTER)
            if wanted in self.text().rsplit("\n", 1)[0]:
                return
            if time.monotonic() > until:
                raise Failed(f"the terminal does not show {wanted!r}:\n{self.text()}")

    def close(self):
        """Ends the program."""
        os.kill(self.number, signal.SIGKILL)
        os.waitpid(self.number, 0)
        os.close(self.end)


def typed_game(house, people, game, checks, folder):
    """A whole game of which the first player's turns are typed in w3m."""
    first, second = people
    number = begin(house, first, second, game)
    # Without the settings of whoever runs this.
    os.environ["HOME"] = str(folder)
    terminal = Terminal(["w3m", "-o", "confirm_qq=0", "-o", "use_mouse=0", f"{first.home()}board/{game.name}/{number}/turn"])
    try:
        terminal.await_text(f"board {number}")
        for at, (is_first, turn) in enumerate(game.turns):
            if is_first:
                is_last = at == len(game.turns) - 1
                play(terminal, turn, "The game is over" if is_last else "It is not your turn")
            else:
                second.command(f"{game.name} move {number} {{me}} {turn}")
                terminal.type("R")
        terminal.type("R")
        terminal.find("The game is over")
        wanted = [turn for _, turn in game.turns]
        checks.equal(f"{game.name} is played in w3m by typing", house.turns(game.name, number), wanted)
    finally:
        terminal.close()


def typed_visit(house, checks, folder):
    """A turn of somebody without an account, typed in w3m."""
    os.environ["HOME"] = str(folder)
    terminal = Terminal(["w3m", "-o", "confirm_qq=0", "-o", "use_mouse=0", f"{house.url}play/Breakthrough"])
    try:
        terminal.await_text("You have the first turn.")
        play(terminal, "a2-a3", "bot-easy played")
        checks.check("a visitor's turn is played and answered in w3m", True)
    finally:
        terminal.close()


def play(terminal, turn, then):
    """Types a turn, looks at it, and plays it; the page then says this."""
    terminal.find("Or type the turn")
    terminal.type(TAB)
    terminal.type(ENTER)
    terminal.type(CLEAR + turn + ENTER)
    terminal.type(TAB)
    terminal.type(ENTER)
    terminal.find("Your turn is complete")
    terminal.find("Play it")
    terminal.type(ENTER)
    terminal.find(then)
