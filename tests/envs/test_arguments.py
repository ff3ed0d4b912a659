"""Options of all environments: what is wrong is told by name with what is allowed, unknown ones in Python's wording."""

import math
import pickle

import gymnasium
import numpy as np
import pytest

from blackjacky_agents import CompiledAgent
from blackjacky_env import IllegalActionError, make_batch, playout
from blackjacky_env.envs.aec import TableEnv
from blackjacky_env.envs.seat import SeatEnv
from blackjacky_env.envs.vector import SeatVectorEnv
from blackjacky_env.games import DEFAULT
from tests.envs.playing import fresh
from tests.every_game import TINY
from tests.policies import Follower, first_legal

TABLE, SEAT, SEATS, BATCH, PLAYOUT = "table", "seat", "seats", "batch", "playout"
MAKE = {
    TABLE: lambda game=DEFAULT, **options: TableEnv(game, **options),
    SEAT: lambda game=DEFAULT, **options: SeatEnv(game, **options),
    SEATS: lambda game=DEFAULT, num_envs=4, **options: SeatVectorEnv(game, num_envs, **options),
    BATCH: lambda game=DEFAULT, num_games=4, **options: make_batch(game, num_games, **options),
    PLAYOUT: lambda **options: playout(**{"states": fresh().get_state(), "policies": "random", "games": 2, **options}),
}
ALL, MANY, SHOWN = (TABLE, SEAT, SEATS, BATCH), (SEATS, BATCH), (TABLE, SEAT, SEATS)
SIZES = "2 .. 3 \\('classic'\\), 2 \\('duel'\\)"
BYTES = r"allowed is a state of get_state\(\) or sample_state\(\)"
NOT_COMPILED = "is not compiled, .* allowed are compiled agents by name .*'threshold'"
OF_ANOTHER_GAME = "plays black_spy, this environment is black_jacky"
REFUSED = [
    (ALL, {"num_players": 7}, ValueError, r"num_players=7 is out of range; allowed are 2 \.\. 6"),
    (ALL, {"variant": "duel"}, ValueError, "variant='duel' is unknown; allowed are 'classic', 'schnell_duell'"),
    (ALL, {"reward": "points"}, ValueError, "reward='points' is unknown; allowed are 'win', 'hearts'"),
    (ALL, {"max_card": 9}, ValueError, r"max_card=9 is out of range; allowed are 2 \.\. 8"),
    (ALL, {"maximum": 9}, TypeError, "got an unexpected keyword argument 'maximum': unknown option maximum=9"),
    (ALL, {"hand_size": 6, "num_players": 6}, ValueError, "hand_size=6 cannot be dealt .* is hand_size up to 5"),
    (ALL, {"max_card": 2, "num_players": 4}, ValueError, "allowed are fewer players or more cards"),
    (ALL, {"game": 7}, ValueError, "unknown game 7. Games are "),
    (MANY, {"num_players": [2, 1]}, ValueError, r"each of num_players=1 is out of range; allowed are 2 \.\. 6"),
    (MANY, {"num_players": []}, ValueError, r"num_players=\[\] is empty; allowed are"),
    (MANY, {"threads": 0}, ValueError, r"threads=0 is out of range; allowed are 1 \.\. 1024"),
    ((SEATS,), {"num_envs": 0}, ValueError, r"num_envs=0 is out of range; allowed are 1 \.\. "),
    ((BATCH,), {"num_games": 0}, ValueError, r"num_games=0 is out of range; allowed are 1 \.\. "),
    ((BATCH,), {"seed": -1}, ValueError, "seed=-1 is out of range"),
    ((BATCH,), {"backend": "tpu"}, ValueError, "backend='tpu' is unknown; allowed are 'cpu', 'cuda'"),
    ((BATCH,), {"gamma": 1.1, "per_seat": True}, ValueError, r"gamma=1.1 is out of range; allowed are 0 \.\. 1"),
    ((BATCH,), {"score_shaping": math.nan, "per_seat": True}, ValueError, "score_shaping=nan is out of range"),
    ((BATCH,), {"score_shaping": 0.1}, ValueError, "score_shaping=0.1 needs per_seat=True"),
    ((BATCH,), {"gamma": 0.9, "per_seat": True}, ValueError, "gamma=0.9 needs score_shaping"),
    ((BATCH,), {"per_seat": 1}, TypeError, "per_seat=1 is not a bool"),
    (SHOWN, {"observation_format": "box"}, ValueError, "observation_format='box' is .* allowed are 'flat', 'dict'"),
    ((TABLE,), {"render_mode": "gif"}, ValueError, "render_mode='gif'.*'ansi'"),
    ((TABLE,), {"render_as": "player_9"}, ValueError, "render_as='player_9'.*player_3"),
    (SHOWN, {"observation_dtype": "float16"}, ValueError, "observation_dtype='float16' .* 'integer', 'float32'"),
    (SHOWN, {"mask_dtype": bool}, ValueError, "mask_dtype=<class 'bool'> is unknown; allowed are 'int8', 'bool'"),
    ((SEAT, SEATS), {"seat": 4}, ValueError, r"seat=4 is out of range; allowed are 0 \.\. 3"),
    ((SEAT, SEATS), {"seat": "me"}, TypeError, "seat='me' is not an integer"),
    ((SEAT,), {"on_illegal": "warn"}, ValueError, "on_illegal='warn' is unknown; allowed are 'raise', 'lose'"),
    ((SEATS,), {"autoreset_mode": "no"}, ValueError, "autoreset_mode='no' .* 'NextStep', 'SameStep'"),
    ((SEATS,), {"score_weight": math.nan}, ValueError, "score_weight=nan is out of range"),
    ((SEATS,), {"score_weight": 5, "reward": "hearts"}, ValueError, "score_weight=5 needs reward='win'"),
    ((SEATS,), {"render_mode": "ansi"}, ValueError, "render_mode='ansi' needs .*'sync'; allowed here is None"),
    ((SEATS,), {"encoding": 5}, TypeError, "encoding=5 has no compiled function; allowed are None, or a function and"),
    ((BATCH,), {"copy": "x"}, TypeError, "copy='x' is not a bool; allowed are True and False"),
    ((SEAT,), {"render_as": "player_1"}, TypeError, "unexpected keyword argument 'render_as': it draws the learner's"),
    ((SEAT, SEATS), {"opponents": "random"}, TypeError, "opponents='random' is not a list; allowed is a list of names"),
    ((SEAT, SEATS), {"opponents": []}, ValueError, r"opponents=\[\] is empty; allowed is a list of names"),
    ((SEAT, SEATS), {"opponents": ["cuonter"]}, ValueError, "unknown opponent 'cuonter' for .* did you mean 'counter'"),
    ((SEAT,), {"opponents": [3]}, TypeError, "opponent 3 is neither a name nor an agent"),
    ((SEAT,), {"opponents": [Follower(game="black_spy")]}, ValueError, OF_ANOTHER_GAME),
    ((SEATS,), {"opponents": [CompiledAgent("first", "black_spy", first_legal)]}, ValueError, OF_ANOTHER_GAME),
    ((SEATS,), {"opponents": [Follower()]}, TypeError, NOT_COMPILED),
    ((SEATS,), {"opponents": [["random"], "random"]}, TypeError, NOT_COMPILED),
    (ALL, {"game": TINY, "num_players": 4}, ValueError, f"num_players=4 is out of range; allowed are {SIZES}"),
    (ALL, {"game": TINY, "num_players": 2.5}, TypeError, f"num_players=2.5 is not an integer; allowed are {SIZES}"),
    (ALL, {"game": TINY, "num_players": 3, "variant": "duel"}, ValueError, f"variant='duel'; allowed are {SIZES}"),
    (MANY, {"game": TINY, "num_players": [2, 3], "variant": "duel"}, ValueError, "each of num_players=3 is out of"),
    (ALL, {"table": "mini-0"}, ValueError, "table='mini-0' is unknown; allowed are 'mini-1', 'mini-2'"),
    (ALL, {"game": TINY, "table": "mini-1"}, ValueError, "table='mini-1' is unknown: tiny has no named tables"),
    (ALL, {"table": "mini-1", "num_players": 3}, ValueError, "num_players=3 contradicts table='mini-1', which .*=2"),
    (ALL, {"table": "mini-1", "bust_at": 9}, ValueError, "bust_at=9 contradicts table='mini-1', which has bust_at=5"),
    ((TABLE, BATCH), {"table": "mini-1", "deck": [2, 3, 3]}, ValueError, r"deck=.* contradicts table='mini-1'"),
    ((PLAYOUT,), {"states": []}, ValueError, rf"states=\[\] is empty; {BYTES}"),
    ((PLAYOUT,), {"states": "abc"}, TypeError, rf"states='abc' is not a list; {BYTES}"),
    ((PLAYOUT,), {"states": [b"", 3]}, ValueError, r"states\[0\]: these bytes are not a complete state"),
    ((PLAYOUT,), {"games": 0}, ValueError, r"games=0 is out of range; allowed are 1 \.\. "),
    ((PLAYOUT,), {"seed": -1}, ValueError, r"seed=-1 is out of range; allowed are 0 \.\. "),
    ((PLAYOUT,), {"policies": "cuonter"}, ValueError, "unknown opponent 'cuonter' for .* did you mean 'counter'"),
    ((PLAYOUT,), {"policies": Follower()}, TypeError, "is not compiled, .* allowed are compiled agents .*'ppo:PATH'"),
    ((PLAYOUT,), {"policies": ["random"] * 3}, ValueError, r"are 3 agents for the 4 players of states"),
    ((PLAYOUT,), {"policies": CompiledAgent("first", "black_spy", first_legal)}, ValueError, OF_ANOTHER_GAME),
]


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize(
    ("maker", "options", "error", "message"),
    [pytest.param(maker, *case, id=f"{maker}: {case[-1]}") for makers, *case in REFUSED for maker in makers],
)
def test_what_is_wrong_is_refused_by_name(maker, options, error, message):
    with pytest.raises(error, match=message):
        MAKE[maker](**options)


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("maker", ALL)
@pytest.mark.parametrize(
    ("options", "size", "variant"),
    [({}, 3, "classic"), ({"num_players": 2}, 2, "classic"), ({"variant": "duel"}, 2, "duel")],
    ids=str,
)
def test_size_and_variant_are_chosen_alike_everywhere(maker, options, size, variant):
    made = MAKE[maker](game=TINY, **options)
    made = getattr(made, "table", made)
    assert made.variant == variant
    sizes = made._states["num_players"] if maker == SEATS else made.num_players
    assert set(np.atleast_1d(sizes)) == {size}


