"""Datasets: what is written, that a kill loses nothing, what is read from them, and that nothing in them is trusted."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from blackjacky_agents import make_agent
from blackjacky_agents.arena import workers
from blackjacky_agents.arena.fixture import LineupFixture
from blackjacky_agents.data import Dataset, to_minari, writing
from blackjacky_agents.data.loading import NAME
from blackjacky_agents.data.writing import Writer, write_games
from blackjacky_agents.storage.files import FolderInUseError, only_writer
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import DEFAULT

PLAYERS = ("threshold", "random", "random")
GAMES, SHARD, GROUP = 100, 40, 16


def table_of(players=PLAYERS, game=DEFAULT, seed=3, **options):
    env = TableEnv(game, len(players), **options)
    names = list(dict.fromkeys(players))
    cast = tuple(make_agent(name, game) for name in names)
    lineup = tuple(names.index(name) for name in players)
    return LineupFixture(game, env.variant, env.num_players, env.options, cast, seed, (lineup,), False)


def writer_of(folder, table=None):
    return Writer(folder, table or table_of(), "blackjacky dataset", "CC0-1.0", SHARD)


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("[!.]*") if path.is_file()}


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(writing, "_ROWS", GROUP)
    monkeypatch.setattr(workers, "_MAX_JOB", 7)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A dataset of three files, the last one shorter."""
    folder = tmp_path_factory.mktemp("written") / "data"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "_ROWS", GROUP)
        writer_of(folder).write(GAMES, threads=1)
    return folder


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def copied(written, tmp_path):
    return Path(shutil.copytree(written, tmp_path / "copied"))


def played_in(folder):
    return pq.read_table(folder / "games").to_pylist()


def rows_of(dataset, **options):
    return [row for batch in dataset.record_batches(**options) for row in batch.to_pylist()]


def test_rows_are_what_the_environment_shows_and_pays(game, folder):
    players = ("random",) * game.default_players
    writer_of(folder, table_of(players, game.name)).write(5, threads=1)
    dataset, env = Dataset(folder), TableEnv(game.name)
    rows = rows_of(dataset, reward="win")
    assert [row["episode"] for row in rows] == sorted(row["episode"] for row in rows)
    for row in rows:
        if row["step"] == 0:
            env.reset(seed=row["seed"])
        agent = env.agent_selection
        seen = env.observe(agent)
        assert (agent, row["policy"]) == (f"player_{row['seat']}", "random")
        assert row["observation"] == seen["observation"].tolist()
        assert row["action_mask"] == seen["action_mask"].tolist()
        env.step(row["action"])
        assert row["reward"] == pytest.approx(list(env.rewards.values()))
        assert row["terminated"] == all(env.terminations.values())
        assert json.loads(row["options"]) == {"num_players": env.num_players, "variant": env.variant, **env.options}
        assert (row["game"], row["version"]) == (game.name, game.version)
    assert len(rows) == dataset.decisions
    assert sum(row["terminated"] for row in rows) == len(dataset) == 5


@pytest.mark.parametrize(("games", "threads"), [(1, 1), (SHARD, 2), (55, 1)])
def test_an_interrupted_dataset_goes_on_after_its_whole_files_and_is_the_same(written, folder, games, threads):
    def stop(played):
        if played >= games:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        writer_of(folder).write(GAMES, threads=1, progress=stop)
    kept = len(Dataset(folder))
    assert kept == (SHARD if games == 55 else 0), "what is unfinished can be read"
    (folder / "games").mkdir(exist_ok=True)
    (folder / "games" / "left by a kill").touch()
    found = []
    writer_of(folder).write(GAMES, threads=threads, progress=found.append)
    assert found[0] == kept
    assert found == sorted(found)
    assert files_of(folder) == files_of(written)


def test_more_games_are_added_and_files_that_are_whole_stay(written, folder):
    writer_of(folder).write(50, threads=1)
    before = files_of(folder)
    assert [shard.games for shard in Dataset(folder).description.shards] == [SHARD, 10]
    writer_of(folder).write(GAMES, threads=1)
    assert files_of(folder) == files_of(written)
    assert before.keys() - files_of(written).keys() == {"games-000000040-000000049.parquet"}


def test_nothing_is_written_to_folders_of_other_games_files_or_processes(copied, folder):
    def refused(said, place=copied, games=GAMES + 50, **change):
        before = files_of(place)
        with pytest.raises(ValueError, match=said):
            writer_of(place, table_of(**change)).write(games)
        assert files_of(place) == before

    refused("holds games with seed=3, not seed=4", seed=4)
    refused("holds games with num_players=3, not num_players=2", players=("random", "threshold"))
    refused(r"holds games with options=\{.*'hearts': 3.*, not options=\{.*'hearts': 1", hearts=1)
    refused(r"holds 100 games, more than 99: use another place", games=99)
    folder.mkdir()
    (folder / "README.md").write_text("mine", encoding="utf-8")
    refused(r"holds other files, such as README\.md", folder)
    with only_writer(copied), pytest.raises(FolderInUseError, match="is being written by"):
        writer_of(copied).write(GAMES)


