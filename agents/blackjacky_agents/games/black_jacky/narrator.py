"""Descriptions of Black Jacky's moves and settlements; the sentences are in ``texts.json``."""

from __future__ import annotations

from collections import Counter

from blackjacky_agents.kit.narration import (
    Narrator,
    Pause,
    Phrase,
    ScoreRow,
    ScoreTable,
    SeenMove,
    View,
    card,
    say,
    seat,
    winner_mark,
)
from blackjacky_env.declare import HIDDEN
from blackjacky_env.draw import Settled, count_of

# ---------------------------------------------------------------- moves


def story(move: SeenMove) -> list[Phrase]:
    """What the move did, as far as the seat may know; nothing for "no trick"."""
    if move.action.kind == "no_trick":
        return []
    told = [_tell_action(move)]
    exchange = move.before["exchange"]
    if exchange and move.after["phase"] == "zock" and move.seat is not None and move.seat in exchange["pair"]:
        given = exchange["given"][exchange["pair"].index(move.seat)] or move.action.card
        told.append(say("gets", seat=seat(move.seat), card=_gained(move, move.seat, given)))
    return told


def _tell_action(move: SeenMove) -> Phrase:
    actor, info = seat(move.actor), move.action
    match info.kind:
        case "lay":
            return _trick(move)
        case "swap":
            return _swap(move)
        case "draw":
            return say("draws", actor=actor, drawn=_gained(move, move.actor))
        case "knock":
            announces = move.before["first_knocker"] is None and not _ends_round(move)
            return say("knocks_first" if announces else "knocks", actor=actor)
    chosen = {f"seat{i}": seat((move.actor + each) % move.players) for i, each in enumerate(info.seats, 1)}
    return say(info.kind, actor=actor, card=_with_article(info.card), **chosen)


def _ends_round(move: SeenMove) -> bool:
    return bool(move.before["round"] != move.after["round"] or move.after["phase"] == "over")


def _with_article(value: int | str | None) -> Phrase:
    """A card with its indefinite article ("an 8")."""
    if value is None or value == HIDDEN:
        return card(HIDDEN)
    return say("an_8" if value == 8 else "a_card", card=card(value))


def _trick(move: SeenMove) -> Phrase:
    before, value = move.before, move.action.card
    laid = {"actor": seat(move.actor), "card": _with_article(value)}
    can_draw = before["draw_pile"] > 0 or len(before["discards"]) > 1  # R14
    if value in (4, 7) and not can_draw:
        return say("lay_without_effect", **laid)
    if value == 2 and not any(before["knocked"]):
        return say("lays_2_in_vain", **laid)
    if value == 4:
        drawer = _who_drew(before, move.after)
        gone = 4 if drawer == move.actor else None
        return say("lays_4", **laid, seat=seat(drawer), drawn=_gained(move, drawer, gone))
    if value == 7:
        return say("lays_7", **laid, shown=_with_article(move.after["discard_top"]))
    return say(f"lays_{value}", **laid)


def _swap(move: SeenMove) -> Phrase:
    swapped = {"actor": seat(move.actor), "card": _with_article(move.action.card)}
    if move.action.pile == "discard":
        return say("swaps_discard", **swapped, taken=card(move.before["discard_top"]))
    return say("swaps_draw", **swapped, drawn=_gained(move, move.actor, move.action.card))


def _who_drew(before: View, after: View) -> int:
    """The seat that drew for a laid-out 4 (T4); the trickster's own hand has one card less, the 4."""
    sizes = [count_of(hand) + (player == before["player"]) for player, hand in enumerate(after["hands"])]
    return next(player for player, hand in enumerate(before["hands"]) if sizes[player] > count_of(hand))


def _gained(move: SeenMove, player: int, gone: int | str | None = None) -> Phrase:
    """The card that ``player`` received when ``gone`` left the hand; hidden in other players' hands."""
    if isinstance(move.before["hands"][player], int):
        return card(HIDDEN)
    hands = move.after["last_settlement"]["hands"] if _ends_round(move) else move.after["hands"]
    stayed = Counter(move.before["hands"][player]) - Counter([] if gone is None else [gone])
    (gained,) = (Counter(hands[player]) - stayed).elements()
    return _with_article(gained)


# ---------------------------------------------------------------- settlements


