"""Descriptions of Halunken & Spelunken's moves and scores; the sentences are in ``texts.json``.

After one action several figures may move. What they did is worked out from the views before and after the action, by
the rules of the game's README: who moved, in ascending order, onto whom and past whom, and who took which card.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from blackjacky_agents.narration import (
    Move,
    Narrator,
    Pause,
    Phrase,
    Score,
    ScoreTable,
    View,
    card,
    listed,
    mark_of,
    say,
    seat,
    the,
    worst,
)
from blackjacky_env.draw.scene import Settled
from blackjacky_env.engine.actions import HIDDEN
from blackjacky_env.games.halunken.scene import MOVEMENT_CARDS, Mover, doubled_colour, standing
from blackjacky_env.games.halunken.state import FIELDS
from blackjacky_env.games.halunken.words import BLACK_JACK

_HARBOUR = "harbour"
_COLOURS = {"R": "red", "V": "violet", "G": "grey", "Y": "yellow"}

# ---------------------------------------------------------------- moves


def story(move: Move) -> list[Phrase]:
    """What the move did, as far as the seat may know, and what followed from it."""
    before, after = move.before, move.after
    told = [_tell_action(move)]
    if before["phase"] == "bid" and after["phase"] != "bid":
        buyer = after["buyer"]
        hired = {} if buyer is None else {"seat": seat(buyer), "card": the(after["offers"][buyer])}
        told.append(say("hires" if hired else "nobody_hires", **hired))
    if _all_have_chosen(move):
        told += _reveal(move)
    if before["phase"] in ("choose", "name", "take", "rob", "give"):
        told += _Resolution(move).tell()
    return [*told, *_beginning(before, after)]


def _tell_action(move: Move) -> Phrase:
    actor, info, before = seat(move.actor), move.action, move.before
    match before["phase"]:
        case "place_captain":
            taken = the(_Resolution(move).take(int(info.number or 0), move.actor) or HIDDEN)
            return say("places", actor=actor, field=info.number, card=taken)
        case "place_black_jack":
            return say("places_black_jack", actor=actor, field=info.number)
        case "bid":
            return (
                say("passes", actor=actor) if info.kind == "pass" else say("offers", actor=actor, card=the(info.card))
            )
        case "choose" | "choose_for_black_jack" as phase:
            if info.number == HIDDEN:
                return say(f"{phase}_in_secret", actor=actor)
            return say(phase, actor=actor, number=info.number)
        case "name":
            key = "names_for_black_jack" if before["black_jack_number"] == "Rum" else "names"
            return say(key, actor=actor, number=info.number)
        case "take_or_rob":
            return say("will_take" if info.kind == "take" else "will_rob", actor=actor, victim=seat(before["buyer"]))
        case "rob":
            key = "robs_through_black_jack" if before["mover"] == BLACK_JACK else "robs"
            return say(key, actor=actor, victim=seat(before["victim"]), card=the(info.card))
    return say("takes" if before["phase"] == "take" else "gives", actor=actor, card=the(info.card))


def _beginning(before: View, after: View) -> list[Phrase]:
    if after["game"] != before["game"]:
        return [say("game_begins", number=after["game"] + 1, seat=seat(after["start_player"]))]
    placed = before["phase"].startswith("place") and not after["phase"].startswith("place")
    if not placed and after["round"] == before["round"]:
        return []
    number = after["round"] + 1
    if after["phase"] != "bid":
        return [say("round_begins", number=number)]
    return [say("auction_begins", number=number, seat=seat(after["opener"]))]


# ---------------------------------------------------------------- movement cards


def _all_have_chosen(move: Move) -> bool:
    """H9: whether the last seat has chosen, so that the cards are revealed."""
    return bool(move.before["phase"] == "choose" and (move.actor + 1) % move.players == move.before["opener"])


def _revealed(move: Move) -> dict[Mover, int | str]:
    """The movement cards just revealed; in a duel with that of Black Jack."""
    before, after = move.before, move.after
    figures: list[Mover] = [*range(move.players), *([BLACK_JACK] if move.players == 2 else [])]
    if before["game"] == after["game"]:
        laid = [*after["laid"], after["black_jack_laid"]]
    else:  # all is set up anew, but in the last round everybody has one card left
        spent = [*before["spent"], before["black_jack_spent"]]
        laid = [next(card for card in MOVEMENT_CARDS if card not in each) for each in spent]
    return dict(zip(figures, laid, strict=False))


def _reveal(move: Move) -> list[Phrase]:
    """The cards laid by all, and those that cancel each other (H4, D3)."""
    laid = _revealed(move)
    told = [say("reveal", cards=listed([say("laid", figure=_name(each), card=laid[each]) for each in laid]))]
    for value in dict.fromkeys(laid.values()):
        equal = [_name(each) for each in laid if laid[each] == value]
        if len(equal) > 1:
            told.append(say("cancel", figures=_all_of(equal), card=value))
    return told


def _name(figure: Mover) -> Phrase | str:
    return seat(figure) if isinstance(figure, int) else "Black Jack"


def _all_of(names: Sequence[Any]) -> Any:
    """Names with commas, and "and" before the last one."""
    return listed([*names[:-2], say("and", first=names[-2], last=names[-1])] if len(names) > 1 else names)


# ---------------------------------------------------------------- what the figures do


class _Resolution:
    """The figures and taverns as they change after an action."""

    def __init__(self, move: Move) -> None:
        self.move = move
        self.before, self.after = move.before, move.after
        self.fields = standing(self.before)
        self.taken = [0] * FIELDS
        self.told: list[Phrase] = []

    def tell(self) -> list[Phrase]:
        before, after = self.before, self.after
        if before["phase"] in ("take", "rob", "give") and not before["to_rob"]:
            self.push(before["mover"])
        numbers = self.numbers()
        if after["phase"] == "name":
            return self.told
        if before["phase"] == "name" or _all_have_chosen(self.move):
            for figure in [each for each, number in numbers.items() if not number]:
                self.stay(figure)
        for number, figure in sorted((n, f) for f, n in self.moved(numbers).items() if not self.overtakes(f)):
            self.land(figure, number)
        self.spare(before["to_rob"][1:])
        self.overtake(numbers)
        return self.told

    # ------------------------------------------------------------ who moves

    def numbers(self) -> dict[Mover, Any]:
        """By figure: how far it had still to move, 0 for nothing; Black Jack only where the views tell it."""
        if _all_have_chosen(self.move):
            laid = _revealed(self.move)
            return {each: 0 if [*laid.values()].count(value) > 1 else value for each, value in laid.items()}
        numbers: dict[Mover, Any] = dict(enumerate(self.before["numbers"]))
        if self.move.players == 2:
            numbers[BLACK_JACK] = self.before["black_jack_number"]
        return {each: self.move.action.number if number == "Rum" else number for each, number in numbers.items()}

    def moved(self, numbers: dict[Mover, Any]) -> dict[Mover, Any]:
        """The numbers of those that have moved since."""
        left: dict[Mover, Any] = dict(enumerate(self.after["numbers"]))
        left[BLACK_JACK] = self.after["black_jack_number"]
        return {each: number for each, number in numbers.items() if number and not left[each]}

    def overtakes(self, figure: Mover) -> bool:
        """J4, D4: whether the figure moves after the captains and past them."""
        return figure == BLACK_JACK and (self.move.players > 2 or self.move.options["duel_black_jack"] == "standard")

    # ------------------------------------------------------------ cards

    def owner(self, figure: Mover) -> Mover:
        """D4, D6: the seat that gets what the figure takes, or the harbour."""
        if figure != BLACK_JACK:
            return figure
        return _HARBOUR if self.before["buyer"] is None else int(self.before["buyer"])

    def take(self, field: int, owner: Mover) -> str | None:
        """H6: the top card of the tavern, hidden if the views do not tell it; None if the tavern is empty."""
        tavern, below = self.before["taverns"][field], self.taken[field]
        if below == tavern["hidden"] + (tavern["top"] is not None):
            return None
        self.taken[field] += 1
        if tavern["top"] is not None and not below:
            return str(tavern["top"])
        new = self.new_cards(owner)
        return new[0] if len(new) == 1 else HIDDEN

    def new_cards(self, owner: Mover) -> list[str]:
        """The owner's cards that lay face down before the action."""
        before, after = self.before, self.after
        if before["game"] != after["game"]:
            return []
        seen = [*before["harbour"], *(name for crew in before["crews"] for name in crew)]
        seen += [tavern["top"] for tavern in before["taverns"]]
        cards = after["harbour"] if isinstance(owner, str) else after["crews"][owner]
        return [name for name in cards if name not in seen]

    def gain(self, figure: Mover, field: int) -> Phrase:
        """The end of a sentence: what the figure takes from the tavern."""
        owner = self.owner(figure)
        taken = self.take(field, owner)
        if taken is None:
            return say("finds_nothing")
        if owner == figure:
            return say("finds", card=the(taken))
        if isinstance(owner, str):
            return say("finds_for_harbour", card=the(taken))
        return say("finds_for", card=the(taken), seat=seat(owner))

    # ------------------------------------------------------------ figures

    def stay(self, figure: Mover) -> None:
        """H6: a figure that stands takes the top card of its tavern."""
        field = self.fields[figure]
        self.told.append(say("stays", figure=_name(figure), field=field, gain=self.gain(figure, field)))

    def land(self, figure: Mover, number: int) -> None:
        """H6: a figure moves and takes a card; whoever stands there is robbed, or pushed at once."""
        field = (self.fields[figure] + number) % FIELDS
        met = self.figure_on(field)
        moves = {"figure": _name(figure), "number": number, "field": field}
        self.told.append(say("moves", **moves, gain=self.gain(figure, field)))
        self.fields[figure] = field
        if met is None:
            return
        self.told.append(say("lands_on", figure=_name(figure), other=_name(met)))
        if self.after["mover"] == figure:  # a decision is pending
            return
        if isinstance(met, int) and self.owner(figure) not in (met, _HARBOUR):
            self.told.append(say("is_spared", seat=seat(met)))
        self.push(figure)

    def figure_on(self, field: int, but: Mover | None = None) -> Mover | None:
        return next((each for each, at in self.fields.items() if at == field and each != but), None)

    def push(self, mover: Mover) -> None:
        """H8: the figure on which the mover has landed goes to the next free field."""
        pushed = self.figure_on(self.fields[mover], but=mover)
        field = self.fields[mover] + 1
        while self.figure_on(field % FIELDS) is not None:
            field += 1
        assert pushed is not None
        self.fields[pushed] = field % FIELDS
        self.told.append(say("moves_on", figure=_name(pushed), field=field % FIELDS))

    def overtake(self, numbers: dict[Mover, Any]) -> None:
        """J4, J5: Black Jack moves past captains to a free field."""
        number = self.steps_of_black_jack(numbers)
        if not number:
            return
        captains = {at: each for each, at in self.fields.items() if isinstance(each, int)}
        passed: list[int] = []
        field, steps = self.fields[BLACK_JACK], 0
        while steps < number or field in captains:
            field, steps = (field + 1) % FIELDS, steps + 1
            passed += [captains[field]] if field in captains else []
        self.fields[BLACK_JACK] = field
        past = say("past", figures=_all_of([seat(each) for each in passed])) if passed else ""
        self.told.append(say("black_jack_moves", number=number, field=field, past=past))
        self.spare(passed)

    def steps_of_black_jack(self, numbers: dict[Mover, Any]) -> int:
        """How far Black Jack has moved past captains, 0 if he has not."""
        if self.move.players == 2:
            return int(self.moved(numbers).get(BLACK_JACK, 0)) if self.overtakes(BLACK_JACK) else 0
        turned_up = len(self.after["black_jack_spent"]) > len(self.before["black_jack_spent"])
        return int(self.after["black_jack_laid"]) if turned_up else 0

    def spare(self, overtaken: Iterable[int]) -> None:
        """J4: whoever of those overtaken is not going to be robbed has too few cards."""
        buyer, to_rob = self.before["buyer"], self.after["to_rob"]
        if buyer is not None:
            self.told += [say("is_spared", seat=seat(each)) for each in overtaken if each not in (buyer, *to_rob)]


