"""What a game is, as data: its record, actions, options, words and the declaration that holds them."""

from blackjacky_env.declare.actions import HIDDEN, HIDDEN_WORDS, ActionInfo, Actions, names_from
from blackjacky_env.declare.fields import (
    CHANCE,
    NOBODY,
    Fields,
    State,
    Stored,
    by_seat,
    choice,
    flag,
    hidden,
    number,
    own,
    role,
)
from blackjacky_env.declare.game import (
    ExtraDeck,
    Game,
    IllegalActionError,
    NamedTable,
    Pile,
    Reshuffle,
    Rules,
    SmallDeck,
    Words,
)
from blackjacky_env.declare.layout import Layout, Part, Vector
from blackjacky_env.declare.options import Cards, Range, Variant, describe_options, field_docs, plain
from blackjacky_env.declare.plain_words import plain_words
