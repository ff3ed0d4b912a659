"""What no subcommand can do is said in one sentence with status 2, before anything is played or written."""

import sys
from importlib.util import find_spec

import pytest

from blackjacky_agents import cli

REFUSED = {
    "evaluate --agents": {
        "cuonter,random": "unknown agent 'cuonter' for black_jacky; did you mean 'counter'",
        "random,ppo:runs/nowhere": "there is no trained agent at 'runs/nowhere'",
        "random*2 --games 0": "--games=0 is out of range; allowed are 1 .. ",
        "random*2 --table mini-1 --bust-at 6": "bust_at=6 contradicts table='mini-1', which has bust_at=5",
        "random*2 --output nowhere/a.json": "a.json cannot be written: it must be a file in",
        "random*2 --cluster auto --threads 2": "--threads has no effect with --cluster auto",
    },
    "tournament --output o": {
        "--agents random": "agents=['random'] are too few; a tournament needs at least 2",
        "--players 2 3 --table mini-1": "num_players=3 contradicts table='mini-1'",
        "--agents random,threshold,trickster,counter --players 2 --games 11": "--games 11 are too few for tables of 2: "
        "two deals of each line-up are 24",
        "--until 1.5": "--until 1.5 is out of range; allowed are widths above 0 and below 1",
        "--agents random threshold": "with commas and without spaces: --agents random,threshold",
        "--seats random --output lineups": "num_players=1 is out of range",  # a value is no option
        "--seats random*2 --lineups mixed": "--lineups has no effect with --seats",
        "--ladder nowhere/ladder.json": "--ladder nowhere/ladder.json cannot be written",
    },
    "play": {
        "--people 2 --port 8021 --no-mcp": "--people, --port and --no-mcp have no effect without --web",
        "--web --seat 0 --save it.json": "--seat and --save have no effect with --web",
        "--opponents random --save nowhere/a.json": "--save nowhere/a.json cannot be written",
        "--opponents random*2 --seat 3": "--seat 3 is out of range; allowed with these opponents are 0 .. 2",
        "--table mini-2 --opponents random*3": "--opponents has 3; mini-2 needs 1 beside 1 of you",
        "--web --people 7": "--people=7 is out of range; allowed are 1 .. 6",
        "--web --host 256.0.0.1": "nothing can listen on --host 256.0.0.1 --port ",
        "--web --opponents counter*20": "num_players=21 is out of range; allowed are 2 .. 6",
        "--web --port 70000": "--port=70000 is out of range; allowed are 0 .. 65535",
    },
    "watch": {
        "": "exactly one of --agents, --record, --tournament is required, not none",
        "--agents random*2 --seat 2": "--seat=2 is out of range; allowed are 0 .. 1",
        "--agents random*2 --output nowhere/game.html": "--output nowhere/game.html cannot be written",
        "--agents random*2 --output game.html --seat 1": "--seat has no effect with --output",
        "--agents random*2 --number 1": "--number has no effect without --tournament",
        "--agents random*2 --playouts 9": "--playouts has no effect without --output",
        "--record nothing.json --seed 1 --max-card=5": "--seed and --max-card have no effect without --agents",
        "--record nothing.json": "No such file or directory: 'nothing.json'",
        "--tournament nothing.jsonl": "No such file or directory: 'nothing.jsonl'",
        "--tournament .": "has 0 files NAME.jsonl",
    },
    "exploit": {
        "--agent cuonter": "unknown agent 'cuonter' for black_jacky; did you mean 'counter'",
        "--resume nowhere": "there is no run in 'nowhere'",
        "--output nowhere/a.json": "--output nowhere/a.json cannot be written",
        "--samples 3": "--samples has no effect without --exact",
        "--simulations 3": "--simulations has no effect without --learner search",
        "--learner search --minutes 10": "--minutes has no effect with --learner search",
        "--resume nowhere --minutes 10 --hearts 1": "--minutes and --hearts have no effect with --resume",
    },
    "train --name wrong": {
        "--bots": "bots=() is empty; training needs at least one bot",
        "--preset slow": "preset='slow' is unknown; allowed are 'quick', 'scratch', 'sb3', 'league'",
        "--encoding pixels": "encoding='pixels' is unknown; allowed are 'cards', 'advice', 'raw'",
        "--preset sb3 --minutes 0": "minutes=0.0 is out of range; allowed is any finite number above 0",
        "--preset scratch --advice-logit 4": "advice_logit=4.0 needs encoding='advice', not 'cards'",
        "--preset scratch --magnet-every 9": "magnet_every=9 has no effect without a magnet; allowed are a magnet_coef",
        "--preset scratch --device cuda --reward-eta 0.2": "reward_eta=0.2 needs device='cpu'",
        "--preset scratch --num-envs 3 --n-steps 43 --batch-size 128": "leaves a last minibatch of one row",
        "--preset sb3 --minutes inf": "minutes=inf is out of range; allowed is any finite number above 0",
        "--preset scratch --learning-rate -1": "learning_rate=-1.0 is out of range; allowed are 0 .. 1",
        "--preset champion --game black_spy --ent-coef 5": "allowed is ent_coef=0.005",
        "--preset league --bots search:8+held_out": "'held_out' is only measured against",
        "--preset scratch --magnet-coef -1": "magnet_coef=-1.0 is out of range; allowed are 0 .. 1000",
        "--bots random,counter": "--bots has spaces between its values, no commas: --bots random counter",
        "--cluster local --preset sb3": "--preset sb3 trains on one machine; use --preset league",
    },
    "train": {"--resume runs/nowhere": "there is no run in 'runs/nowhere': 'runs/nowhere/config.json' is missing"},
    "benchmark": {"--table mini-2 --players 3": "num_players=3 contradicts table='mini-2'"},
    "solve": {
        "--players 4": "orders at this table; allowed are 4,000,000: choose rule options with fewer of them",
        "--players 2 --max-card 5 --memory 0.01": "the tree does not fit into 10 MiB",
        "--table mini-1 --memory 0": "--memory 0.0 is out of range; allowed are numbers above 0",
        "--table mini-1 --seed 3": "--seed has no effect without mccfr",
        "--table mini-1 --algorithm mccfr --threads 2": "--threads has no effect with mccfr",
        "--resume runs/nothing": "there is no run of a solver in 'runs/nothing'",
    },
    "exploit --exact --agent threshold": {
        "--table mini-1 --output some.json": "--output has no effect with --exact",
        "--players 2 --max-card 5 --memory 0.01": "the tree does not fit into 10 MiB",
    },
    "score": {
        "": "name an AGENT to score",
        "random --link javascript:alert(1)": "--link: String should match pattern",
        "random --by 'a\x1b[31mb'": "--by: String should match pattern",
        "cmd:no-such-program-here": "command='no-such-program-here' does not begin with a program",
        "random --move-timeout 3": "--move-timeout has no effect without a program, cmd:COMMAND",
        "--check card.json --games 5": "--games has no effect with --check",
        "--check card.json": "there is no file 'card.json'; name the score.json of a score",
    },
    "dataset": {
        "": "--agents is missing: name an agent for each seat, such as 'champion,random*3'",
        "--agents random*2 --licence 'free;beer'": "--licence 'free;beer' is no SPDX identifier",
        "--verify --seed 3": "--seed has no effect with --verify",
        "--verify": "holds no dataset",
    },
    "forecast": {
        "nobody": "unknown agent 'nobody'",
        "search:0.1s --playouts 5": "agent 'search:0.1s' is not compiled; leave the option out",
        "champion --output missing/scores.json": "must be a file in an existing folder",
    },
    "": {  # options that there are not, or are called otherwise
        "evaluate --players random*2": "--players is --agents",
        "watch --players random*2 --out it.html": "--players is --agents",
        "watch --players 3": "the number of players follows from --agents",
        "play --players=2": "the number of players follows from --opponents",
        "watch --agents random*2 --out it.html": "--out is --output",
        "score random --out it": "--out is --output",
        "evaluate --agents random*2 --preset mini-1": "--preset is --table",
        "tournament --tables random*2": "--tables is --seats",
        "play --web --tables here": "--tables is --folder",
        "play --name Anna": "--name is --as",
        "evaluate --agent random*2": "unknown option --agent; did you mean --agents",
        "play --oponents random": "unknown option --oponents; did you mean --opponents",
        "train --minute 5": "unknown option --minute; did you mean --minutes",
        "score __main__:Nobody": "__main__",
        "train --xyzzy": "unknown option --xyzzy; --help lists the options",
    },
}
"""By beginning of the command and its end: what is said."""
WITH_AN_AGENT = [
    "evaluate --agents {0},random",
    "score {0}",
    "tournament --agents {0},random --output games",
    "dataset --agents {0},random",
    "exploit --exact --table mini-1 --agent {0}",
    "forecast {0}",
    "play --opponents {0}",
    "watch --agents {0},random",
]
NEEDS = {"exploit": "sb3_contrib", "train": "sb3_contrib", "dataset": "pyarrow"}


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param(f"{begin} {end}", message, marks=pytest.mark.prove if "does not fit" in message else [])
        for begin, cases in REFUSED.items()
        for end, message in cases.items()
    ],
)
def test_wrong_arguments_are_named_and_leave_nothing(command, message, typed, empty_folder):
    if module := NEEDS.get(command.split(maxsplit=1)[0]):
        pytest.importorskip(module)
    printed = typed(command, status=2)
    assert printed.out == ""
    said = printed.err.rpartition("\r")[2]  # after a bar of progress, which a slow machine shows
    assert said.startswith("error: ")
    assert message in said
    assert printed.err.count("\n") == 1
    assert not list(empty_folder.iterdir())


@pytest.mark.parametrize("command", WITH_AN_AGENT)
def test_what_an_agent_s_module_needs_and_is_not_installed_is_named(command, typed, empty_folder, monkeypatch):
    needed = "nosuch"
    module = NEEDS.get(command.split(maxsplit=1)[0], "numpy")
    pytest.importorskip(module)
    monkeypatch.setattr(cli, "find_spec", lambda name: None if name == needed else find_spec(name))
    monkeypatch.setitem(sys.modules, needed, None)
    (empty_folder / f"agents_with_{needed}.py").write_text(f"import {needed}\n", "utf-8")
    said = typed(command.format(f"agents_with_{needed}:Agent"), status=2).err
    assert said.startswith(f"error: {empty_folder / f'agents_with_{needed}.py'} needs {needed}, which is not installed")
    assert said.count("\n") == 1