@pytest.mark.usefixtures("tiny")
def test_mixed_sizes_get_the_first_variant_that_allows_all_and_gymnasiums_own_arguments_may_be_none():
    batch = make_batch(TINY, 4, num_players=[2, 3])
    assert (batch.num_players.tolist(), batch.variant) == ([2, 3, 2, 3], "classic")
    gymnasium.make_vec("blackjacky/BlackJackySeat-v0", num_envs=3, render_mode=None, max_episode_steps=None)


@pytest.mark.parametrize("maker", MANY)
@pytest.mark.parametrize(
    ("actions", "error", "message"),
    [
        *((wrong, ValueError, r"of shape .*; allowed is \(4,\)") for wrong in (np.zeros(3, int), [[0]] * 4, 0)),
        *((wrong, TypeError, "allowed are integers") for wrong in (np.zeros(4), np.zeros(4, bool), [None] * 4)),
        (np.full(4, 2**64 - 1, np.uint64), IllegalActionError, f"game 0: action {2**64 - 1} is out of range"),
    ],
)
def test_actions_of_another_shape_type_or_range_are_refused_alike(maker, actions, error, message):
    made = MAKE[maker]()
    made.reset()
    with pytest.raises(error, match=message):
        made.step(actions)


@pytest.mark.parametrize("maker", SHOWN)
def test_a_reset_refuses_impossible_seeds_and_changes_nothing_and_warns_of_options_that_it_ignores(maker):
    made = MAKE[maker]()
    made.reset(seed=2**63 - 1)
    before = pickle.dumps(made)
    for seed in (2**63, np.uint64(2**64 - 1), -1, [1] * 4):
        with pytest.raises((TypeError, ValueError), match=r"seed=.*is (out of range|not an integer)"):
            made.reset(seed=seed)
    assert pickle.dumps(made) == before
    with pytest.raises(TypeError, match="options=5 is not a mapping"):
        made.reset(options=5)
    with pytest.warns(UserWarning, match="reset option 'dealer' is ignored; allowed are"):
        made.reset(options={"dealer": 1})
