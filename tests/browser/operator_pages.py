"""The pages for the operator: the key, a ruling by clicks, and every page."""

import shots


def enter(house):
    """What logs a page in."""
    key = (house.data / "operator.key").read_text().strip()

    def typed(page):
        page.goto(house.operator)
        page.fill("#key", key)
        page.click("button")
        page.wait_for_url(house.operator)

    return typed


def pages(house, board, player, mail):
    """The address of each kind of page, by name."""
    at = house.operator
    return {
        "operator-health": at,
        "operator-queue": f"{at}queue?box=out",
        "operator-received": f"{at}queue?box=in",
        "operator-mail": f"{at}queue/out/{mail}",
        "operator-boards": f"{at}boards?all=yes",
        "operator-board": f"{at}boards/{board}",
        "operator-players": f"{at}players",
        "operator-player": f"{at}players/{player}",
        "operator-waiting": f"{at}waiting",
        "operator-audit": f"{at}audit",
        "operator-fault": f"{at}nowhere",
    }


def ruled(house, board, checks, page):
    """A board gets more time, by clicks; the page says so, and the audit log has it."""
    page.goto(house.operator)
    checks.check("who has not logged in sees the login alone", page.locator("#key").count() == 1 and page.locator("nav").count() == 0)
    enter(house)(page)
    page.goto(f"{house.operator}boards/{board}")
    page.click("summary:has-text('Give more time')")
    page.fill("#days", "21")
    page.fill("#why-clock", "The first player is in hospital")
    page.click("button:has-text('Give the time')")
    said = page.locator(".said").inner_text()
    checks.check("the ruling is said", "21 days from now" in said, said)
    page.goto(f"{house.operator}audit")
    checks.check("the ruling stands in the audit log", "The first player is in hospital" in page.content())


def looked_at(stage, board, folder, views):
    """A ruling, and every page; with a folder, pictures of them."""
    context = stage.browser.new_context()
    ruled(stage.house, board, stage.checks, context.new_page())
    context.close()
    shots.looked_at(
        stage.browser, stage.house, pages(stage.house, board, stage.people[0].userid, 1), stage.axe, stage.checks,
        folder, views, enter(stage.house),
    )
    # Without a session.
    login = {"operator-login": stage.house.operator}
    shots.looked_at(stage.browser, stage.house, login, stage.axe, stage.checks, folder, views)