def settlement(view: View) -> list[Phrase]:
    """The revealed sums, and the players who lose a heart, with the reason (S2)."""
    settled = view["last_settlement"]
    told = []
    for player, tenths in enumerate(settled["sums"]):
        if tenths is None:
            continue
        hand, laid = (list(map(card, settled[place][player])) for place in ("hands", "displays"))
        has = {"seat": seat(player), "sum": _sum(tenths), "hand": hand or say("nothing")}
        told.append(say("has_and_laid_out", **has, laid=laid) if laid else say("has", **has))
    reason = _reason(settled)
    told += [say(f"loses_{reason}", seat=seat(player)) for player in settled["losers"]]
    return [*told, *_decision(view)] if view["phase"] == "over" else told


def _decision(view: View) -> list[Phrase]:
    """What decided the game (E1, E2, Q2)."""
    if not view["winners"]:
        return [say("nobody_is_left")]
    key = "is_last" if sum(hearts > 0 for hearts in view["hearts"]) == 1 else "has_most"
    return [say(key, seat=seat(player), hearts=view["hearts"][player]) for player in view["winners"]]


def _sum(tenths: int) -> Phrase:
    return say("sum", whole=tenths // 10, tenth=tenths % 10)


def _reason(settled: View) -> str:
    """S2: why the losers lost: they were ``"bust"``, or had the ``"lowest"`` sum; ``"alike"`` if all had the same."""
    lost = {settled["sums"][player] for player in settled["losers"]}
    sums = {tenths for tenths in settled["sums"] if tenths is not None}
    if sums == lost:
        return "alike" if len(sums) == 1 else "bust"
    return "lowest" if min(sums) in lost else "bust"


def pause(move: SeenMove) -> Pause | None:
    """The hands, laid open at a settlement."""
    if not _ends_round(move):
        return None
    return Pause(say("last_hands"), [say("hands_are_open")], settled(move))


def settled(move: SeenMove) -> View:
    """The hands, laid open, with the sums that count and the hearts that are lost."""
    settlement = move.after["last_settlement"]
    opened = {"hands": settlement["hands"], "displays": settlement["displays"], "last_settlement": settlement}
    changed = Settled(settlement["losers"], {"hearts": move.after["hearts"]})
    return {**move.before, **opened, "player": None, "settled": changed}


def scores(move: SeenMove) -> ScoreTable:
    """Cards, sum and hearts of each player, and who loses or gets back a heart (S2, S3)."""
    columns = [say("column_cards"), say("column_sum"), say("column_hearts")]
    return ScoreTable(columns, [_score(move, player) for player in range(move.players)])


def _score(move: SeenMove, player: int) -> ScoreRow:
    settled = move.after["last_settlement"]
    had, has = move.before["hearts"][player], move.after["hearts"][player]
    hearts = say("from_to", before=had, after=has) if had != has else str(has)
    tenths, lost = settled["sums"][player], player in settled["losers"]
    mark = winner_mark(move, player) or ("bad" if lost else "")  # in a Schnell-Duell a winner may lose a heart
    if tenths is None:
        return ScoreRow(player, ["", "", hearts], [say("comes_back")] if has > had else [], mark, has)
    why = [] if not lost else [say(f"why_{_reason(settled)}"), say("one_heart_less" if has else "last_heart_lost")]
    return ScoreRow(player, [_cards(move, player), _sum(tenths), hearts], why, mark, has)


def _cards(move: SeenMove, player: int) -> list[Phrase]:
    settled = move.after["last_settlement"]
    hand, laid = (list(map(card, settled[place][player])) for place in ("hands", "displays"))
    shown = [*hand, say("laid_out", cards=laid)] if laid else hand
    return [*shown, say("plus_one")] if move.before["plus_one"] == player else shown


def is_out(view: View, player: int) -> bool:
    """R7: wanted players may still come back."""
    return bool(view["status"][player] == "out")


def has_lost(view: View, player: int) -> bool:
    """R7: wanted players are still in the game, but those who keep a heart for longer come before them."""
    return bool(view["hearts"][player] == 0)


def prompt(view: View) -> Phrase | None:
    """R15: who gets the card that is given away."""
    if view["phase"] != "exchange":
        return None
    one, other = view["exchange"]["pair"]
    return say("exchange_prompt", to=seat(other if view["player"] == one else one))


NARRATOR = Narrator(story, settlement, pause, scores, is_out, has_lost, settled, prompt)
