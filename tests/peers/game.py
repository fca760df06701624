"""Two players sign up and play: what each finds in the mailbox."""

import re

from player import SERVER

# Light's pieces stand on the edge m, Dark's on the edge a. The rows of the display in which something changes.
ROW_1_AT_START = "1   X - - - - - - - * - - - * - - - * - - - - - - - O    1"
ROW_7_AT_START = "7   * - - - - - * - *     P o T     * - * - - - - - *    7"
ROW_1_AFTER_M1_M7 = "1   X - - - - - - - * - - - * - - - * - - - - - - - *    1"
ROW_7_AFTER_M1_M7 = "7   * - - - - - * - *     P o T     * - * - - - - - O    7"
ROW_1_AFTER_M7_G1 = "1   X - - - - - - - * - - - O - - - * - - - - - - - *    1"
ROW_7_AFTER_A13_A7 = "7   X - - - - - * - *     P o T     * - * - - - - - O    7"


def sign_up(scene):
    """An account each: the question, its answer, the welcome."""
    check = scene.checks
    for player in scene.players:
        name = player.userid
        player.write(f"signup {name} {player.password}")
        question = player.read()
        check.equal(f"{name} is asked", question.subject, f"Is {player.address} your address, {name}?")
        check.holds("  the question begins with itself", question.sentence, f"Is {player.address} your address, {player.userid}?")
        check.equal("  it says that a program wrote it", question.field("Auto-Submitted"), "auto-generated")
        local, domain = SERVER.split("@")
        reply_to = question.field("Reply-To")
        is_token = re.fullmatch(re.escape(local) + r"\+[a-z0-9-]{20,}@" + re.escape(domain), reply_to)
        check.check("  its Reply-To bears a token", is_token, reply_to)

        player.answer(question, "I am away until Monday. I confirm.", Auto_Submitted="auto-replied")
        player.answer(question, "confirm", Auto_Submitted="auto-replied")
        scene.no_more_mail("  an automatic answer confirms nothing")

        # Bob's provider removes the token after the plus sign, so only In-Reply-To says what he answers.
        to = None if player is scene.alice else SERVER
        answered = player.answer(question, "confirm", to=to)
        welcome = player.read()
        check.equal(f"{name} is welcome", welcome.subject, f"Welcome to {SERVER}, {name}")
        check.equal(
            "  the welcome begins so", welcome.sentence,
            f"Welcome, {name}! You can play now.",
        )
        check.equal("  it is in the thread of the answer", welcome.field("In-Reply-To"), answered)
        check.equal("  it is a reply by a program", welcome.field("Auto-Submitted"), "auto-replied")
    scene.no_more_mail("nobody got anything else")


def begin(scene):
    """A board, challenged and greeted."""
    check = scene.checks
    scene.alice.write("Pow2 challenge alice bob", "Have you time for a game?\n\n-- \nAlice")
    for player, letter in zip(scene.players, scene.both_read()):
        name = player.userid
        check.equal(f"{name} gets the board", letter.subject, f"Pow2 Board 101 {name}")
        check.holds("  it has begun", letter.sentence, "Pow2 Board 101 has begun:")
        check.holds("  it is the first position", letter.text, ROW_1_AT_START, ROW_7_AT_START)
        check.holds("  with the greeting", letter.text, "With the challenge came these words:", "Have you time for a game?")
        check.check("  without the signature", "Alice" not in letter.text, letter.text)
        check.equal("  with its own List-Id", letter.field("List-Id"), "<pow2.101.games.example.org>")


def err(scene):
    """Three refusals, which change nothing and go only to the sender."""
    check, alice = scene.checks, scene.alice
    alice.write(f"Pow2 mvve 101 alice {alice.password} m1-m7")
    letter = alice.read()
    check.check("a misspelt verb is refused", letter.subject.startswith("Not done: Pow2 mvve"), letter.subject)
    check.equal("  with what is wrong", letter.sentence, 'Pow2 has no command "mvve".')
    check.holds("  with the word marked, and the nearest", letter.text, "       ^^^^", "Did you mean move?")

    alice.write(f"Pow2 move 101 alice {alice.password} a1-a7")
    letter = alice.read()
    check.holds("an illegal turn is refused", letter.sentence, "Not played: the piece on a1 is Dark's, and it is Light's turn.")
    check.equal("  in the thread of the board", letter.subject, "Re: Pow2 Board 101 alice")
    check.holds("  with the board as it stands", letter.text, "Nothing was changed.", ROW_1_AT_START)

    alice.write("Pow2 move 101 alice Not-Her-Password m1-m7")
    letter = alice.read()
    check.holds("a wrong password is refused", letter.sentence, "not the password of alice")
    check.holds("  with the passwords masked", letter.text, "Pow2 move 101 alice ****** ******")
    scene.no_more_mail("bob hears of none of it")
    check.equal("  and no turn is played", scene.turns(), [])


def who(reader, player):
    """What a letter calls a player."""
    return "You" if reader is player else player.userid


def wrote(reader, player):
    """What stands above a player's words."""
    return "You wrote:" if reader is player else f"{player.userid} writes:"