def batches(dataset, **options):
    found = list(dataset.batches(64, **{"buffer": 2000, **options}))
    assert {len(batch["action"]) for batch in found[:-1]} == {64}
    return {name: np.concatenate([batch[name] for batch in found]) for name in found[0]}


def keys(every):
    return list(zip(every["episode"].tolist(), every["step"].tolist(), strict=True))


def test_batches_hold_every_decision_once_as_the_rows_do_and_parts_and_policies_share_them(written):
    dataset = Dataset(written)
    every = batches(dataset)
    rows = {(row["episode"], row["step"]): row for row in rows_of(dataset)}
    assert sorted(keys(every)) == sorted(rows)
    for number, key in enumerate(keys(every)):
        row = rows[key]
        assert every["observation"][number].tolist() == row["observation"]
        assert every["action_mask"][number].tolist() == row["action_mask"]
        assert (every["action"][number], every["seat"][number]) == (row["action"], row["seat"])
        assert dataset.setup.policies[every["policy"][number]] == row["policy"]
    dataset = Dataset(written)
    for options in ([{"part": (number, 3)} for number in range(3)], [{"policies": [name]} for name in PLAYERS[:2]]):
        parts = [keys(batches(dataset, **each)) for each in options]
        assert all(parts)
        assert sorted(key for part in parts for key in part) == sorted(keys(batches(dataset)))


def test_the_same_seed_gives_the_same_batches_whatever_the_threads_and_another_one_others(written):
    first = keys(batches(Dataset(written), seed=5))
    assert keys(batches(Dataset(written), seed=5, threads=2)) == first
    for seed in (6, (5, 1), (5, 2)):
        other = keys(batches(Dataset(written), seed=seed))
        assert other != first
        assert sorted(other) == sorted(first)


def test_a_transition_goes_to_the_same_seats_next_decision_with_what_it_earned(written):
    dataset = Dataset(written)
    reward = dataset.setup.game.score_reward
    every = batches(dataset, transitions=True, reward=reward)
    rows = rows_of(dataset, reward=reward)
    place = {(row["episode"], row["step"]): number for number, row in enumerate(rows)}
    for number, key in enumerate(keys(every)):
        now = place[key]
        later = now + 1
        while later < len(rows) and rows[later]["episode"] == key[0] and rows[later]["seat"] != rows[now]["seat"]:
            later += 1
        is_last = later == len(rows) or rows[later]["episode"] != key[0]
        assert every["terminated"][number] == is_last
        assert every["reward"][number] == sum(row["reward"][rows[now]["seat"]] for row in rows[now:later])
        shown = rows[now if is_last else later]
        assert every["next_observation"][number].tolist() == shown["observation"]
        assert every["next_action_mask"][number].tolist() == shown["action_mask"]
    assert every["reward"].any()


def test_wrong_arguments_are_named(written):
    wrong = [{"buffer": 0}, {"part": (2, 2)}, {"policies": ["champion"]}, {"reward": "gold"}]
    for options in wrong:
        with pytest.raises(ValueError, match=rf"^{next(iter(options))}(=.* is | has )"):
            list(Dataset(written).batches(8, **options))


WITHOUT_AUTHOR = pytest.mark.filterwarnings("ignore::UserWarning")  # Minari wants one, and a permalink


@pytest.fixture
def minari(tmp_path, monkeypatch):
    found = pytest.importorskip("minari", reason="of the extra `minari`")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    return found


def of_one_seat(env, game, seat):
    """A game as PettingZoo's loop shows it to one seat: what it saw, did and earned."""
    env.reset(seed=game["seed"])
    agent = env.possible_agents[seat]
    seen, actions, rewards = [], [], []
    for action in game["actions"]:
        if env.agent_selection == agent:
            observation, reward, *_ = env.last()
            seen.append(observation)
            actions.append(action)
            rewards.append(reward)
        env.step(action)
    return [*seen, env.observe(agent)], actions, [*rewards[1:], env._cumulative_rewards[agent]]


@WITHOUT_AUTHOR
def test_minari_gets_what_each_seat_of_a_policy_saw_and_earned(written, minari):
    made = to_minari(Dataset(written), "blackjacky/random-v0", "random")
    episodes = [*minari.load_dataset("blackjacky/random-v0").iterate_episodes()]
    env, games = TableEnv(DEFAULT, 3), played_in(written)
    policies = [(game, seat, name) for game in games for seat, name in enumerate(game["policies"])]
    expected = [of_one_seat(env, game, seat) for game, seat, name in policies if name == "random"]
    expected = [each for each in expected if each[1]]
    assert len(episodes) == made.total_episodes == len(expected) > GAMES
    assert made.recover_environment().observation_space == made.observation_space
    for episode, (seen, actions, rewards) in zip(episodes, expected, strict=True):
        assert episode.actions.tolist() == actions
        assert episode.rewards.tolist() == pytest.approx(rewards)
        for name in ("observation", "action_mask"):
            assert episode.observations[name].tolist() == [each[name].tolist() for each in seen]
        assert episode.terminations.tolist() == [False] * (len(episode) - 1) + [True]
        assert not episode.truncations.any()


