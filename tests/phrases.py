"""The stories of games, and what people are shown beside them: for tests that they tell all, and nothing secret."""

import numpy as np

from blackjacky_agents.games import get_kit
from blackjacky_agents.kit.narration import in_scene
from blackjacky_agents.wording import in_words, is_settled, known_move, page_texts, score_table, tell_move
from blackjacky_env.envs.aec import TableEnv

NAMES = ["Anna", "Bert", "Cleo", "Dora", "Emil", "Frida"]
SHOWN = set()


def tell(env, action, reader, beside=True):
    """Take an action, and return its phrases; ``beside``: note what is shown beside the story."""
    agent, name = None if reader is None else f"player_{reader}", env.game.name
    before = env.view(agent)
    env.step(action)
    after = env.view(agent)
    phrases = tell_move(env, before, after, action, reader)
    if beside:
        SHOWN.update(key for phrase in shown(env, before, after, action, reader) for key in keys_in(phrase))
    return [*phrases, *(get_kit(name).narrator.settlement(after) if is_settled(name, before, after) else [])]


def stories(game, options, seeds, reader):
    env = TableEnv(game, **options)
    for seed in seeds:
        rng = np.random.default_rng(seed)
        env.reset(seed=seed)
        while (mask := env.infos[env.agent_selection]["action_mask"]).any():
            yield from tell(env, int(rng.choice(np.flatnonzero(mask))), reader, beside=seed < 2)


def shown(env, before, after, action, reader):
    """The phrases of pauses, scores and the table in words after a move; arguments as those of `tell_move`."""
    kit, move = get_kit(env.game.name), known_move(env, before, after, action, reader)

    def table(view):
        return in_scene(env.game.scene(view, env.config_dict(), reader))

    phrases = [*table(before), *table(after)]
    if reader == before["player"] and (prompt := kit.narrator.prompt(before)) is not None:
        phrases.append(prompt)
    if (pause := kit.narrator.pause(move)) is not None:
        phrases += [pause.name, *pause.told, *table(pause.view)]
    if is_settled(env.game.name, before, after):
        columns, rows = score_table(env.game.name, move)
        phrases += [*columns, *(each for row in rows for each in [*row.cells, *row.why])]
    return phrases


def keys_in(phrase):
    if isinstance(phrase, list):
        return {key for each in phrase for key in keys_in(each)}
    if not isinstance(phrase, dict) or "values" not in phrase:
        return set()
    return {
        *([phrase["key"]] if "key" in phrase else []),
        *(key for value in phrase["values"].values() for key in keys_in(value)),
    }


def assert_every_sentence_occurs(game, tables, seeds, rigged=list):
    """Assert that the phrases of random and of rigged games are all that there are, each with all its values."""
    SHOWN.clear()
    told = (each for options in tables for reader in (None, 0) for each in stories(game, options, seeds, reader))
    phrases = [*rigged(), *told]
    keys = {key for phrase in phrases for key in keys_in(phrase)}
    assert keys | SHOWN | {"did", "behind", "behind_1"} == page_texts(game)["en"]["sentences"].keys()
    for texts in page_texts(game).values():
        assert all("{" not in in_words(phrase, texts, NAMES) for phrase in phrases)
