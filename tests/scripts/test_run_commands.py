"""The commands of the pages: which there are, and that quick ones run as typed, in an empty folder."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
import run_commands

ROOT = Path(__file__).parents[2]
QUICK = (
    "blackjacky play --opponents 'champion*3'",
    "blackjacky play --game schwarze_katze --opponents 'counter*3' --seat 2 --save game.json",
    "blackjacky watch --record game.json --out game.html",
)
"""Commands that end by themselves within seconds, and need nothing but what those before them have written."""
PAGE = """
Say `blackjacky play --web`, `blackjacky train` with nothing else, or `blackjacky score AGENT`.

```python
print("blackjacky play --no command")
```

```
blackjacky train --preset quick     # five minutes
python -m pip install .
```

```console
head$  blackjacky tournament --games 40 \\
           --output runs/NAME
$ blackjacky evaluate --players "cmd:perl a.pl"
```

In the end `blackjacky play --save` and `blackjacky play --web` again.
"""


def test_commands_are_what_readers_type_without_prompts_and_comments() -> None:
    assert run_commands.commands(PAGE) == [
        "blackjacky play --web",
        "blackjacky train --preset quick",
        "blackjacky tournament --games 40 --output runs/NAME",
        'blackjacky evaluate --players "cmd:perl a.pl"',
    ]


def test_every_page_with_commands_is_gone_through() -> None:
    pages = {
        path.relative_to(ROOT).as_posix(): path
        for folder in ("docs", "agents")
        for path in (ROOT / folder).rglob("*.md")
    }
    pages |= {
        name: ROOT / name
        for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "blackjacky_env/testing/README.md")
    }
    results = ("docs/results.md", "docs/release.md")  # how results were made, hours ago, by scripts
    missing = [name for name, path in pages.items() if run_commands.commands(path.read_text("utf-8"))]
    assert set(missing) - set(results) == set(run_commands.PAGES)


@pytest.mark.slow
def test_quick_commands_run_as_the_pages_have_them(tmp_path: Path) -> None:
    typed = [each for page in run_commands.PAGES for each in run_commands.commands((ROOT / page).read_text("utf-8"))]
    for command in QUICK:
        assert command in typed
        ran = run_commands.run("", command, tmp_path, seconds=3600)
        assert ran.passed, f"{command}: {ran}"
    assert (tmp_path / "game.html").stat().st_size > 10_000


@pytest.mark.slow
@pytest.mark.skipif(find_spec("openai") is None or find_spec("mcp") is None, reason="needs the extras `llm` and `mcp`")
def test_the_page_on_language_models_can_be_typed_from_top_to_bottom(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    typed = run_commands.commands((ROOT / "docs" / "language_models.md").read_text("utf-8"))
    assert sum("language_model" in command for command in typed) > 3
    with run_commands.language_model():
        for command in typed:
            if "stand_in" not in command:  # whose port may be in use
                ran = run_commands.run("", command.replace("--web", "--web --port 0"), tmp_path, seconds=3600)
                assert ran.passed, f"{command}: {ran}"
    assert len(list((tmp_path / "runs" / "language_model").glob("*.jsonl"))) == 2


def test_the_code_of_an_example_can_be_printed_and_an_unknown_game_is_refused_in_a_sentence(tmp_path: Path) -> None:
    run_commands.prepare(tmp_path)
    command = "python -m blackjacky_env.games"
    assert run_commands.run("", f"{command} kuhn_poker", tmp_path, seconds=3600).passed
    refused = run_commands.run("", f"{command} nix", tmp_path, seconds=3600)
    assert refused.status == 2
    assert refused.output.startswith("error: unknown game 'nix'")


@pytest.mark.parametrize(
    ("status", "interrupted", "said", "passed"),
    [
        (0, False, "", True),
        (2, False, "", False),
        (130, True, "", True),
        (130, False, "", False),
        (0, False, "Traceback", False),
    ],
)
def test_a_command_passes_if_it_ends_well_or_is_interrupted_without_a_traceback(
    status: int, interrupted: bool, said: str, passed: bool
) -> None:
    assert run_commands.Ran("page", "command", status, interrupted, said).passed is passed
