"""A language model behind any OpenAI-compatible endpoint as an agent, with a budget and a transcript that replays it.

    export OPENAI_BASE_URL=http://127.0.0.1:8023/v1 OPENAI_API_KEY=none BLACKJACKY_MODEL=NAME
    blackjacky evaluate --agents 'examples.language_model:LanguageModel,counter*3' --games 1 --seed 7
    python examples/language_model.py      # calls and tokens of each game

Before each decision the model is shown the rules in short, what its seat has heard since the deal, the table as its
seat sees it, and the numbered legal actions. An illegal answer is refused with the reason; after `Settings.tries` of
them a random legal action is played, which the report counts.

Every call is a line of the transcript. Whatever has been asked before is answered from there, in order, so the same
command with the same seed replays a game without the endpoint, or goes on where it stopped (docs/language_models.md).
"""

from __future__ import annotations

import os
import random
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from multiprocessing import TimeoutError as TooSlow
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Any

import httpx2
import openai
import tyro
from filelock import FileLock, Timeout
from pydantic import BaseModel, Field, Json

from blackjacky_agents.agent import AgentError
from blackjacky_agents.language.answers import HOW_TO_ANSWER, answer_in, find_action
from blackjacky_agents.language.telling import Seen, imagine, rules_in_short, situation
from blackjacky_agents.reports import markdown_table
from blackjacky_agents.storage.files import write_file
from blackjacky_agents.wording import why_not
from blackjacky_env.games import DEFAULT, get_game
from blackjacky_env.reading import MAX_DATA, read_file

Messages = list[dict[str, str]]
Waiting = defaultdict[str, deque["Call"]]  # recorded calls by their messages
MAX_ANSWER = 2**22  # bytes of a response
NO_ANSWER = (openai.OpenAIError, AttributeError, LookupError, RecursionError, TooSlow, TypeError, ValueError)


class Settings(BaseModel):
    """Settings, each from the environment variable BLACKJACKY_ and its name in capitals."""

    model: str = ""  # Name of the model; empty: nothing is asked, and all answers come from the transcript.
    transcript: Path = Path("runs/language_model/{game}.jsonl")  # All calls; {game} stands for the name of the game.
    calls: float = Field(1000, ge=0)  # Budget of the transcript: calls.
    tokens: float = Field(1e7, ge=0)  # Budget of the transcript: tokens of prompts and answers.
    tries: int = Field(3, ge=1)  # Answers to a decision.
    retries: int = Field(5, ge=0)  # How often a call is repeated after an error of the network or the server.
    seconds: float = Field(600, gt=0, le=86400)  # Until an answer is complete, repetitions included.
    request: Json[dict[str, Any]] = Field("{}", validate_default=True)  # Further fields of each request.

    @classmethod
    def from_environment(cls) -> Settings:
        """The settings given; `ValueError` for one that cannot be read."""
        named = {name: f"BLACKJACKY_{name.upper()}" for name in cls.model_fields}
        return cls.model_validate({name: os.environ[each] for name, each in named.items() if each in os.environ})


class Call(BaseModel):
    """A line of the transcript."""

    of: tuple[str, str]  # Names of game and model.
    game: int = Field(ge=0)  # Number of the game in this file; a game ends with `LanguageModel.reset`.
    messages: Messages
    reply: str
    tokens: int = Field(ge=0)  # Of the messages and the reply.
    refused: str = ""  # Why the answer was not an action that could be taken; empty if it was.
    played: str = ""  # Name of the action taken after it; empty if the model was asked again.


def read_calls(path: Path) -> list[Call]:
    """The calls in a transcript (JSON Lines), up to a cut last line; `ValueError` for what is none."""
    lines = read_file(path, MAX_DATA).split(b"\n")[:-1] if path.exists() else []
    try:
        return [Call.model_validate_json(line) for line in lines]
    except ValueError as error:
        raise ValueError(f"{str(path)!r} is no transcript: {error}") from None


