"""What a refactoring must leave as it is: one game of every table as a readable log, and hashes of all that is seen."""

import json

import pytest

from blackjacky_env.games import GAMES, get_game
from scripts.proofs.golden import FOLDER, fingerprints, path_of, playthrough, tables

PLAYED = [
    pytest.param(game, *table, marks=[] if table[1] == get_game(game).default_players else pytest.mark.prove)
    for game in GAMES
    for table in tables(game)
]
CHANGED = "If it has to change, run python -m scripts.proofs.golden and give the reason in the commit."


@pytest.mark.parametrize(("game", "variant", "players"), PLAYED)
def test_a_game_is_played_as_written(game, variant, players):
    written = (FOLDER / path_of(game, variant, players)).read_text(encoding="utf-8").splitlines()
    played = [*playthrough(game, variant, players)]
    differ = [pair for pair in zip(written, played, strict=False) if pair[0] != pair[1]]
    assert (differ[:5], len(played)) == ([], len(written)), CHANGED


@pytest.mark.prove
@pytest.mark.parametrize(("game", "name"), [(game, name) for game in GAMES for name in fingerprints(game)])
def test_no_fingerprint_has_changed(game, name):
    assert fingerprints(game)[name]() == written(game)[name], CHANGED


@pytest.mark.parametrize("game", GAMES)
def test_every_agent_and_every_table_is_written_down_and_nothing_else(game):
    assert [*written(game)] == [*fingerprints(game)]
    files = {path.relative_to(FOLDER).as_posix() for path in (FOLDER / game / "playthroughs").iterdir()}
    assert files == {path_of(game, *table) for table in tables(game)}


def written(game):
    return json.loads((FOLDER / game / "fingerprints.json").read_text(encoding="utf-8"))