def describe_again(folder):
    """Put the checksums into the description, as strangers would."""
    description = json.loads((folder / NAME).read_text(encoding="utf-8"))
    for shard in description["shards"]:
        content = (folder / "games" / shard["file"]).read_bytes()
        shard.update(bytes=len(content), sha256=writing.sha256(content).hexdigest())
    (folder / NAME).write_text(json.dumps(description), encoding="utf-8")


def with_first(name, change):
    def changed(table):
        first, *others = table[name].to_pylist()
        values = pa.array([change(first), *others], table.schema.field(name).type)
        return table.set_column(table.schema.get_field_index(name), table.schema.field(name), values)

    return changed


CHANGES = {
    "a move": (with_first("actions", lambda moves: [*moves[:-1], 60]), r"game 40: move \d+ \(60\) cannot"),
    "no moves": (with_first("actions", lambda moves: []), "game 40: it is not over after its 0 moves"),
    "a winner": (with_first("winners", lambda won: won[::-1]), "game 40 ends differently than stored"),
    "a seed": (with_first("seed", lambda seed: seed + 1), "game 40"),
    "a policy": (with_first("policies", lambda names: ["you", *names[1:]]), "it has other policies than"),
    "another game": (with_first("game", lambda name: "chess"), "game is 'chess', not 'black_jacky'"),
    "other options": (with_first("options", lambda text: "{}"), r"options is '\{\}', not"),
    "another order": (lambda table: table.take(list(reversed(range(len(table))))), "are not in order"),
    "fewer columns": (lambda table: table.drop_columns(["seed"]), "seed has nulls"),
    "fewer games": (lambda table: table.slice(0, 5), "has other numbers of games and decisions than its description"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_changed_file_is_refused_even_with_its_own_checksum_and_no_decision_of_it_is_shown(copied, what):
    change, said = CHANGES[what]
    path = sorted(copied.glob("*/*.parquet"))[1]
    write_games(change(pq.read_table(path)), path, GROUP)
    describe_again(copied)
    refused(copied, said, by_all=what not in ("another order", "fewer games"))  # each of whose games is right


def refused(folder, said, by_all=True):
    dataset = Dataset(folder)
    for read in (dataset.verify, dataset.record_batches, lambda: dataset.batches(64))[: 3 if by_all else 1]:
        with pytest.raises(ValueError, match=said):
            list(read())


def test_files_that_were_swapped_are_refused_by_all_readers(copied):
    one, other, _ = sorted(copied.glob("*/*.parquet"))
    one.rename(copied / "one")
    other.rename(one)
    (copied / "one").rename(other)
    describe_again(copied)
    refused(copied, "it has games of another file")


def test_a_file_of_another_size_checksum_or_kind_is_refused(copied):
    path = min(copied.glob("*/*.parquet"))
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    refused(copied, f"{path.name} was changed: its SHA-256 is", by_all=False)
    os.truncate(path, 2**40)
    refused(copied, f"{path.name} was changed: it has 1,099,511,627,776 bytes, not")
    for make in (os.mkfifo, lambda path: path.symlink_to("/dev/zero")):
        path.unlink()
        make(path)
        refused(copied, f"{path.name} was changed: it has 0 bytes, not")
    path.unlink()
    path.write_bytes(b"PAR1")
    describe_again(copied)
    with pytest.raises(ValueError, match=f"{path.name} is no Parquet file of games, or damaged"):
        list(Dataset(copied).batches(64))


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        ("format", 1, "format: Input should be 2"),
        ("setup.game", "chess", "unknown game 'chess'"),
        ("setup.options.hearts", 99, "hearts=99 is out of range"),
        ("setup.num_players", 4, "3 policies do not play at a table of 4"),
        ("shards.0.file", "../x.parquet", "shard 0 is not named games-0000000"),
        ("shards.0.games", -1, "shards.0.games: Input should be greater than or equal to 1"),
        ("shards.0.bytes", 2**40, "shards.0.bytes: Input should be less than or equal to 4294967296"),
        ("setup.versions", {}, "KeyError.*blackjacky"),
        ("setup.versions.blackjacky", "1 --index-url http://elsewhere", "which version of blackjacky has made it"),
    ],
)
def test_a_wrong_description_is_refused(copied, place, value, said):
    found = description = json.loads((copied / NAME).read_text(encoding="utf-8"))
    *parents, last = place.split(".")
    for parent in parents:
        found = found[int(parent) if parent.isdigit() else parent]
    found[last] = value
    (copied / NAME).write_text(json.dumps(description), encoding="utf-8")
    with pytest.raises(ValueError, match=said):
        Dataset(copied)
