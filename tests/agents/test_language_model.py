"""examples/language_model.py: whole games against a small local endpoint that fails, lies and charges.

The endpoint runs in this process, and nothing is waited for but its answers.
"""

import gc
import gzip
import json
import os
from random import Random

import numpy as np
import pytest

pytest.importorskip("openai", reason="needs openai, of the extra `llm`")

import language_model
from language_model import LanguageModel, Settings, report
from stand_in_model import StandIn, completion, serving

from blackjacky_agents import make_agent
from blackjacky_agents.agent import AgentError
from blackjacky_agents.arena.evaluation import play_games
from blackjacky_agents.external.python_agent import PythonAgent
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import GAMES
from tests.agents.web.tables import SHORT
from tests.fuzzing.mutators import mutate

pytestmark = pytest.mark.prove


class Endpoint(StandIn):
    """An endpoint that answers what it is told to, and then as the stand-in; it keeps what it was asked."""

    def __init__(self, *answers):
        super().__init__()
        self.answers, self.asked, self.keys = list(answers), [], []

    def answer(self, request):
        self.asked.append(request)
        given = self.answers.pop(0) if self.answers else super().answer(request)
        if isinstance(given, str):
            words = sum(len(message["content"].split()) for message in request["messages"])
            usage = {"prompt_tokens": words, "completion_tokens": len(given.split())}
            given = (200, {}, completion(given, usage))
        return given


@pytest.fixture(autouse=True)
def processes():
    """As many processes as one likes: each call gives back all transcripts, as the end of a process does."""

    def end():
        language_model.open_transcript.cache_clear()
        gc.collect()

    yield end
    end()


@pytest.fixture
def endpoint():
    """A running endpoint; what is in its ``answers`` it says first."""
    with serving(Endpoint()) as running:
        yield running


@pytest.fixture
def ask(tmp_path, monkeypatch):
    """Makes a model behind an endpoint; None: behind none."""

    def make(endpoint, game="black_jacky", **settings):
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url if endpoint else "http://127.0.0.1:9/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "secret key")
        usual = {"model": "small" if endpoint else "", "transcript": tmp_path / "games" / "model.jsonl"}
        model = LanguageModel(game, Settings(**{**usual, **settings}))
        model.reset(0)
        return model

    return make


def first_decision(game="black_jacky"):
    """An observation for the player to act."""
    env = TableEnv(game, 3)
    env.reset(seed=0)
    return env.observe(env.agent_selection)


def play(model, seed=7):
    """Play one game against random agents; the shares of the win."""
    agents = [PythonAgent(model, "model", model.game), make_agent("random", model.game)]
    options = SHORT.get(model.game, {})
    return play_games(agents, np.array([[1, 0, 1]]), seed=seed, game=model.game, **options).tolist()


