"""blackjacky benchmark: algorithms at small tables, measured exactly by decisions."""

import json
from pathlib import Path

import pytest

from blackjacky_agents.benchmark.tasks import due_at

MINE = """
from blackjacky_agents import make_agent

def bot(task, name="random"):
    for due in task.due:
        yield due, make_agent(name)

def wrong(task):
    raise OSError("no card")

def mute(task):
    yield 5, "pass"

def short(task):
    yield 1, make_agent("random")
"""


@pytest.fixture
def run(typed, empty_folder):
    def run(command, **more):
        return typed(f"benchmark --table mini-1 --threads 1 {command}", **more)

    return run


def rows(path="rows.json"):
    return json.loads(Path(path).read_text("utf-8"))["rows"]


@pytest.mark.prove
def test_what_solvers_learn_comes_close_to_an_equilibrium_with_decisions_and_each_seed_is_a_run(run):
    told = run("--algorithm mccfr --seeds 2 --decisions 2e5 --points 3 --output rows.json").out
    assert "Of 2 seeds." in told
    first, second = rows()[:3], rows()[3:]
    assert [row["seed"] for row in rows()] == [100, 100, 100, 101, 101, 101]
    assert [row["exploitability"] for row in first] != [row["exploitability"] for row in second]
    for own in (first, second):
        assert own[0]["exploitability"] > own[2]["exploitability"] < 0.02
        assert [row["decisions"] >= due for row, due in zip(own, due_at(200_000, 3), strict=True)] == [True] * 3
    run("--algorithm dcfr --seeds 1 --decisions 1e5 --output rows.json")
    assert rows()[-1]["exploitability"] < 1e-4


@pytest.mark.prove
def test_ended_runs_are_not_repeated_and_others_begin_again(run):
    run("--algorithm mccfr --seeds 2 --decisions 2000 --points 2 --output rows.json")
    before, folder = rows(), Path("runs/benchmark/black_jacky-mini-1-mccfr")
    kept = (folder / "seed-100.json").stat().st_mtime_ns
    (folder / "seed-101.json").write_text(json.dumps(before[2:3]), "utf-8")  # as one that was killed leaves it
    run("--algorithm mccfr --seeds 3 --decisions 2000 --points 2 --output rows.json")
    assert [row["exploitability"] for row in rows()[:4]] == [row["exploitability"] for row in before]
    assert (folder / "seed-100.json").stat().st_mtime_ns == kept
    wrong = run("--algorithm mccfr --seeds 3 --decisions 3000 --points 2", status=2).err
    assert "has runs of something else" in wrong
    assert "choose another --name" in wrong


@pytest.mark.prove
def test_an_algorithm_of_ones_own_is_a_function_that_yields_policies(run):
    Path("mine.py").write_text(MINE, "utf-8")
    run("--algorithm mine:bot --seeds 1 --points 2 --output rows.json")
    at_random = rows()[0]["exploitability"]
    run("""--algorithm mine:bot --name other --settings 'name="counter"' --seeds 1 --points 2 --output rows.json""")
    counter = rows()[0]["exploitability"]
    assert counter != at_random
    assert counter == rows()[1]["exploitability"] == pytest.approx(rows()[1]["averaged"], abs=1e-6)
    assert "averaged" not in rows()[0]
    assert (
        f"Mean of the policies of the second half: {counter:.5f}."
        in run("""--algorithm mine:bot --name other --settings 'name="counter"' --seeds 1 --points 2""").out
    )


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("--algorithm mine:absent", "the module 'mine' has no 'absent'"),
        (
            "--algorithm nfs",
            "unknown algorithm 'nfs'; there are ppo, mmd, rnad, nfsp, psro, deep_cfr, mccfr, outcome, dcfr, and yours",
        ),
        ("--algorithm mccfr --settings memory", "--settings 'memory' is no NAME=VALUE"),
        ("--algorithm mccfr --decisions 0", "--decisions 0 is out of range; allowed are 1 .. 1e12, whole"),
        ("--algorithm mccfr --seeds 0", "--seeds=0 is out of range; allowed are 1 .. 1000"),
        *(
            pytest.param(*each, marks=pytest.mark.prove)  # the tree has to be built
            for each in (
                ("--algorithm mine:wrong", "the algorithm raised OSError: no card"),
                ("--algorithm mine:mute", "what the algorithm yields is no (decisions, agent): "),
                ("--algorithm mine:short", "the algorithm ended before "),
                ("--algorithm mccfr --settings memry=1", "unexpected keyword argument 'memry'"),
                ("--algorithm nfsp --settings eta=2", "eta=2 is out of range; allowed are 0 .. 1"),
            )
        ),
    ],
)
def test_wrong_input_is_told_in_a_sentence(run, command, told):
    Path("mine.py").write_text(MINE, "utf-8")
    assert told in run(command, status=2).err


@pytest.mark.prove
def test_what_was_typed_wrong_does_not_stand_in_the_way_of_what_is_right(run):
    wrong = "--algorithm ppo --settings ent_coeff=0.2 --seeds 1 --decisions 9000 --points 2"
    assert "unexpected keyword argument 'ent_coeff'" in run(wrong, status=2).err
    assert "Of 1 seeds." in run(wrong.replace("coeff=0.2", "coef=0.2 'hidden_sizes=[16, 16]'")).out


@pytest.mark.prove
@pytest.mark.parametrize(
    ("learner", "decisions"), [*((name, 60_000) for name in ("ppo", "mmd", "rnad", "nfsp")), ("deep_cfr", 20_000)]
)
def test_self_play_learns_a_small_table_and_the_same_seed_gives_the_same_policies(run, learner, decisions):
    for name in "ab":
        run(f"--algorithm {learner} --seeds 1 --decisions {decisions} --points 2 --name {name} --output {name}.json")
    first, again = ([(row["decisions"], row["exploitability"]) for row in rows(f"{name}.json")] for name in "ab")
    assert first == again
    assert first[0][1] > first[1][1]