@cache  # agents of one process share it
def open_transcript(path: Path, game: str, model: str) -> tuple[list[Call], Waiting, FileLock]:
    """All calls, those that wait to be repeated by their messages, and the lock that keeps other processes away.

    Raises `Timeout` if another process has the file, `ValueError` if it is damaged or of another game or model.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path.with_name(f".{path.name}.lock"), blocking=False, thread_local=False)
    lock.acquire()
    calls, waiting = read_calls(path), Waiting(deque)
    for call in calls:
        if call.of != (game, model or call.of[1]):
            raise ValueError(f"{path} is of {call.of}, not of {(game, model)}: use another file")
        waiting[str(call.messages)].append(call)
    write_file(path, "".join(f"{call.model_dump_json()}\n" for call in calls))  # without a cut last line
    return calls, waiting, lock


@dataclass
class LanguageModel:
    """A language model as an agent, for one process at a time.

    Raises `AgentError` when the endpoint does not answer, the budget is spent, or the transcript cannot be used.
    """

    game: str = DEFAULT
    settings: Settings = field(default_factory=Settings.from_environment)

    def __post_init__(self) -> None:
        self.name = self.settings.model or "language model"
        self.path = Path(str(self.settings.transcript).replace("{game}", self.game))
        self._events: Any = None
        self.reset()

    def reset(self, seed: int | None = None) -> None:
        """Begin a game; the seed decides about random actions (None: a seed from the operating system)."""
        self._game, self._seed = 0, random.randrange(2**31) if seed is None else seed

    def hear(self, events: Any) -> None:
        """Be told what the seat has heard since the deal, before `act`."""
        self._events = events

    def act(self, observation: dict[str, Any]) -> int:
        """The action that the model chooses, or after too many illegal answers a random one."""
        seen, self._events = Seen.by_observation(self.game, observation, self._events), None
        rules = f"{rules_in_short(self.game, seen.options)}\n\n{HOW_TO_ANSWER}"
        messages = [{"role": "system", "content": rules}, {"role": "user", "content": situation(seen)}]
        for left in reversed(range(self.settings.tries)):
            call = self._call(messages, seen, is_last=left == 0)
            for action, words in seen.choices.items():
                if words == call.played:
                    return action
            again = f"{call.refused} Choose one of the legal actions. {HOW_TO_ANSWER}"
            reply = call.reply.strip() or "(no answer)"  # endpoints refuse empty messages
            messages = [*messages, {"role": "assistant", "content": reply}, {"role": "user", "content": again}]
        raise AgentError(f"{self.path} has a decision without an action: take another file")

    def _call(self, messages: Messages, seen: Seen, is_last: bool) -> Call:
        """The call with these messages, from the transcript if it has one."""
        try:
            calls, waiting, _ = open_transcript(self.path, self.game, self.settings.model)
        except (ValueError, Timeout) as error:
            raise AgentError(f"the transcript cannot be used: {error}") from None
        if recorded := waiting[str(messages)]:
            call = recorded.popleft()
        else:
            self._game = self._game or 1 + max((each.game for each in calls), default=0)
            call = self._ask(messages, calls)
            action, call.refused = self._understood(call.reply, seen)
            if action is None and is_last:
                action = random.Random(f"{self._seed} {messages}").choice([*seen.choices])
            call.played = "" if action is None else seen.choices[action]
            calls.append(call)
            with self.path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(f"{call.model_dump_json()}\n")
        self._game = call.game
        return call

    def _understood(self, reply: str, seen: Seen) -> tuple[int | None, str]:
        """The action that a reply names, None if it cannot be taken, and why not."""
        try:
            action = find_action(answer_in(reply), seen.choices, get_game(self.game).words.actions)
            refused = "" if action in seen.choices else why_not(imagine(self.game, seen.observation, seen.seat), action)
        except ValueError as error:
            refused = str(error)
        return (None, f"{refused.rstrip('.')}.") if refused else (action, "")

    def _ask(self, messages: Messages, before: list[Call]) -> Call:
        """Ask the endpoint, if the calls ``before`` have left enough."""
        settings = self.settings
        used = {"calls": len(before), "tokens": sum(each.tokens for each in before)}
        if not settings.model:
            raise AgentError(f"{self.path} has no answer to this, and BLACKJACKY_MODEL names no model to ask")
        for name, number in used.items():
            if number >= (budget := getattr(settings, name)):
                higher = f"With a higher BLACKJACKY_{name.upper()} the same command goes on from {self.path}"
                raise AgentError(f"the budget is spent: {name} {number:g} of {budget:g}. {higher}")
        key = os.environ.get("OPENAI_API_KEY") or "none"
        asked: Any = {"model": settings.model, "messages": messages, "extra_body": settings.request}
        asked["extra_headers"] = {"Accept-Encoding": "identity"}
        http = openai.DefaultHttpxClient(event_hooks={"response": [limit]})
        try:
            with openai.OpenAI(api_key=key, max_retries=settings.retries, http_client=http) as client:
                told = in_time(settings.seconds, lambda: client.chat.completions.create(**asked))
            reply = str(told.choices[0].message.content or "").encode(errors="replace").decode()
        except NO_ANSWER as error:
            said = without(key, str(error))
            raise AgentError(f"the endpoint gave no answer: {said:.500} What was answered before is kept.") from None
        tokens = getattr(told.usage, "total_tokens", None)
        if type(tokens) is not int or tokens < 0:  # it does not tell them: about four letters each
            tokens = (sum(len(each["content"]) for each in messages) + len(reply)) // 4
        return Call(
            of=(self.game, settings.model), game=self._game, messages=messages, reply=without(key, reply), tokens=tokens
        )


def limit(response: httpx2.Response) -> None:
    """Read the body of a response; `OpenAIError` if that is too large, could grow, or lies at another address."""
    if response.has_redirect_location or "content-encoding" in response.headers:
        raise openai.OpenAIError("it redirects to another address, or is compressed though that was not asked for.")
    body, stream = b"", response.stream
    for part in stream:  # type: ignore[union-attr]  # it is not asynchronous
        body += part
        if len(body) > MAX_ANSWER:
            raise openai.OpenAIError(f"it is larger than {MAX_ANSWER:,} bytes.")
    stream.close()
    response.stream = httpx2.ByteStream(body)


def in_time(seconds: float, function: Callable[[], Any]) -> Any:
    """What a function returns or raises; `TooSlow` after so many seconds, however slowly bytes come in."""
    pool = ThreadPool(1)
    result = pool.apply_async(function)
    pool.close()
    try:
        return result.get(seconds)
    except TooSlow:
        raise TooSlow(f"it was not complete after {seconds:g} s (BLACKJACKY_SECONDS).") from None


def without(key: str, text: str) -> str:
    """What an endpoint has said, without the key if it repeats it; a short key is a placeholder such as "none"."""
    return text.replace(key, "(the key)") if len(key) > 7 else text


def report(transcript: Path) -> str:
    """Decisions, calls, refused answers, random actions and tokens of each game, as a Markdown table."""
    rows, calls = [], read_calls(transcript)
    for number in dict.fromkeys(call.game for call in calls):
        own = [call for call in calls if call.game == number]
        decisions, refused = [call for call in own if call.played], [call for call in own if call.refused]
        at_random, tokens = sum(bool(call.refused) for call in decisions), sum(call.tokens for call in own)
        rows.append([number, len(decisions), len(own), len(refused), at_random, tokens])
    return markdown_table(["game", "decisions", "calls", "refused", "random", "tokens"], rows)


def main(game: str = DEFAULT) -> None:
    """Report the games in the transcript."""
    print(report(LanguageModel(game).path))


if __name__ == "__main__":
    tyro.cli(main)
