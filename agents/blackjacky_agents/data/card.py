"""The data card of a dataset: how its games were made, what for, columns, checksums, licence."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping
from typing import Any

from blackjacky_agents.data.description import GAMES, Description
from blackjacky_agents.data.schema import decisions_schema, describe, games_schema
from blackjacky_agents.reports import markdown_table

_CARD = """\
---
license: {licence_tag}
task_categories: [reinforcement-learning]
tags: [offline-reinforcement-learning, multi-agent, imitation-learning, card-game]
configs: [{{config_name: default, data_files: games/*.parquet}}]
---

# Games of {title}

{games:,} games with {decisions:,} decisions between {players}, as Parquet files.{missing}

**What for.** Imitation, offline reinforcement learning, models of opponents and of beliefs, statistics of play.
Every game is whole, every seat is in it, and every decision comes with the mask of its legal actions. The players are
programs: the games tell nothing about people, and no more about good play than their players know.

**How made.**

```
{command}
```

{setup}

{agents}

Cards and seats of game i depend on the seed and on i alone, and policies rotate through the seats: with the same
versions, the command writes the same games. Before a file was written, all its games were played again from their
moves.

## Games, as stored

{stored}

Nothing else is needed to play them again.

## Decisions, as read

`blackjacky_agents.data.Dataset` plays the games again with the compiled rules, refuses those that cannot be played, and
yields

{expanded}

```python
from blackjacky_agents.data import Dataset

dataset = Dataset(".")
for batch in dataset.batches(1024, seed=0):  # shuffled, as NumPy arrays
    batch["observation"], batch["action_mask"], batch["action"]
```

Needed: `pip install 'blackjacky[data]=={blackjacky}'`.

## Files

{files}

`blackjacky dataset --verify --out .` compares the checksums and plays all games again.

## Licence

{licence}
"""


def data_card(description: Description) -> str:
    """The card, in Markdown, with the metadata block that the Hugging Face Hub reads."""
    game, setup = description.game, description.setup
    shards, counted = description.shards, Counter(description.players)
    missing = description.wanted - description.games
    return _CARD.format(
        licence_tag=description.licence.lower(),
        title=game.title,
        games=description.games,
        decisions=description.decisions,
        players=", ".join(f"{count} x `{name}`" if count > 1 else f"`{name}`" for name, count in counted.items()),
        missing=f" {missing:,} more are still to be played." if missing else "",
        command=description.command,
        setup=_setup(setup),
        agents=markdown_table(["policy", "what determines it"], map(_agent, setup["agents"])),
        stored=_columns(games_schema(setup["num_players"])),
        expanded=_columns(decisions_schema(game, setup["num_players"])),
        blackjacky=setup["versions"]["blackjacky"],
        files=markdown_table(
            ["file", "games", "decisions", "bytes", "SHA-256"],
            (
                [f"{GAMES}/{s.file}", f"{s.games:,}", f"{s.decisions:,}", f"{s.bytes:,}", f"`{s.sha256}`"]
                for s in shards
            ),
        ),
        licence=description.licence,
    )


def _setup(setup: Mapping[str, Any]) -> str:
    options = {"num_players": setup["num_players"], "variant": setup["variant"], **setup["options"]}
    rows = [
        ["game", f"{setup['game']}-v{setup['version']}, rules `{setup['rules']}`"],
        ["options", ", ".join(f"{name} {shlex.quote(str(value))}" for name, value in options.items())],
        ["seed", setup["seed"]],
        ["versions", ", ".join(f"{name} {number}" for name, number in setup["versions"].items())],
    ]
    return markdown_table(["", ""], rows)


def _agent(agent: Mapping[str, str]) -> list[str]:
    facts = [f"{name} `{value}`" for name, value in agent.items() if name != "name"]
    return [f"`{agent['name']}`", ", ".join(facts)]


def _columns(schema: Any) -> str:
    return markdown_table(
        ["column", "type", "meaning"], ([f"`{n}`", f"`{kind}`", text] for n, kind, text in describe(schema))
    )