# ---------------------------------------------------------------- scores


def settlement(view: View) -> list[Phrase]:
    """The scores of the game that has ended, in the end with what counts double and what decided it (C1)."""
    told = [_score(view, each, points) for each, points in enumerate(view["last_game"])]
    return [*told, _decision(view)] if view["phase"] == "over" else told


def _decision(view: View) -> Phrase:
    winners, totals = view["winners"], view["totals"]
    rest = [total for player, total in enumerate(totals) if player not in winners]
    won = {"points": totals[winners[0]], "margin": totals[winners[0]] - max(rest, default=0)}
    if len(winners) > 1:
        return say("win_together", seats=_all_of([seat(player) for player in winners]), **won)
    return say("wins", seat=seat(winners[0]), **won)


def _score(view: View, player: int, points: int) -> Phrase:
    colour = doubled_colour(view["crews"][player]) if view["phase"] == "over" else None
    doubled = "" if colour is None else say("doubles", colour=say(_COLOURS[colour]))
    score = {"seat": seat(player), "points": points, "doubled": doubled}
    return say("scores_in_all", **score, total=view["totals"][player]) if view["game"] else say("scores", **score)


# ---------------------------------------------------------------- what people should see


def pause(move: Move) -> Pause | None:
    """The movement cards, revealed, with the figures where they still stand."""
    if not _all_have_chosen(move):
        return None
    before, laid, numbers = move.before, _revealed(move), _Resolution(move).numbers()
    seats = range(move.players)
    shown = {
        **before,
        "phase": "name",  # in which the cards lie open
        "laid": [laid[each] for each in seats],
        "numbers": [numbers[each] for each in seats],
        "spent": [[*before["spent"][each], laid[each]] for each in seats],
    }
    if BLACK_JACK in laid:
        card_of_jack = laid[BLACK_JACK]
        shown |= {"black_jack_laid": card_of_jack, "black_jack_number": numbers[BLACK_JACK]}
        shown["black_jack_spent"] = [*before["black_jack_spent"], card_of_jack]
    return Pause(say("last_reveal"), _reveal(move), shown)


