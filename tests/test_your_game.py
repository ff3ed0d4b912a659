"""The page "Your own game in your own package": it quotes the example, which has all that our games have."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path
from unittest import mock

import pytest

from blackjacky_env import IllegalActionError
from blackjacky_env.engine import table
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES, Announced

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "kuhn_poker"

CHECKED = """
from blackjacky_env import kuhn_poker_v0
from blackjacky_env.testing import check_all
from blackjacky_env.testing.tables import PROMISES
report = check_all(kuhn_poker_v0.env, games=3, positions=60, **PROMISES)
assert not report.failed and "skipped" not in str(report), report
"""

ENVIRONMENTS = """
import gymnasium, numpy, pettingzoo
from blackjacky_env import kuhn_poker_v0, make_batch

env = pettingzoo.make("aec", "blackjacky/kuhn_poker-v0", reward="chips")
env.reset(seed=1)
seen = env.observe(env.agent_selection)["observation"]
assert kuhn_poker_v0.decode(seen)["last"] == -1
assert kuhn_poker_v0.describe_action(3)["kind"] == "call"

seat = gymnasium.make("blackjacky/KuhnPokerSeat-v0", opponents=["equilibrium"])
_, info = seat.reset(seed=1)
seat.step(info["action_mask"].argmax())

seats = gymnasium.make_vec("blackjacky/KuhnPokerSeat-v0", num_envs=4, opponents=["equilibrium"])
_, infos = seats.reset(seed=1)
assert infos["action_mask"].shape == (4, 4)
seats.step(infos["action_mask"].argmax(axis=1))

batch = make_batch("kuhn_poker", num_games=5, seed=0)
batch.step(numpy.full(5, 1))
assert batch.observations.shape == (5, len(seen))
"""

AGENTS = """
import pathlib
from blackjacky_agents import bot_names, cli

assert bot_names("kuhn_poker") == ["random", "equilibrium"]
for command in (
    "evaluate --players equilibrium,ismcts:50 --games 20 --threads 1",
    "train --name kuhn --steps 256 --num-envs 8 --n-steps 8 --batch-size 32 --hidden-sizes 8 --threads 1"
    " --bots equilibrium --snapshot-every 256 --eval-games 5 --final-eval-games 20",
    "tournament --agents equilibrium,random,ppo:runs/kuhn --games 60 --threads 1",
    "watch --players equilibrium,ppo:runs/kuhn --seed 1 --delay 0",
):
    assert cli.main([*command.split(), "--game", "kuhn_poker"]) == 0, command
