"""A language model behind any OpenAI-compatible endpoint as an agent, with a budget and a transcript that replays it.

    export OPENAI_BASE_URL=http://127.0.0.1:8023/v1 OPENAI_API_KEY=none BLACKJACKY_MODEL=NAME
    blackjacky evaluate --players 'examples.language_model:LanguageModel,counter*3' --games 1 --seed 7
    python examples/language_model.py      # calls, tokens and cost of each game

Before each decision the model is shown the rules in short, what its seat has heard since the deal, the table as its
seat sees it, and the numbered legal actions. An illegal answer is refused with the reason; after `Settings.tries` of
them a random legal action is played, which the report counts.

Every call is a line of the transcript. Whatever has been asked before is answered from there, in order, so the same
command with the same seed replays a game without the endpoint, or goes on where it stopped. docs/language_models.md has
the rest.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import openai
import tyro
from filelock import FileLock, Timeout

from blackjacky_agents.agent import AgentError
from blackjacky_agents.files import write_file
from blackjacky_agents.language.answers import HOW_TO_ANSWER, answer_in, find_action
from blackjacky_agents.language.telling import Seen, imagine, rules_in_short, situation
from blackjacky_agents.reports import markdown_table
from blackjacky_agents.wording import why_not
from blackjacky_env.games import DEFAULT, get_game
from blackjacky_env.reading import MAX_DATA, parse_json, read_file

FORMAT = 1
NOTHING = "(no answer)"  # in place of an empty answer, which endpoints refuse in a conversation
LETTERS = 4  # of a token, where the endpoint does not tell the number of tokens
SHORT_KEY = 7
Messages = list[dict[str, str]]


@dataclass(frozen=True)
class Settings:
    """Settings, each from the environment variable BLACKJACKY_ and its name in capitals.

    The address and the key of the endpoint are those of the client: OPENAI_BASE_URL and OPENAI_API_KEY.
    """

    model: str = ""
    """Name of the model; empty: nothing is asked, and all answers come from the transcript."""
    transcript: Path = Path("runs/language_model/{game}.jsonl")
    """File of all calls; ``{game}`` stands for the name of the game."""
    calls: float = 1000
    """Budget of the transcript: number of calls, those that are repeated included."""
    tokens: float = 1e7
    """Budget of the transcript: tokens of prompts and answers."""
    cost: float = 1.0
    """Budget of the transcript, in the currency of the prices."""
    prompt_price: float = 0.0
    """Price of 1,000 tokens of prompts."""
    answer_price: float = 0.0
    """Price of 1,000 tokens of answers."""
    tries: int = 3
    """Number of answers to a decision."""
    retries: int = 5
    """Number of times that a call is repeated after an error of the network or the server."""
    timeout: float = 120.0
    """Seconds for which the endpoint may be silent during a call."""
    request: str = "{}"
    """Further fields of each request, a JSON object such as {"temperature": 0}."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """The settings given; `ValueError` names a variable that cannot be read."""
        given: dict[str, Any] = {}
        for each in fields(cls):
            name = f"BLACKJACKY_{each.name.upper()}"
            if name in environment:
                try:
                    value = given[each.name] = type(each.default)(environment[name])  # type: ignore[call-arg]
                    if isinstance(value, int | float) and not value >= 0:  # NaN would be a budget without end
                        raise ValueError
                except ValueError:
                    kind = type(each.default).__name__
                    raise ValueError(f"{name}={environment[name]!r}; allowed is a number ({kind}), 0 or more") from None
        settings = cls(**given)
        if settings.tries < 1 or not isinstance(settings.fields_of_requests, dict):
            raise ValueError("BLACKJACKY_REQUEST is a JSON object, BLACKJACKY_TRIES 1 or more")
        return settings

    def path(self, game: str) -> Path:
        """The file of all calls of a game."""
        return Path(str(self.transcript).replace("{game}", game))

    @property
    def fields_of_requests(self) -> Any:
        """`request` as data."""
        return parse_json(self.request)

    def price(self, prompt: int, answer: int) -> float:
        """The cost of so many tokens."""
        return (prompt * self.prompt_price + answer * self.answer_price) / 1000


# ---------------------------------------------------------------- the transcript


class Call(NamedTuple):
    """A line of the transcript."""

    game: int
    """Number of the game in this file; a game ends with `LanguageModel.reset`."""
    messages: Messages
    reply: str
    prompt_tokens: int
    answer_tokens: int
    estimated: bool
    """Whether the endpoint did not tell the tokens, so that they are estimated."""
    retries: int
    """Number of times that the call was repeated."""
    seconds: float
    refused: str
    """Why the answer was not an action that could be taken; empty if it was."""
    played: str
    """Name of the action taken after it; empty if the model was asked again."""


class Transcript:
    """All calls to a model in a file (JSON Lines), whose first line says of which game and model they are.

    Raises `ValueError` if the file is damaged or of another game or model.
    """

    def __init__(self, path: Path, head: Mapping[str, Any], lock: FileLock) -> None:
        self.path, self.head, self.calls = path, head, _read(path, head)
        self._lock = lock  # held as long as this exists
        self._answers: defaultdict[str, deque[Call]] = defaultdict(deque)
        for call in self.calls:
            self._answers[_key(call.messages)].append(call)
        if path.exists():
            os.truncate(path, read_file(path, MAX_DATA).rfind(b"\n") + 1)
        else:
            write_file(path, json.dumps(head) + "\n")

    def recorded(self, messages: Messages) -> Call | None:
        """The next recorded call with these messages."""
        waiting = self._answers[_key(messages)]
        return waiting.popleft() if waiting else None

    def append(self, call: Call) -> None:
        """Add a call."""
        self.calls.append(call)
        with self.path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(call._asdict()) + "\n")


_OPEN: dict[Path, Transcript] = {}  # by this process


def open_transcript(path: Path, head: Mapping[str, Any]) -> Transcript:
    """The transcript at a path, which no other process can open until this one ends; agents of one process share it.

    Raises `ValueError` as `Transcript`, or if another process has it.
    """
    if path in _OPEN and _OPEN[path].head != head:
        raise ValueError(f"{path} is used by another agent of this process, with {_OPEN[path].head}: use another file")
    if path not in _OPEN:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path.with_name(f".{path.name}.lock"))
        try:
            lock.acquire(blocking=False)
        except Timeout:
            raise ValueError(
                f"{path} is being written by another process: wait for it, use one process (--threads 1), or name "
                "another file (BLACKJACKY_TRANSCRIPT)"
            ) from None
        _OPEN[path] = Transcript(path, head, lock)
    return _OPEN[path]


def _key(messages: Messages) -> str:
    return json.dumps(messages, sort_keys=True)


def _read(path: Path, head: Mapping[str, Any]) -> list[Call]:
    """The calls in a file, without what an interruption has left of a line. ``head``: what it must be of."""
    if not path.exists():
        return []
    *lines, _ = read_file(path, MAX_DATA).split(b"\n")
    try:
        first, *lines = lines or [b""]
        found = dict(parse_json(first))
        calls = [_call(parse_json(line)) for line in lines]
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"{str(path)!r} is no transcript: {error}") from None
    for name, wanted in head.items():
        if wanted and found.get(name) != wanted:
            raise ValueError(f"{str(path)!r} has {name}={found.get(name)!r}, not {wanted!r}: use another file")
    return calls


def _call(line: Any) -> Call:
    call = Call(**line)
    texts = [call.reply, call.refused, call.played, *(text for each in call.messages for text in each.values())]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("a message, a reply or an action in it is not a text")
    for name in ("game", "prompt_tokens", "answer_tokens", "retries"):
        if type(getattr(call, name)) is not int or getattr(call, name) < 0:
            raise TypeError(f"{name}={getattr(call, name)!r} in it is not a number of things")
    if not (isinstance(call.seconds, int | float) and call.seconds >= 0):
        raise TypeError(f"seconds={call.seconds!r} in it is not a time")
    return call


# ---------------------------------------------------------------- the agent


@dataclass
class LanguageModel:
    """A language model as an agent, for one process at a time.

    Raises `AgentError` when the endpoint does not answer, the budget is spent, or another process has the transcript.
    """

    game: str = DEFAULT
    settings: Settings = field(default_factory=Settings.from_environment)
    url: str | None = None
    """Address of the endpoint; None: that in OPENAI_BASE_URL."""

    def __post_init__(self) -> None:
        self.name = self.settings.model or "language model"
        self._events: Sequence[dict[str, Any]] | None = None
        self.reset()

    def reset(self, seed: int | None = None) -> None:
        """Begin a game; the seed decides about random actions (None: a seed from the operating system)."""
        self._game, self._seed = 0, random.randrange(2**31) if seed is None else seed

    def hear(self, events: Sequence[dict[str, Any]]) -> None:
        """Be told what the seat has heard since the deal, before `act`."""
        self._events = events

    def act(self, observation: dict[str, Any]) -> int:
        """The action that the model chooses, or after too many illegal answers a random one."""
        seen, self._events = Seen.by_observation(self.game, observation, self._events), None
        messages = [
            {"role": "system", "content": f"{rules_in_short(self.game, seen.options)}\n\n{HOW_TO_ANSWER}"},
            {"role": "user", "content": situation(seen)},
        ]
        for number in range(self.settings.tries):
            reply = self._ask(messages, is_last=number + 1 == self.settings.tries, seen=seen)
            if isinstance(reply, int):
                return reply
            messages = [*messages, *reply]
        raise AgentError(f"{self.path} has a decision without an action: take another file")

    def _ask(self, messages: Messages, is_last: bool, seen: Seen) -> int | Messages:
        """The action chosen, or what the model said and why that is refused."""
        transcript = self._transcript()
        call = transcript.recorded(messages)
        if call is None:
            self._game = self._game or 1 + max((each.game for each in transcript.calls), default=0)
            call = self._judged(self._call(messages, transcript.calls), seen, is_last)
            transcript.append(call)
        self._game = call.game
        for action, words in seen.choices.items():
            if words == call.played:
                return action
        told = {"role": "user", "content": f"{call.refused} Choose one of the legal actions. {HOW_TO_ANSWER}"}
        return [{"role": "assistant", "content": call.reply.strip() or NOTHING}, told]

    def _judged(self, call: Call, seen: Seen, is_last: bool) -> Call:
        """The call with the action taken after it, or why there is none."""
        action, refused = self._understood(call.reply, seen)
        if action is None and is_last:
            action = random.Random(f"{self._seed} {call.messages}").choice([*seen.choices])
        return call._replace(refused=refused, played="" if action is None else seen.choices[action])

    def _understood(self, reply: str, seen: Seen) -> tuple[int | None, str]:
        """The action that a reply names, None if it cannot be taken, and why not."""
        try:
            action = find_action(answer_in(reply), seen.choices, get_game(self.game).words.actions)
        except ValueError as error:
            return None, f"{str(error).rstrip('.')}."
        if action in seen.choices:
            return action, ""
        return None, f"{why_not(imagine(self.game, seen.observation, seen.seat), action).rstrip('.')}."

    # ------------------------------------------------------------ calls

    @property
    def path(self) -> Path:
        """The file of the transcript."""
        return self.settings.path(self.game)

    @property
    def head(self) -> dict[str, Any]:
        """The first line of the transcript."""
        model, request = self.settings.model, self.settings.fields_of_requests
        return {"format": FORMAT, "game": self.game, "model": model, "request": request}

    def _transcript(self) -> Transcript:
        """The transcript, which belongs to this process from now on."""
        try:
            return open_transcript(self.path, self.head)
        except ValueError as error:
            raise AgentError(str(error)) from None

    @cached_property
    def _client(self) -> openai.OpenAI:
        key = os.environ.get("OPENAI_API_KEY") or "none"
        return openai.OpenAI(api_key=key, base_url=self.url, timeout=self.settings.timeout)

    def _without_key(self, text: str) -> str:
        """What an endpoint has said, without the key if it repeats it; a short key is a placeholder such as "none"."""
        key = self._client.api_key
        return text.replace(key, "(the key)") if len(key) > SHORT_KEY else text

    def _call(self, messages: Messages, before: Sequence[Call]) -> Call:
        """Ask the endpoint, if the calls ``before`` have left enough."""
        spent = Spent.of(before, self.settings)
        self._check_budget(spent)
        retries = int(max(0, min(self.settings.retries, self.settings.calls - spent.calls - 1)))
        client, began = self._client.with_options(max_retries=retries), time.monotonic()
        fields_of_requests: Any = {"extra_body": self.settings.fields_of_requests, "messages": messages}
        try:
            raw = client.chat.completions.with_raw_response.create(model=self.settings.model, **fields_of_requests)
        except openai.OpenAIError as error:
            said = self._without_key(str(error))
            raise AgentError(f"the endpoint gave no answer: {said} What was answered before is kept.") from None
        reply, told = self._read(raw)
        estimated = [sum(len(each["content"]) for each in messages) // LETTERS, len(reply) // LETTERS]
        seconds = round(time.monotonic() - began, 3)
        return Call(
            self._game,
            messages,
            reply,
            *(told or estimated),
            not told,
            raw.retries_taken,
            seconds,
            refused="",
            played="",
        )

    def _read(self, raw: Any) -> tuple[str, list[int]]:
        """The reply in a response and the tokens of prompt and answer, [] if it does not tell them."""
        try:
            answered = raw.parse()
            reply = answered.choices[0].message.content or ""
            if not isinstance(reply, str):
                raise TypeError("the content of a message is a text")
        except (openai.OpenAIError, AttributeError, LookupError, TypeError, ValueError):
            said = self._without_key(raw.text)[:200]
            raise AgentError(f"this is no OpenAI-compatible endpoint: it answered {said!r}") from None
        told = [getattr(answered.usage, f"{kind}_tokens", None) for kind in ("prompt", "completion")]
        are_numbers = all(type(number) is int and number >= 0 for number in told)
        # Half of a surrogate pair can be neither sent nor written.
        return self._without_key(reply.encode(errors="replace").decode()), told if are_numbers else []

    def _check_budget(self, spent: Spent) -> None:
        """Raise `AgentError` if there is no model to ask, or nothing left to ask it with."""
        settings = self.settings
        if not settings.model:
            raise AgentError(f"{self.path} has no answer to this, and BLACKJACKY_MODEL names no model to ask")
        for name, used in (("calls", spent.calls), ("tokens", spent.tokens), ("cost", spent.cost)):
            if used >= getattr(settings, name):
                raise AgentError(
                    f"the budget is spent: {name} {used:g} of {getattr(settings, name):g}. With a higher "
                    f"BLACKJACKY_{name.upper()} the same command goes on from {self.path}"
                )


# ---------------------------------------------------------------- the report


class Spent(NamedTuple):
    """What calls have taken."""

    calls: int
    tokens: int
    cost: float

    @classmethod
    def of(cls, calls: Sequence[Call], settings: Settings) -> Spent:
        """What these calls have taken."""
        prompts, answers = (sum(getattr(call, f"{kind}_tokens") for call in calls) for kind in ("prompt", "answer"))
        return cls(sum(1 + call.retries for call in calls), prompts + answers, settings.price(prompts, answers))


def report(transcript: Path, settings: Settings) -> str:
    """Calls, refused answers, random actions, tokens and cost of each game, and their means, as a Markdown table."""
    calls = _read(transcript, {"format": FORMAT})
    if not calls:
        raise ValueError(f"{str(transcript)!r} holds no calls")
    games = {number: [call for call in calls if call.game == number] for number in Counter(call.game for call in calls)}
    rows = [[str(number), *map("{:g}".format, _figures(own, settings))] for number, own in games.items()]
    means = [
        sum(column) / len(games) for column in zip(*(_figures(own, settings) for own in games.values()), strict=True)
    ]
    heading = ["game", "decisions", "calls", "refused", "random", "retries", "tokens", "seconds", "cost"]
    estimated = "\n\nSome tokens are estimated." if any(call.estimated for call in calls) else ""
    return markdown_table(heading, [*rows, ["mean", *(f"{mean:,.4g}" for mean in means)]]) + estimated


def _figures(calls: Sequence[Call], settings: Settings) -> list[float]:
    spent = Spent.of(calls, settings)
    decisions, refused = sum(bool(call.played) for call in calls), sum(bool(call.refused) for call in calls)
    at_random = sum(bool(call.played and call.refused) for call in calls)
    retries, seconds = sum(call.retries for call in calls), sum(call.seconds for call in calls)
    return [decisions, len(calls), refused, at_random, retries, spent.tokens, round(seconds, 1), round(spent.cost, 6)]


@dataclass
class Args:
    """Report calls, tokens and cost of the games in a transcript, at the prices in the environment."""

    game: str = DEFAULT  # name of the game
    transcript: Path | None = None  # file of the calls; by default that in the environment, or the usual one


if __name__ == "__main__":
    args = tyro.cli(Args)
    try:
        settings = Settings.from_environment()
        print(report(args.transcript or settings.path(args.game), settings))
    except ValueError as error:
        sys.exit(f"error: {error}")
