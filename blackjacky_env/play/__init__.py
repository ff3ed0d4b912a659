"""Playing games: the step protocol, single games, batches, playouts, states, and what seats recall."""

from blackjacky_env.play.expanding import Decisions, expand_games, new_decisions
from blackjacky_env.play.heard import Event
from blackjacky_env.play.learner_games import LEARNER, NO_AGENT, Encoder, make_begin_for_learner
from blackjacky_env.play.many_games import batch_functions
from blackjacky_env.play.one_game import game_functions
from blackjacky_env.play.playouts import FailedGames, make_answer, make_choose, play_out, raise_illegal, score_all
from blackjacky_env.play.recall import Ear, Keys, absorb, make_listen, make_phase, new_ear
from blackjacky_env.play.shuffling import (
    DEPTH,
    KINDS,
    SIZE,
    Deck,
    Dice,
    Orders,
    advance,
    decide_next,
    gather,
    lay_deck,
    make_deck,
    new_orders,
)
from blackjacky_env.play.states import (
    check_arrays,
    check_entries,
    identity,
    make_find_invalid,
    own_arrays,
    sample_record,
    sample_state,
    unpack,
)
from blackjacky_env.play.step import (
    DRAWN,
    NONE,
    OVER,
    SETTLED,
    STUCK,
    checked,
    is_running,
    make_begin,
    make_lead,
    make_look,
    make_shared_step,
    make_step,
    only_legal,
)
