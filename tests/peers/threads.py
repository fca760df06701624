"""The letters of a whole game as mail programs group them: Dovecot's THREAD, and mutt."""

import mailbox
import re

from mailprogram import MUTTRC, at_a_terminal

# No subject joins mails here, and the threads stand in the order of their last mails.
SORTED = """
set strict_threads = yes
set sort = threads
set sort_aux = last-date-received
set index_format = "%N %M %F | %s"
"""

# What the list of the inbox shows first, from the begin of the game to its end.
BY_ALICE = ["Your first turn – bob"] + ["bob's turn", "Your turn – bob"] * 4 + ["bob's turn"]


def news_for_bob(stage):
    """Bob has the news in the subjects, so that nothing but References joins his letters."""
    stage.bob.write(f"set bob {stage.bob.password} subjects news")
    stage.checks.holds("bob wants the news in the subjects", stage.bob.read().sentence, "the news in the subjects")


def seen(stage, folder):
    """All letters of the board, of both players, are one thread: in Dovecot and in mutt."""
    check = stage.checks
    for player in stage.players:
        name = player.userid
        letters = [letter for letter in player.letters if letter.field("List-Id").startswith("<forms.101.")]
        check.equal(f"{name} has the letters of a whole game", len(letters), 11)
        subjects = {letter.subject.removeprefix("Re: ") for letter in letters}
        if player is stage.bob:
            check.check("  with many subjects", len(subjects) > 2 and "Your turn: Forms 101 against alice" in subjects, subjects)
        else:
            check.equal("  with one subject", subjects, {"Forms Board 101 alice"})
            check.equal("  the first without Re:", [letter.subject[:4] == "Re: " for letter in letters], [False] + [True] * 10)
            senders = [str(letter.mail["From"].addresses[0].display_name) for letter in letters]
            check.equal("  and the sender says the news", senders[:10], BY_ALICE)
        addresses = {letter.mail["From"].addresses[0].addr_spec for letter in player.letters}
        check.equal("  from one address", len(addresses), 1)
        in_dovecot(check, player, letters)
        in_mutt(check, player, letters, folder / "mutt")


def in_dovecot(check, player, letters):
    """THREAD=REFERENCES (RFC 5256) joins them, and still does when the first ones are deleted."""
    session = player.postfix.dovecot.session(player.address, player.password)
    try:
        numbers = {}
        for number in session.search(None, "ALL")[1][0].decode().split():
            head = next(part[1] for part in session.fetch(number, "(BODY.PEEK[HEADER])")[1] if isinstance(part, tuple))
            numbers[re.search(rb"(?mi)^Message-ID:\s*(<[^>]+>)", head)[1].decode()] = int(number)
        own = {numbers[letter.field("Message-ID")] for letter in letters}
        for what, wanted in [("all", own), ("the last four", set(sorted(own)[-4:]))]:
            among = ",".join(map(str, sorted(wanted)))
            found = session.thread("REFERENCES", "UTF-8", among)[1][0].decode()
            check.equal(f"  {what} are one thread in Dovecot", [set(one) for one in threads(found)], [wanted])
        everything = threads(session.thread("REFERENCES", "UTF-8", "ALL")[1][0].decode())
        check.equal("  and no other mail is in it", [set(one) for one in everything if own & set(one)], [own])
    finally:
        session.logout()


def threads(text):
    """The numbers of each thread in a response such as `(2)(3 6 (4 23)(44 7 96))`."""
    found, depth, start = [], 0, 0
    for at, char in enumerate(text):
        if char == "(":
            if depth == 0:
                start = at
            depth += 1
        elif char == ")":
            depth -= 1
            if depth == 0:
                found.append([int(number) for number in re.findall(r"\d+", text[start:at])])
    return found


def in_mutt(check, player, letters, folder):
    """mutt tags the thread of the last mail, and copies what is tagged."""
    folder.mkdir(exist_ok=True)
    rc, copied = folder / f"{player.userid}-threads-rc", folder / f"{player.userid}-thread"
    rc.write_text(SORTED + MUTTRC.replace('set sort = mailbox-order\n', "").format(
        imap=player.postfix.dovecot.imap, smtp=player.postfix.port, address=player.address, password=player.password,
        userid=player.userid, editor="true", sent=folder / "none",
    ) + "set mbox_type = mbox\nset confirmcreate = no\n")
    keys = f"<last-entry><tag-thread><tag-prefix><copy-message>{copied}<enter><collapse-all><refresh><quit>"
    status, screen = at_a_terminal(["mutt", "-n", "-F", str(rc), "-e", f"push '{keys}'"], folder)
    (folder / f"{player.userid}-threads-screen").write_bytes(screen)
    check.equal("  mutt shows them", status, 0)
    shown = re.sub(r"\x1b[\[\(][0-9;?]*[A-Za-z]", "", screen.decode("utf-8", "replace"))
    first = letters[0]
    check.holds("  and folds them to one line", shown, f"11 {first.mail['From'].addresses[0].display_name} | {first.subject}")
    found = {" ".join(mail["Message-ID"].split()) for mail in mailbox.mbox(copied)} if copied.exists() else set()
    check.equal("  as one thread", found, {letter.field("Message-ID") for letter in letters})
