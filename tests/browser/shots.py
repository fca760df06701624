"""Every kind of page: what a player and a spectator can see, at three widths, light and dark, and on paper."""

import access

HEIGHTS = {320: 640, 390: 844, 1280: 900}
# Every width in both schemes; and the fewest that have everything once.
VIEWS = [(width, scheme) for scheme in ("light", "dark") for width in HEIGHTS]
FEW_VIEWS = [(320, "light"), (1280, "dark")]


# Pages that say that something is not there, or not open.
STATUSES = {"fault": 404, "operator-fault": 404, "operator-login": 403}


def everywhere(house, people, boards):
    """The address of each kind of page, by name. `boards` are the numbers of boards, by what is the matter with them."""
    first, second = people
    own, public = first.home(), house.url
    running, over, whole = boards["running"], boards["over"], boards["waiting"]
    pages = {
        "house": public,
        "players": f"{public}players",
        "player": f"{public}players/{first.userid}",
        "help": f"{public}help",
        "help-tutorial": f"{public}help/tutorial",
        "help-commands": f"{public}help/commands",
        "fault": f"{public}nowhere",
        "cups": f"{public}cups",
        "league": f"{public}games/Hex/league",
        "ladder": f"{public}games/Hex/ladder",
        "cup": f"{public}cups/summer",
        "own-cups": f"{own}cups",
        "own-league": f"{own}games/Hex/league",
        "own-ladder": f"{own}games/Hex/ladder",
        "own-cup": f"{own}cups/summer",
        "cup-end": f"{own}cups/summer/end",
        "join": f"{public}join",
        "dice": f"{public}dice",
        "play": f"{public}play",
        "play-first": f"{public}play/Breakthrough",
        "play-begun": f"{public}play/Pow2?turn=m13",
        "play-whole": f"{public}play/Breakthrough?turn=a2-a3",
        "play-dice": f"{public}play/Backgammon",
        "play-wrong": f"{public}play/Breakthrough?turn=a2-a9",
        # It is the same for every token.
        "unsubscribe": f"{public}u/uaaaaaaaaaaaaaaaaaaaa",
        "home": own,
        "home-of-the-other": second.home(),
        "own-house": f"{own}house",
        "own-board": f"{own}board/{running}",
        "board-over": f"{public}board/{over}",
        "board-start": f"{public}board/{over}/0",
        "board-earlier": f"{public}board/{over}/2",
        "words": f"{public}board/{over}/words",
        "try": f"{public}board/{running}/try/2/-/0",
        "try-over": f"{public}board/{over}/try/3/-/0",
        "try-begun": f"{own}board/{whole[0]}/try/0/-/0?turn={whole[1]}",
        "try-wrong": f"{own}board/{whole[0]}/try/0/-/0?turn={whole[1]}x9",
        "try-line": f"{own}board/{whole[0]}/try/0/{whole[2]}_a1-e1_m1-i1/2",
        "try-large": f"{own}board/{whole[0]}/try/0/{whole[2]}/1?large=true",
        "try-plan": f"{second.home()}board/{whole[0]}/try/0/{whole[2]}_a1-e1/2",
        "turn-over": f"{own}board/{over}/turn",
        "turn-of-the-other": f"{second.home()}board/{whole[0]}/turn",
        "resign": f"{own}board/{whole[0]}/resign",
        "turn-wrong": f"{own}board/{whole[0]}/turn?turn={whole[1]}x9",
        "turn-begun": f"{own}board/{whole[0]}/turn?turn={whole[1]}",
        "turn-whole": f"{own}board/{whole[0]}/turn?turn={whole[2]}",
    }
    pages |= {f"game-{game}": f"{public}games/{game}" for game in boards["games"]}
    pages |= {f"board-{board.split('/')[0]}": f"{public}board/{board}" for board in boards["shown"]}
    pages |= {f"turn-{board.split('/')[0]}": f"{own}board/{board}/turn" for board in boards["playable"]}
    return pages


def looked_at(browser, house, pages, axe, checks, folder, views, enter=lambda page: None):
    """Opens each page at each width and in each scheme, and checks it; with a folder, takes pictures of it too. `enter` opens
    what must be opened first."""
    wrong = []
    for width, scheme in views:
        context = browser.new_context(
            viewport={"width": width, "height": HEIGHTS[width]}, color_scheme=scheme, bypass_csp=True,
            extra_http_headers={"X-Forwarded-For": house.visitor()},
        )
        page = context.new_page()
        enter(page)
        for name, url in pages.items():
            status = page.goto(url).status
            if status != STATUSES.get(name, 200):
                wrong.append(f"{name}: {status}")
            if folder:
                # Those that nobody has scrolled to are in the picture too.
                page.evaluate("for (const image of document.images) image.loading = 'eager'")
                page.wait_for_load_state("networkidle")
                page.screenshot(path=folder / f"{name}-{width}-{scheme}.png", full_page=True)
            # What is folded counts too.
            page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
            found = access.sizes(page)
            # The narrowest and the widest page have all that axe-core could find.
            if width != 390:
                found += access.violations(page, axe)
            wrong += [f"{name}, {scheme}, {width}: {what}" for what in found]
        context.close()
    shown = ", ".join(f"{width} {scheme}" for width, scheme in views)
    checks.check(f"{len(pages)} pages ({shown}): nothing is wrong", not wrong, "\n".join(wrong))


def printed(browser, house, pages, folder):
    """Each page as it is printed."""
    # A4 without its margins.
    context = browser.new_context(viewport={"width": 680, "height": 980}, extra_http_headers={"X-Forwarded-For": house.visitor()})
    page = context.new_page()
    page.emulate_media(media="print")
    for name, url in pages.items():
        page.goto(url)
        page.screenshot(path=folder / f"{name}-print.png", full_page=True)
    context.close()
