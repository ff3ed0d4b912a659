"""The proof of leaks finds each one that is planted.

That it finds none in our environments, `tests.games.test_pictures` shows.
"""

import copy
import functools
import re
import zlib
from pathlib import Path

import numpy as np
import pytest

from blackjacky_env import IllegalActionError, black_jacky_v0
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES, Registration
from blackjacky_env.games.black_jacky.state import EXCHANGE, NO_CARD
from blackjacky_env.testing import ConformanceError, check, check_all, examine
from blackjacky_env.testing.tables import PROMISES, vary
from tests.games.black_jacky.hidden import vary_hidden
from tests.games.black_jacky.rigging import cards_on_table
from tests.games.fixtures import promises_of

GOOFSPIEL = (Path(__file__).parents[2] / "examples" / "goofspiel" / "goofspiel.py").read_text("utf-8")

# Planted leaks: what a player must not know, put where it is looked at


def record(env):
    return env._states[0]


def left_hand(env, agent):
    """Return the lowest card of the left neighbour's hand."""
    seat = (env.possible_agents.index(agent) + 1) % env.num_players if agent else 0
    return int(np.flatnonzero([*record(env)["hands"][seat], 1])[0])


SECRETS = {
    "the left hand": left_hand,
    "the top of the draw pile": lambda env, agent: record(env)["draw_pile"][record(env)["draw_count"] - 1],
    "the bottom of the draw pile": lambda env, agent: int(record(env)["draw_pile"][0]),
    "the draw pile of the last settlement": lambda env, agent: env._states[1]["draw_pile"].tolist(),
    "the key": lambda env, agent: int(record(env)["key"] % np.uint64(2)),
    "the seed of the next game": lambda env, agent: copy.deepcopy(env._np_random).integers(2**63),
    "the exchange": lambda env, agent: env.snapshot()["exchange"],
    "a card given in secret": lambda env, agent: record(env)["given"][0],
}


class Leaky(TableEnv):
    """A table that shows a secret in one place."""

    def __init__(self, place, secret):
        super().__init__("black_jacky", num_players=3)
        self.place, self.secret = place, secret

    def hint(self, agent):
        return SECRETS[self.secret](self, agent)

    def observe(self, agent):
        seen = super().observe(agent)
        if self.place == "vector":
            seen["observation"][0] = self.hint(agent)
        if self.place == "mask" and agent != self.agent_selection:
            seen["action_mask"][60] = self.hint(agent) % 2
        return seen

    def _observe_everybody(self):
        super()._observe_everybody()
        self._show_hints()

    def _pass_turn(self, agent, flags):
        super()._pass_turn(agent, flags)
        self._show_hints()

    def _show_hints(self):
        if self.place == "infos":
            for agent in self.agents:
                self.infos[agent]["hint"] = self.hint(agent)

    def view(self, agent):
        if self.place == "spectator" and agent is None:
            return self.snapshot()
        return {**super().view(agent), **({"hint": self.hint(agent)} if self.place == "view" else {})}

    def draw_text(self, agent=None, **options):
        return f"{super().draw_text(agent, **options)}{self.hint(agent) if self.place == 'drawing' else ''}"

    def draw(self, agent=None, **options):
        return f"{super().draw(agent, **options)}{self.hint(agent) if self.place == 'picture' else ''}"

    def _refusal(self, action):
        hint = self.hint(self.agent_selection) if self.place == "refusal" else ""
        return IllegalActionError(f"{super()._refusal(action)}{hint}")


LEAKS = [
    ("vector", "the left hand", r"observe\['observation'\] entry 0"),
    ("mask", "the left hand", r"observe\['action_mask'\] entry 60"),
    ("infos", "the left hand", r"infos\['hint'\]"),
    ("drawing", "the left hand", "drawing"),
    ("picture", "the left hand", "picture"),
    ("refusal", "the left hand", "refusal"),
    ("spectator", "the left hand", r"a spectator: view\['hands'\]"),
    *(("view", secret, r"view\['hint'\]") for secret in [*SECRETS][:7]),
    *(("vector", secret, "observe") for secret in ["the top of the draw pile", *[*SECRETS][7:]]),
]


@pytest.mark.parametrize(("place", "secret", "said"), LEAKS)
def test_a_planted_leak_is_caught_where_it_is_shown(place, secret, said):
    with pytest.raises(ConformanceError, match=rf"^no_leaks \(seed \d+, step \d+, .*shown to .*{said}"):
        check("no_leaks", functools.partial(Leaky, place, secret), positions=2000, **promises_of("black_jacky"))


@pytest.mark.parametrize("place", ["mask", "infos", "view", "drawing", "picture", "refusal"])
def test_without_a_word_about_what_is_hidden_leaks_are_caught_everywhere_but_in_the_observation(place):
    """Code of the game shows parts of it, so that positions are sampled; `test_pictures` finds none there."""
    with pytest.raises(ConformanceError, match=r"^no_leaks \(seed \d+, step \d+, .*shown to player_\d"):
        check("no_leaks", functools.partial(Leaky, place, "the left hand"), positions=2000, **PROMISES)