def play(scene):
    """A turn each, and a word: what both get."""
    check, alice, bob = scene.checks, scene.alice, scene.bob
    alice.write(f"Pow2 Board 101 alice {alice.password} m1-m7", "From one corner.")
    for player, letter in zip(scene.players, scene.both_read()):
        name = player.userid
        check.equal(f"{name} gets alice's turn", letter.subject, f"Re: Pow2 Board 101 {name}")
        check.equal("  it says what was played", letter.sentence, f"{who(player, alice)} played m1-m7 on Pow2 Board 101.")
        check.holds("  the board shows it", letter.text, ROW_1_AFTER_M1_M7, ROW_7_AFTER_M1_M7)
        check.holds("  with her comment", letter.text, wrote(player, alice), "From one corner.")

    news = bob.letters[-1]
    # As bob's mail program answers, with the rest of the command typed after the subject.
    bob.write(
        f"{news.subject} {bob.password} a13-a7", f"And from the other.\n\n{news.quoted()}",
        In_Reply_To=news.field("Message-ID"), References=news.field("Message-ID"),
    )
    for player, letter in zip(scene.players, scene.both_read()):
        name = player.userid
        check.equal(f"{name} gets bob's turn", letter.sentence, f"{who(player, bob)} played a13-a7 on Pow2 Board 101.")
        check.holds("  the board shows it", letter.text, ROW_7_AFTER_A13_A7)
        check.holds("  with his comment", letter.text, wrote(player, bob), "And from the other.")
        check.check("  without what he quoted", "From one corner" not in letter.text, letter.text)
    check.equal("both turns are stored", scene.turns(), ["m1-m7", "a13-a7"])

    alice.write(f"Pow2 chat 101 alice {alice.password}", "A fine answer, Bob.")
    for player, letter in zip(scene.players, scene.both_read()):
        told = "You wrote on Pow2 Board 101." if player is alice else "alice writes on Pow2 Board 101:"
        check.equal(f"{player.userid} gets the message", letter.sentence, told)
        check.holds("  with its words", letter.text, "A fine answer, Bob.")


def play_by_answers(scene):
    """A turn each, as a plain reply to the last mail: by its token, and by In-Reply-To alone."""
    check, alice, bob = scene.checks, scene.alice, scene.bob
    alice.answer(alice.letters[-1], "m7-g1\n\nInto the middle.")
    for player, letter in zip(scene.players, scene.both_read()):
        name = player.userid
        check.holds(f"{name} gets the turn that alice answered", letter.sentence, f"{who(player, alice)} played m7-g1 on Pow2 Board 101")
        check.holds("  the board shows it", letter.text, ROW_1_AFTER_M7_G1)
        check.holds("  with her comment", letter.text, wrote(player, alice), "Into the middle.")

    # Bob's provider has dropped what follows the plus sign again.
    bob.answer(bob.letters[-1], "a7-a13\n\nThen back.", to=SERVER)
    for player, letter in zip(scene.players, scene.both_read()):
        name = player.userid
        check.holds(f"{name} gets the turn that bob answered", letter.sentence, f"{who(player, bob)} played a7-a13 on Pow2 Board 101")
        check.holds("  with his comment", letter.text, wrote(player, bob), "Then back.")
    check.equal("all turns are stored", scene.turns(), ["m1-m7", "a13-a7", "m7-g1", "a7-a13"])


def resign(scene):
    """The end."""
    check, alice = scene.checks, scene.alice
    alice.write(f"Pow2 resign 101 alice {alice.password}", "Thank you for the game.")
    verdicts = ["You lost, alice, by resignation.", "You won, bob, by resignation."]
    for player, letter, verdict in zip(scene.players, scene.both_read(), verdicts):
        check.equal(f"{player.userid} gets the result", letter.sentence, verdict)
        check.holds("  and how", letter.text, "resigned on Pow2 Board 101")
    scene.no_more_mail("nobody got anything else")


def threads(scene):
    """The mails of the board are one thread for each player, and all say that a program wrote them."""
    check = scene.checks
    for player in scene.players:
        known = set(player.sent_ids)
        own = [letter for letter in player.letters if letter.field("From").endswith(f"<{SERVER}>")]
        check.equal(f"{player.userid}: all mail is from the server", len(own), len(player.letters))
        wrong = []
        roots = {}
        for letter in own:
            if letter.field("Auto-Submitted") not in ("auto-replied", "auto-generated"):
                wrong.append(f"Auto-Submitted of {letter.subject}: {letter.field('Auto-Submitted')!r}")
            parents = re.findall(r"<[^<>]+>", letter.field("References"))
            board = letter.field("List-Id")
            if board:
                # No mail has the root of its board's thread.
                root = parents.pop(0)
                if roots.setdefault(board, root) != root:
                    wrong.append(f"not in the thread of the board: {letter.sentence}")
            parents += re.findall(r"<[^<>]+>", letter.field("In-Reply-To"))
            wrong += [f"{letter.subject} refers to {parent}" for parent in parents if parent not in known]
            known.add(letter.field("Message-ID"))
        check.check("  each refers to mails that the player knows, and to the root of its board", not wrong, "\n".join(wrong))
        check.equal("  no two have the same Message-ID", len({letter.field("Message-ID") for letter in own}), len(own))
