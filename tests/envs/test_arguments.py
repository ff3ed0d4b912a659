"""Unknown options: refused in Python's wording, which frameworks look for, and in ours."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import gymnasium
import pytest

import blackjacky_env
from blackjacky_env import black_jacky_v0, make_batch
from blackjacky_env.engine.options import NoOptions
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.envs.arguments import refuse_unknown
from blackjacky_env.envs.seat import SeatEnv

ID = "blackjacky/BlackJackySeat-v0"
MAKERS = {
    "TableEnv.__init__": black_jacky_v0.env,
    "SeatEnv.__init__": partial(gymnasium.make, ID),
    "SeatVectorEnv.__init__": partial(gymnasium.make_vec, ID, num_envs=2),
    "make_batch": partial(make_batch, "black_jacky", 2),
}


@pytest.mark.parametrize("name", MAKERS)
def test_the_message_begins_as_pythons_own_and_names_all_options(name: str) -> None:
    expected = (
        rf"^{name}\(\) got an unexpected keyword argument 'frameskip': unknown option frameskip=1; options of "
        r"black_jacky are max_card, bust_at, .*; those of the environment are .*num_players, .*reward, "
    )
    with pytest.raises(TypeError, match=expected) as caught:
        MAKERS[name](frameskip=1)
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    ("option", "meant"),
    [("num_player", "num_players"), ("max_cards", "max_card"), ("opponent", "opponents"), ("render", "render_as")],
)
def test_a_near_miss_is_named(option: str, meant: str) -> None:
    with pytest.raises(TypeError, match=rf"unknown option {option}='x'; did you mean '{meant}'\? options of"):
        SeatEnv("black_jacky", **{option: "x"})


def test_a_seat_is_drawn_as_its_learner_sees_it_and_refuses_another_view() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'render_as': it draws the learner's view"):
        SeatEnv("black_jacky", render_as="player_1")


def test_only_what_the_maker_has_is_offered() -> None:
    with pytest.raises(TypeError, match=r"^(?!.*opponents).*did you mean 'num_players'") as caught:
        black_jacky_v0.env(num_plyers=3)
    assert "render_as" in str(caught.value)
    assert "game" not in str(caught.value).rpartition("environment are ")[2]


def test_a_game_without_options_says_so() -> None:
    game: Any = SimpleNamespace(name="bare", options=NoOptions)
    with pytest.raises(TypeError, match="unknown option jokers=2; bare has no options of its own; those of the env"):
        refuse_unknown({"jokers": 2}, game, TableEnv)


def test_a_framework_can_try_again_without_the_option() -> None:
    """What TorchRL's GymEnv does."""
    options = {"frameskip": 1, "num_players": 3}
    while True:
        try:
            env = gymnasium.make(ID, **options)
            break
        except TypeError as error:
            if "unexpected keyword argument 'frameskip'" not in str(error):
                raise
            del options["frameskip"]
    assert env.unwrapped.table.num_players == 3
    assert blackjacky_env.__name__ in type(env.unwrapped).__module__