# What others do unseen: a game that declares nothing but its fields and its actions

FORGOTTEN = {
    "that it is secret": ((', secret=("card",), secret_phases=("down",)', ""), r"shown to .*(card|bid)"),
    "in which phases": (('secret_phases=("down",)', 'secret_phases=("answer",)'), r"shown to .*events.*\['card'\]"),
    "only its player sees it": (("words=plain_words", "words=all_see"), r"shown to .*\['bid'\]"),
    "legal actions do not tell it": (("s.hands[s.player, card]", "card != s.bid[s.first]"), "shown to .*action_mask"),
    "nor does the observation": (("make_encode(RECORD), ", "tell_all, "), "raised ValueError: the observation"),
}
TELL_ALL = """
from dataclasses import replace

@inlined
def tell_all(s, seat, out):
    shown(s, seat, out)
    out[0] = s.bid[s.first]

def all_see(*declared, **names):
    return replace(plain_words(*declared, **names), view=lambda table, seat: table)

shown = make_encode(RECORD)
BIDS ="""


def declared(source, folder, monkeypatch):
    """The name under which a game of this source is registered."""
    name = f"declared_{zlib.crc32(source.encode())}"
    (folder / f"{name}.py").write_text(re.sub(r'name="\w+"', f'name="{name}"', source, count=1), "utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setitem(GAMES, name, Registration(f"{name}:GAME"))
    return name


@pytest.mark.parametrize(("change", "told"), FORGOTTEN.values(), ids=FORGOTTEN)
def test_what_a_stranger_forgets_to_hide_is_found(change, told, tmp_path, monkeypatch):
    assert change[0] in GOOFSPIEL
    name = declared(GOOFSPIEL.replace(*change).replace("BIDS =", TELL_ALL), tmp_path, monkeypatch)
    report = check_all(functools.partial(TableEnv, name), ["no_leaks"], positions=50, **PROMISES)
    assert re.search(told, report["no_leaks"][1])


FORMS = {
    "view": lambda seen, bid: {**seen, "hint": bid},
    "draw_text": lambda seen, bid: f"{seen} {bid}",
    "last_action": lambda seen, bid: f"{seen} {bid}",
    "events": lambda seen, bid: [*seen, bid],
    "information_state": lambda seen, bid: f"{seen} {bid}",
    "information_state_vector": lambda seen, bid: seen + bid,
    "information_key": lambda seen, bid: seen + np.uint64(bid),
}


def telling(form, name):
    """A table that tells in one form which action was the last."""
    plain, tell = getattr(TableEnv, form), FORMS[form]
    told = {
        form: lambda self, *agent, **options: tell(
            plain(self, *agent, **options), self._past.last_move[1] if self._past.last_move else 0
        )
    }
    return type("Telling", (TableEnv,), told)(name)


@pytest.mark.parametrize("form", FORMS)
def test_an_unseen_action_is_told_in_no_form(form, tmp_path, monkeypatch):
    name = declared(GOOFSPIEL, tmp_path, monkeypatch)
    check("no_leaks", functools.partial(TableEnv, name), positions=50, **PROMISES)
    found = {"draw_text": "drawing", "last_action": "picture"}.get(form, form)  # a picture tells the last action
    with pytest.raises(ConformanceError, match=f"shown to .*'bid .*(?<!_){found}"):
        check("no_leaks", functools.partial(telling, form, name), positions=50, **PROMISES)


# The variation itself


@pytest.mark.parametrize(
    "agent", ["player_0", *(pytest.param(each, marks=pytest.mark.prove) for each in ("player_2", None))]
)
def test_a_variation_is_another_deal_that_the_player_may_believe_in(agent):
    """Cards are conserved, numbers of cards stay, and what is known stays known."""
    make_env = functools.partial(black_jacky_v0.env, num_players=4, hearts=1)
    nothing = {**PROMISES, "vary_hidden": lambda env, agent, rng: []}
    for number, examined in enumerate(examine(make_env, positions=200, **nothing)):
        env, rng = examined.env, np.random.default_rng(number)
        other = vary(env, agent, rng, vary_hidden)
        assert cards_on_table(other.snapshot()) == cards_on_table(env.snapshot())
        assert env.view(agent) == other.view(agent)
        s = record(other)
        for seat in range(4):
            assert (s["known"][seat] <= np.where(np.arange(7) == seat, 9, s["hands"][seat][:, None]).T).all()
        for i, giver in enumerate(s["pair"]):
            assert s["phase"] != EXCHANGE or s["given"][i] == NO_CARD or s["hands"][giver, s["given"][i]]