def lines(model):
    """The calls in the transcript."""
    return [json.loads(call) for call in model.path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("game", [*GAMES])
def test_a_whole_game_is_played_behind_an_endpoint_and_again_without_it(game, endpoint, ask, processes):
    model = ask(endpoint, game)
    shares = play(model)
    calls = lines(model)
    assert len(calls) == len(endpoint.asked) > 3
    assert all(request["model"] == "small" for request in endpoint.asked)
    assert all(call["of"] == [game, "small"] for call in calls)
    assert all(call["played"] and not call["refused"] and call["game"] == 1 for call in calls)
    assert [call["messages"] for call in calls] == [request["messages"] for request in endpoint.asked]
    assert "secret key" not in model.path.read_text("utf-8")
    processes()
    again = ask(None, game)
    assert play(again) == shares
    assert lines(again) == calls


@pytest.mark.parametrize("reply", ["", "half \ud800 of a pair", "ANSWER: " + "1. " * 3000, "ANSWER: " + "9" * 5000])
def test_nonsense_is_refused_and_the_transcript_stays_readable(reply, endpoint, ask):
    observation = first_decision()
    endpoint.answers += [(200, {}, completion(reply, None)), "ANSWER: 1"]
    model = ask(endpoint)
    assert observation["action_mask"][model.act(observation)]
    assert endpoint.asked[1]["messages"][2]["content"].strip()  # endpoints refuse empty messages
    report(model.path)
    assert [bool(call["refused"]) for call in lines(model)] == [True, False]


def test_an_endpoint_that_repeats_the_key_does_not_get_it_into_errors_or_the_transcript(endpoint, ask):
    said = [(400, {}, {"error": {"message": "not secret key"}}), (200, {}, {"key": "secret key"}), "secret key"]
    endpoint.answers += [*said, "ANSWER: 1"]
    model = ask(endpoint, retries=0)
    for _ in range(2):
        with pytest.raises(AgentError, match="the endpoint gave no answer") as error:
            model.act(first_decision())
        assert "secret key" not in str(error.value)
    model.act(first_decision())
    assert "(the key)" in (text := model.path.read_text("utf-8"))
    assert "secret key" not in text


def test_too_many_errors_are_an_error_that_keeps_what_was_answered(endpoint, ask):
    soon = {"retry-after-ms": "1"}  # by which an endpoint asks to be tried again at once
    endpoint.answers += ["ANSWER: 1", *[(503, soon, {"error": "down"})] * 3]
    model = ask(endpoint, retries=2)
    with pytest.raises(AgentError, match="the endpoint gave no answer: Error code: 503"):
        play(model)
    assert len(endpoint.asked) == 4
    assert len(lines(model)) == 1


@pytest.mark.parametrize(
    ("status", "headers", "body", "said"),
    [
        (200, {}, b" " * 2**23, "it is larger than 4,194,304 bytes"),
        (400, {}, b" " * 2**23, "it is larger than 4,194,304 bytes"),
        (200, {"Content-Encoding": "gzip"}, gzip.compress(b" " * 2**28), "it redirects .*, or is compressed"),
        (200, {"Content-Type": "application/json"}, b"[" * 100_000 + b"]" * 100_000, "(recursion|Stack overflow)"),
        (200, {"Content-Length": "1000"}, b"{", r"it was not complete after 1 s \(BLACKJACKY_SECONDS\)"),
    ],
    ids=["large", "large error", "compressed", "deep", "never complete"],
)
def test_an_answer_without_measure_ends_in_an_error(status, headers, body, said, endpoint, ask):
    endpoint.answers += [(status, headers, body)] * 6
    with pytest.raises(AgentError, match=f"the endpoint gave no answer: .*{said}"):
        ask(endpoint, seconds=1 if "Content-Length" in headers else 60).act(first_decision())
    assert len(endpoint.asked) == 1


def test_no_other_address_gets_the_prompt(endpoint, ask):
    with serving(Endpoint()) as other:
        endpoint.answers.append((307, {"Location": f"{other.url}/chat/completions"}, {}))
        with pytest.raises(AgentError, match="it redirects to another address"):
            ask(endpoint).act(first_decision())
        assert (len(endpoint.asked), other.asked) == (1, [])


def test_an_illegal_answer_is_refused_with_the_reason_and_the_model_asked_again(endpoint, ask):
    endpoint.answers += ["I fly.\nANSWER: fly to the moon", "ANSWER: knock", "ANSWER: no trick"]
    model = ask(endpoint)
    assert model.act(first_decision()) == TableEnv("black_jacky", 3).parse_action("no trick")
    *_, second, third = (request["messages"] for request in endpoint.asked)
    assert second[2] == {"role": "assistant", "content": "I fly.\nANSWER: fly to the moon"}
    assert second[3]["content"].startswith("no action is called 'fly to the moon'")
    assert third[:4] == second
    assert third[5]["content"].startswith(
        "'knock' is illegal: it is for phase zock; the phase is trick. Choose one of the legal"
    )
    assert [call["played"] for call in lines(model)] == ["", "", "no trick"]


def test_after_too_many_illegal_answers_a_random_legal_action_is_played_and_reported(endpoint, ask, processes):
    observation = first_decision()
    endpoint.answers += [*["ANSWER: fly"] * 4]
    model = ask(endpoint, tries=2)
    actions = [model.act(observation) for _ in range(2)]
    assert all(observation["action_mask"][action] for action in actions)
    assert len(endpoint.asked) == 4
    processes()
    again = ask(None, tries=2)
    assert [again.act(observation) for _ in range(2)] == actions
    row = report(model.path).splitlines()[2]
    assert row.startswith("| 1 | 2 | 4 | 4 | 2 | ")


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        ({"calls": 2}, r"calls 2 of 2\. With a higher BLACKJACKY_CALLS the same command goes on from "),
        ({"tokens": 900}, r"tokens \d+ of 900\. With a higher BLACKJACKY_TOKENS"),
    ],
)
def test_a_spent_budget_is_an_error_and_with_a_higher_one_the_game_goes_on(budget, said, endpoint, ask, processes):
    with pytest.raises(AgentError, match=rf"the budget is spent: {said}"):
        play(ask(endpoint, **budget))
    asked = len(endpoint.asked)
    assert asked == len(lines(ask(endpoint))) >= 1
    processes()
    again = ask(endpoint)
    play(again)
    assert len(lines(again)) == len(endpoint.asked) > asked


def test_a_transcript_of_another_model_or_game_is_refused(endpoint, ask, processes):
    ask(endpoint).act(first_decision())
    processes()
    for other, said in (
        (ask(endpoint, model="large"), "not of .*'large'"),
        (ask(endpoint, "halunken"), "not of .*'halunken'"),
    ):
        with pytest.raises(AgentError, match=said):
            other.act(first_decision(other.game))


def test_what_is_left_of_an_interrupted_line_is_dropped(endpoint, ask, processes):
    model = ask(endpoint)
    play(model)
    path, asked = model.path, len(endpoint.asked)
    whole = path.read_bytes()
    os.truncate(path, len(whole) - 30)
    report(path)
    assert len(path.read_bytes()) == len(whole) - 30  # readers change nothing
    processes()
    play(ask(endpoint))
    assert path.read_bytes().startswith(b"".join(whole.splitlines(keepends=True)[:-1]))
    assert len(lines(model)) == len(endpoint.asked) - 1 >= asked


def test_damaged_transcripts_are_refused_or_read(endpoint, ask, processes):
    endpoint.answers += ["ANSWER: fly", "ANSWER: 1"]
    model = ask(endpoint)
    model.act(first_decision())
    path, rng = model.path, Random(0)
    whole = path.read_bytes()
    outcomes = set()
    for _ in range(300):
        path.write_bytes(mutate(whole, whole, rng))
        try:
            outcomes.add(report(path)[:6])
        except ValueError as error:
            outcomes.add(str(error)[:1])
    assert outcomes == {"| game", "'"}
