"""The kit finds nothing in our environments and a healthy toy, and each planted fault with the check meant for it."""

import functools

import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces
from pettingzoo.utils.wrappers import OrderEnforcingWrapper, TerminateIllegalWrapper

from blackjacky_env import black_jacky_v0
from blackjacky_env.testing import CHECKS, ConformanceError, Skipped, check, check_all
from blackjacky_env.testing.__main__ import main
from tests.testing import toy

NO_PROOFS = dict.fromkeys(("plain", "declaration", "bots", "sample", "no_leaks"), "skipped")


def outcomes(report):
    return {name: outcome for name, (outcome, _) in report.items()}


def test_other_processes_play_the_same_games():
    """The environment of a registered name, too."""
    name = "blackjacky/black_jacky-v0"
    for make_env in ("blackjacky_env.black_jacky_v0:env", functools.partial(pettingzoo.make, "aec", name)):
        assert outcomes(check_all(make_env, ["other_process"], games=2)) == {"other_process": "passed"}


def test_a_healthy_toy_passes_every_check():
    report = check_all("tests.testing.toy:Toy", off_turn_mask="zero")
    assert outcomes(report) == {**dict.fromkeys(CHECKS, "passed"), **NO_PROOFS}, report


FAULTS = {
    "shared generator": ["same_process"],
    "order of a set": ["other_process"],
    "turns left over": ["same_process"],
    "coins shared with a copy": ["deepcopy"],
    "generator lost in a pickle": ["pickle"],
    "state without sums": ["state"],
    "state without generator": ["state"],
    "wide mask": ["mask"],
    "narrow mask": ["mask", "illegal_action"],
    "empty mask": ["mask"],
    "negative action": ["mask"],
    "silent refusal": ["mask", "illegal_action"],
    "a refusal draws": ["illegal_action"],
    "rewards kept": ["rewards_cleared"],
    "sums kept": ["rewards"],
    "no last step": ["rewards"],
    "out of range": ["observations"],
    "another dtype": ["observations"],
    "an entry missing off turn": ["observations"],
    "an old observation": ["observations"],
    "everybody sees one mask": ["off_turn_mask"],
    "looking draws": ["looking"],
    "one buffer": ["handed_out"],
    "own array": ["handed_out"],
}


def test_there_is_a_fault_for_every_check():
    assert set(CHECKS) - set(NO_PROOFS) == {name for names in FAULTS.values() for name in names}


@pytest.mark.parametrize(("fault", "name"), [(fault, name) for fault in FAULTS for name in FAULTS[fault]])
def test_a_planted_fault_is_caught_by_the_check_meant_for_it(fault, name):
    with pytest.raises(ConformanceError, match=rf"^{name} \(seed \d+"):
        check(name, functools.partial(toy.Toy, fault), off_turn_mask="zero")


def test_whatever_an_environment_raises_is_told_with_its_place():
    class Broken(toy.Toy):
        def observe(self, agent):
            if self.turn == 3 and agent == "player_1":
                raise KeyError("no such card")
            return super().observe(agent)

    with pytest.raises(ConformanceError, match=r"seed 4, step 3, .*raised KeyError: 'no such card'") as caught:
        check("looking", Broken, games=1, seed=4)
    assert isinstance(caught.value.__cause__, KeyError)


class Bare(toy.Toy):
    """Without masks."""

    def __init__(self):
        super().__init__()
        box = spaces.Box(-1, 100, (6,), np.int8)
        self.observation_spaces = dict.fromkeys(toy.PLAYERS, box)

    def observe(self, agent):
        return super().observe(agent)["observation"]

    def check(self, action):
        """Nothing is refused; coins that are not there are not taken."""

    def step(self, action):
        super().step(None if action is None else min(action, int(self.coins[0])))


class Uncopyable(toy.Toy):
    def __reduce_ex__(self, protocol):
        raise TypeError("no copies")


LOCAL = lambda: toy.Toy()  # noqa: E731, PLW0108  # which cannot be imported


@pytest.mark.parametrize(
    ("env", "name", "why"),
    [
        (Bare, "mask", "no action_mask"),
        (Bare, "off_turn_mask", "no action_mask"),
        (Uncopyable, "deepcopy", "copies are refused: TypeError: no copies"),
        (Uncopyable, "pickle", "copies are refused"),
        (LOCAL, "other_process", "cannot import this make_env"),
        (toy.Toy, "no_leaks", "vary_hidden is needed"),
    ],
)
def test_a_check_that_does_not_apply_says_why(env, name, why):
    with pytest.raises(Skipped, match=why):
        check(name, env, games=2, max_steps=30, off_turn_mask="zero")


HEALTHY = {
    "without masks": Bare,
    "terminates": lambda: OrderEnforcingWrapper(TerminateIllegalWrapper(black_jacky_v0.env(), illegal_reward=-1)),
}


@pytest.mark.parametrize("env", HEALTHY.values(), ids=HEALTHY)
def test_wrapped_environments_and_those_without_masks_pass(env):
    report = check_all(env, set(CHECKS) - {"other_process"}, games=2, moments=2)
    assert not report.failed, report
    assert outcomes(report)["illegal_action"] == "skipped"


def test_the_command_line_prints_the_table_and_its_exit_status_says_whether_all_passed(capsys):
    arguments = ["--set", "games=2", "--only", "mask", "looking"]
    assert main(["blackjacky_env.black_jacky_v0:env", "--option", "num_players=2", *arguments]) == 0
    assert capsys.readouterr().out.split()[1:] == ["mask", "passed", "looking", "passed"]
    assert main(["tests.testing.toy:WideMask", "tests.testing.toy:Toy", *arguments]) == 1
    assert [line.split()[:2] for line in capsys.readouterr().out.splitlines() if line.startswith("mask")] == [
        ["mask", "FAILED"],
        ["mask", "passed"],
    ]


@pytest.mark.parametrize("env", ["black_jacky", "black_jacky_v0", "blackjacky/black_jacky-v0"])
def test_the_command_line_takes_registered_games_and_holds_them_to_their_promises(env, capsys):
    arguments = ["--set", "games=1", "--set", "positions=5", "--only", "off_turn_mask", "no_leaks"]
    assert main([env, "--option", "num_players=2", *arguments]) == 0
    assert capsys.readouterr().out.split()[1:] == ["off_turn_mask", "passed", "no_leaks", "passed"]


@pytest.mark.parametrize("env", ["nowhere:env", "tests.testing.toy:Nothing", "tests.testing.toy", "blackjacky_env:env"])
def test_the_command_line_says_what_is_wrong(env, capsys):
    assert main([env]) == 2
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize("wrong", [("--option", "num_players=99"), ("--set", "games=ten"), ("--only", "maks")])
def test_a_wrong_option_setting_or_check_is_no_failed_check(wrong, capsys):
    assert main(["black_jacky", *wrong]) == 2
    assert wrong[1].partition("=")[2] in capsys.readouterr().err
