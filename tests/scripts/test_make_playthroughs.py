"""scripts/proofs/make_playthroughs.py: golden games, in which a change of behaviour shows as a readable difference."""

import shutil
import subprocess
import sys
from pathlib import Path

from blackjacky_env.games import GAMES, get_game

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "games"


def check(*args):
    command = [sys.executable, str(ROOT / "scripts" / "proofs" / "make_playthroughs.py"), "--check", *map(str, args)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


def test_all_games_are_played_as_written():
    done = check()
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_variant_and_table_size_of_every_game_is_there():
    for game in map(get_game, GAMES):
        there = {path.name for path in (FOLDER / game.name / "playthroughs").iterdir()}
        assert there == {f"{variant.name}_{players}p.txt" for variant in game.variants for players in variant.sizes}


def test_what_happens_otherwise_than_written_is_shown(tmp_path):
    for game in GAMES:
        shutil.copytree(FOLDER / game / "playthroughs", tmp_path / game / "playthroughs")
    changed, missing, *_ = sorted((tmp_path / "black_jacky" / "playthroughs").iterdir())
    text = changed.read_text(encoding="utf-8")
    changed.write_text(text.replace("settlement, losers: [", "settlement, losers: [5", 1), encoding="utf-8")
    missing.unlink()
    done = check("--folder", tmp_path)
    assert done.returncode != 0
    assert "-settlement, losers: [5" in done.stdout
    assert "+settlement, losers: [" in done.stdout
    names = [f"black_jacky/playthroughs/{path.name}" for path in (changed, missing)]
    assert f"{', '.join(names)} out of date" in done.stderr
    assert not missing.exists()
