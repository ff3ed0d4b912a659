"""What language models are told: complete, true, nothing hidden; and which actions their answers mean."""

from functools import partial

import numpy as np
import pytest

from blackjacky_agents import make_agent
from blackjacky_agents.arena.fixture import LineupFixture
from blackjacky_agents.external.python_agent import PythonAgent
from blackjacky_agents.language import telling
from blackjacky_agents.language.answers import answer_in, find_action
from blackjacky_agents.language.telling import Seen, imagine, situation, told, told_now
from blackjacky_agents.wording import in_words, terminal_texts
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.games import get_game
from blackjacky_env.play.states import sample_state
from blackjacky_env.testing import check
from tests.agents.web.tables import SHORT, new_table, play_on
from tests.games.fixtures import promises_of
from tests.games.tables import positions
from tests.policies import Follower

TOLD = {"looks": {"told now": told_now, "told": told}, "spectator": False}

pytestmark = pytest.mark.usefixtures("tiny")


def short_game(game, seed=0):
    return positions(TableEnv(game.name, **SHORT.get(game.name, {})), seed)


def test_what_is_told_is_the_same_when_everything_hidden_changes(game):
    make_env = partial(TableEnv, game.name, **SHORT.get(game.name, {}))
    check("no_leaks", make_env, positions=40, **promises_of(game.name) | TOLD)


def test_what_is_drawn_for_a_seat_that_has_heard_nothing_is_not_told(game, monkeypatch):
    seen = []
    for env in short_game(game):
        observation = env.observe(env.agent_selection)
        if observation["action_mask"].any():
            seen.append((observation, situation(Seen.by_observation(game.name, observation, None))))
    rng = np.random.default_rng(99)
    monkeypatch.setattr(telling, "sample_state", lambda game, vector, _, seat: sample_state(game, vector, rng, seat))
    for observation, text in seen[:: len(seen) // 20 + 1]:
        assert situation(Seen.by_observation(game.name, observation, None)) == text


def test_what_a_seat_has_heard_makes_up_its_view(game):
    for number, env in enumerate(short_game(game, seed=1)):
        if number % 5 == 0 or env.terminations[env.agents[0]]:
            for agent in env.possible_agents:
                assert Seen.of(env, agent).view == env.view(agent)


def test_the_story_is_that_of_the_table_in_the_browser(game):
    table = new_table(game.name, people=1, players=game.default_players, seed=3)

    def compare(table):
        story = telling.story(Seen.of(table.env, "player_0", names), texts)
        sentences = [in_words(each["phrase"], texts, names) for each in table.story(0)]
        both = min(len(story), len(sentences))
        assert story[len(story) - both :] == sentences[len(sentences) - both :]
        lengths.append(both)

    names, texts, lengths = [each.name for each in table.seats], terminal_texts(game.name), []
    play_on(table, np.random.default_rng(0), moves=40, watch=compare)
    assert max(lengths) > 1


def test_every_legal_action_is_listed_and_found_by_number_words_line_and_name(game):
    actions = game.words.actions
    for env in short_game(game):
        seen = Seen.of(env, env.agent_selection, [f"Player {seat}" for seat in range(env.num_players)])
        text = situation(seen)
        legal = np.flatnonzero(seen.observation["action_mask"]).tolist()
        assert [*seen.choices] == legal
        for number, action in enumerate(legal, 1):
            line = f"{number}. {seen.choices[action]}"
            assert f"\n{line}" in text
            words, name = seen.choices[action], actions.name(action)
            for answer in (str(number), words, words.upper(), name, line, f"{line} (why not)", f"{number}. anything"):
                if not answer.isdigit() or answer == str(number):
                    assert find_action(answer, seen.choices, actions) == action
        if len(env._past.actions) > 60:
            return


def test_an_answer_is_what_a_reply_ends_with_which_names_an_action_or_is_refused_with_the_reason():
    for reply, answer in (
        ("I think.\nAnswer: `knock`.\n", "knock"),
        ("ANSWER: 1\nNo, wait.\n**ANSWER:** 2", "2"),
        ('<answer> is hard\n"draw"', "draw"),
        ("The answer = 4", "4"),
        (" \n*\n", ""),
    ):
        assert answer_in(reply) == answer
    actions = get_game("black_jacky").words.actions
    names = ("draw", "swap 5 with the draw pile", "swap 5 with the discard pile")
    choices = {actions.parse(name): name for name in names}
    for answer, said in (
        ("0", "There is no choice 0; the numbers are 1 .. 3"),
        ("swap 5", "ambiguous: it could be swap 5 with the draw pile; swap 5 with the discard pile"),
        ("", "no action is called ''"),
        ("\u00b2", "no action is called"),
        ("7. swap 5", "There is no choice 7"),
    ):
        with pytest.raises(ValueError, match=said):
            find_action(answer, choices, actions)
    for answer in ("Knock", "1. knock"):  # the words count
        assert find_action(answer, choices, actions) == actions.parse("knock")


class Attentive(Follower):
    """Takes the first legal action, and checks that it has heard of the game that it is asked about."""

    asked = 0

    def hear(self, events):
        self.events = events

    def act(self, observation):
        self.asked += 1
        seen = Seen.by_observation(self.game, observation, self.events)
        shown = imagine(self.game, observation, seen.seat).view(f"player_{seen.seat}")
        assert all(seen.view[name] == shown[name] for name in ("phase", "player", "hands"))
        del self.events
        return super().act(observation)


def test_agents_hear_in_tournaments_of_the_game_that_they_are_asked_about_and_play_the_same_games():
    rows, inner = [], Attentive(game="black_jacky")
    for each in (inner, Follower(game="black_jacky")):
        agents = (PythonAgent(each, "first", "black_jacky"), make_agent("counter"))
        options = get_game("black_jacky").check_options(3, "classic", {})
        fixture = LineupFixture("black_jacky", "classic", 3, options, agents, 1, ((0, 1, 1),), duplicate=True)
        rows.append(fixture.play(0, 6))
    assert inner.asked > 6
    assert rows[0].actions.tolist() == rows[1].actions.tolist()