def settled(move: Move) -> View:
    """The crews before the last moves, with the scores before and after them."""
    revealed, after = pause(move), move.after
    shown = move.before if revealed is None else revealed.view
    changed = Settled(_lowest(after), {"scores": after["last_game"], "totals": after["totals"]})
    return {**shown, "player": None, "settled": changed}


def _lowest(after: View) -> list[int]:
    return worst([-points for points in after["last_game"]])


def scores(move: Move) -> ScoreTable:
    """The crews where they can be seen, and the scores of each player (C1)."""
    is_over, several = move.after["phase"] == "over", move.options["three_games"]
    columns = [say("column_crew")] * is_over + [say("column_points")] + [say("column_total")] * several
    rows = [_score_line(move, player, is_over, several) for player in range(move.players)]
    return ScoreTable(columns, rows)


def _score_line(move: Move, player: int, is_over: bool, several: bool) -> Score:
    after = move.after
    crew, points = list(map(card, after["crews"][player])), after["last_game"][player]
    cells = [listed(crew) if crew else ""] * is_over + [points] + [after["totals"][player]] * several
    colour = doubled_colour(after["crews"][player]) if is_over else None
    mark = mark_of(move, player, _lowest(after))
    why = [] if colour is None else [say("counts_double", colour=say(_COLOURS[colour]))]
    if mark == "bad":
        why.append(say("lowest_score"))
    return Score(player, cells, why, mark, after["totals"][player])


NARRATOR = Narrator(story, settlement, pause, scores, settled=settled)
