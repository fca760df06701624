"""A game of somebody without an account: from the front page to its end by clicks, and kept. Lines that are walked and planned."""

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


def enter(page):
    """Presses the key, which does not wait for the page that it leads to as a click does."""
    with page.expect_navigation():
        page.keyboard.press("Enter")


def line(house, checks, page, board, player):
    """Walks a line on a board by clicks and by keys, forward and back, and keeps it."""
    tables = "SELECT (SELECT COUNT(*) FROM turns), (SELECT COUNT(*) FROM tries), (SELECT COUNT(*) FROM outbox)"
    before = house.look(tables)
    page.goto(f"{house.url}board/{board}")
    page.get_by_role("link", name="Try a line from here").click()
    for cell in ("c3", "d4"):
        page.locator(f'svg a.go[href="?turn={cell}"]').click()
    checks.holds("a line is walked by clicks", page.locator("h1").inner_text(), "tries d4")
    page.get_by_label("Or type the turn").fill("e4 d5")
    enter(page)
    checks.holds("  and by typing", page.locator("nav.steps").last.inner_text(), "4 of 4")
    page.get_by_role("link", name="Back one").focus()
    enter(page)
    page.get_by_role("link", name="Back one").focus()
    enter(page)
    checks.holds("  back by keys", page.locator("nav.steps").last.inner_text(), "2 of 4")
    page.locator('svg a.go[href="?turn=e4"]').focus()
    enter(page)
    checks.holds("  forward by keys on the board, along the line", page.locator("nav.steps").last.inner_text(), "3 of 4")
    page.get_by_role("link", name="Start", exact=True).click()
    page.get_by_role("link", name="Forward").click()
    page.get_by_label("Or type the turn").fill("c3")
    page.get_by_role("button", name="Try").click()
    checks.holds("  the rules say what is not possible", page.locator("main").inner_text(), "This is not a legal turn.")
    checks.equal("  nothing is stored", house.look(tables), before)
    page.goto(f"{player.home()}board/{board}/try/0/c3_d4_e4/3")
    page.get_by_role("button", name="Keep it").click()
    checks.holds("a player keeps a line", page.locator("[role=status]").inner_text(), "Kept as line-1")
    page.get_by_role("link", name="line-1").click()
    checks.holds("  and comes back to it", page.locator("nav.steps").last.inner_text(), "3 of 3")
    page.get_by_role("button", name="Drop line-1").click()
    checks.holds("  and drops it", page.locator("[role=status]").inner_text(), "is dropped")


def plan(house, checks, page, board, people):
    """Bob waits, and plans by clicks and by keys what he answers; alice plays it, and his answer is there."""
    alice, bob = people
    page.goto(f"{bob.home()}board/{board}/turn")
    page.get_by_role("link", name="Plan by stepping through the board").click()
    for cell in ("c3", "d4"):
        page.locator(f'svg a.go[href="?turn={cell}"]').click()
    page.get_by_role("button", name="Plan this").focus()
    enter(page)
    checks.holds("a line becomes a plan by keys", page.locator("ul.plan").inner_text(), "if c3 then d4")
    page.get_by_role("link", name="Add to it by stepping through the board").click()
    for cell in ("f6", "e5"):
        page.locator(f'svg a.go[href="?turn={cell}"]').click()
    page.get_by_role("button", name="Plan this").click()
    checks.holds("  another line is added by clicks", page.locator("ul.plan").inner_text(), "if f6 then e5")
    page.get_by_role("link", name="if c3 then d4").click()
    checks.holds("  an answer leads to the board after it", page.locator("h1").inner_text(), "tries d4")
    page.goto(f"{alice.home()}board/{board}/turn?turn=f6")
    page.get_by_role("button", name="Play").first.click()
    checks.holds("  and is played when it fits", page.locator("main").inner_text(), "bob had planned this")