assert pathlib.Path("runs/tournament/report.md").exists()
"""

SOLVED = """
import kuhn_poker
assert abs(kuhn_poker.value(200) + 1 / 18) < 1e-3
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The variables of a process in whose environment the example is installed."""
    site = tmp_path_factory.mktemp("site")
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "install", "--quiet", *offline, "--target", str(site), str(EXAMPLE)]
    subprocess.run(command, check=True)
    path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path}


def run(program: str, installed: dict[str, str], folder: Path, *flags: str) -> None:
    command = [sys.executable, *flags, "-c", program]
    done = subprocess.run(command, cwd=folder, env=installed, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_quotes_the_example_as_it_is() -> None:
    blocks = re.findall(r"```(?:py|toml)\n(.*?)```", (ROOT / "docs" / "your_game.md").read_text("utf-8"), re.DOTALL)
    files = "".join((EXAMPLE / name).read_text("utf-8") for name in ("kuhn_poker.py", "pyproject.toml"))
    assert len(blocks) > 6
    assert [block for block in blocks if block not in files] == []


@pytest.mark.parametrize("program", [CHECKED, ENVIRONMENTS, AGENTS], ids=["all checks", "all environments", "commands"])
def test_the_example_is_a_game_like_any_other(program: str, installed: dict[str, str], tmp_path: Path) -> None:
    run(program, installed, tmp_path, "-W", "error")


def test_the_example_is_played_in_the_browser(installed: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "blackjacky_agents.cli", "play", "--web", "--game", "kuhn_poker", "--port", "0"]
    with subprocess.Popen(command, cwd=tmp_path, env=installed, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = next(found[0] for line in server.stdout if (found := re.search(r"http://\S+", line)))
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(address) as page:
                assert page.status == 200
                assert b"<html" in page.read()
        finally:
            server.terminate()


def test_cfr_in_openspiel_finds_what_the_first_player_loses(installed: dict[str, str], tmp_path: Path) -> None:
    pytest.importorskip("pyspiel")
    run(SOLVED, installed, tmp_path)


# ---------------------------------------------------------------- the rules of Kuhn poker

HANDS = (("check", "check"), ("bet", "fold"), ("bet", "call"), ("check", "bet", "fold"), ("check", "bet", "call"))
DEALS = [*permutations(("J", "Q", "K"))]
Hand = tuple[str, ...]
Chance = Callable[[Hand, str], Fraction]
"""(actions so far, own card) -> the probability of a bet or call."""


@pytest.fixture
def env() -> TableEnv:
    from kuhn_poker import kuhn_poker  # examples/ is on the path

    with mock.patch.dict(GAMES, {"kuhn_poker": Announced(f"{kuhn_poker.__name__}:GAME")}):
        return TableEnv("kuhn_poker", reward="chips")


def play(env: TableEnv, deal: Hand, hand: Hand) -> float:
    """Chips won by player 0, who acts first."""
    env.reset(seed=0, options={"deck": list(deal), "start_player": 0})
    for action in hand:
        env.step(env.parse_action(action))
    assert sum(env.rewards.values()) == 0
    return env.rewards["player_0"]


@pytest.mark.parametrize("deal", DEALS, ids="".join)
@pytest.mark.parametrize("hand", HANDS, ids=" ".join)
def test_the_higher_card_wins_unless_it_folds(env: TableEnv, deal: Hand, hand: Hand) -> None:
    is_higher = "JQK".index(deal[0]) > "JQK".index(deal[1])
    wins = len(hand) == 2 if hand[-1] == "fold" else is_higher
    chips = 2 if hand[-1] == "call" else 1
    assert play(env, deal, hand) == (chips if wins else -chips)
    assert env.snapshot()["last_settlement"] == {"chips": [env.rewards[agent] for agent in env.possible_agents]}
    shown = [*deal[:2]] if hand[-1] != "fold" else [deal[0], None]
    assert env.view("player_0")["cards"] == shown


def test_only_a_bet_is_folded_or_called(env: TableEnv) -> None:
    env.reset(seed=0)
    with pytest.raises(IllegalActionError, match="nobody has bet"):
        env.step(env.parse_action("call"))
    env.step(env.parse_action("bet"))
    with pytest.raises(IllegalActionError, match="there is a bet to fold or call"):
        env.step(env.parse_action("check"))


def test_a_saved_state_with_an_impossible_action_is_refused(env: TableEnv) -> None:
    env.reset(seed=0)
    header, data = table.unpack(env.get_state())
    records = table.read_records(header, data, env.game.state_dtype)
    records["last"] = 100
    with pytest.raises(ValueError, match=r"last of this state is 100; allowed are -1 \.\. 3"):
        env.set_state(table.pack(header, records))


def test_the_bot_loses_an_eighteenth_as_first_player_and_nobody_can_exploit_it(env: TableEnv) -> None:
    """Kuhn, Contributions to the Theory of Games, 1950."""
    from kuhn_poker.kuhn_poker import CARDS, THIRDS

    paid = {(deal, hand): Fraction(play(env, deal, hand)) for deal, hand in product(DEALS, HANDS)}

    def bot(before: Hand, card: str) -> Fraction:
        situation = 0 if before[-1:] != ("bet",) else len(before)  # called by the second player, or by the first
        return Fraction(THIRDS[situation][CARDS.index(card)], 3)

    def value(*strategies: Chance) -> Fraction:
        total = Fraction(0)
        for (deal, hand), chips in paid.items():
            chance = Fraction(1, len(DEALS))
            for i, action in enumerate(hand):
                bold = strategies[i % 2](hand[:i], deal[i % 2])
                chance *= bold if action in ("bet", "call") else 1 - bold
            total += chance * chips
        return total

    def pure(choices: tuple[int, ...]) -> Chance:
        return lambda before, card: Fraction(choices[CARDS.index(card) + 3 * (before[-1:] == ("bet",))])

    answers = [pure(choices) for choices in product((0, 1), repeat=6)]
    assert value(bot, bot) == Fraction(-1, 18)
    assert max(value(answer, bot) for answer in answers) == Fraction(-1, 18)
    assert min(value(bot, answer) for answer in answers) == Fraction(-1, 18)
