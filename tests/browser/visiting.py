"""A game of somebody without an account: from the front page to its end by clicks, and kept."""

import re

YOUR_TURN = "Your turn."


def whole_game(house, checks, page):
    """Plays it against the computer."""
    boards = "SELECT COUNT(*) FROM boards"
    before = house.look(boards)
    page.goto(house.url)
    page.get_by_role("link", name="Play a game now").click()
    page.get_by_role("link", name="Play now: Breakthrough").click()
    turns = 0
    while YOUR_TURN in page.locator("main").inner_text():
        button = page.get_by_role("button", name="Play it")
        while button.count() == 0:
            page.locator("svg a.go").last.click()
        button.click()
        turns += 1
    result = page.locator("h1").inner_text()
    checks.check(f"a visitor plays {turns} turns by clicks, to the end", re.fullmatch(r"You won!|bot-easy won\.", result), result)
    checks.equal("  no board is stored", house.look(boards), before)
    page.locator("#address").fill("visitor@players.example.org")
    page.get_by_role("button", name="Keep this game").click()
    checks.holds("  and it is kept by a mail", page.locator("h1").inner_text(), "A mail is on its way to you.")
