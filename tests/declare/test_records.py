"""Records of games: aligned, small, and told apart from those of versions that laid them out in another way."""

import numpy as np
import pytest

from blackjacky_env.play.states import identity, pack, read_records, record_layout, unpack


def test_a_state_of_a_version_without_alignment_is_refused_by_name(game):
    packed = np.dtype([(field, game.state_dtype[field]) for field in game.state_dtype.names or ()])
    assert record_layout(packed) != record_layout(game.state_dtype)
    header, data = unpack(pack(identity(game, game.default_players, "classic", {}), np.zeros(1, packed)))
    with pytest.raises(
        ValueError, match=f"this state of {game.name} was saved by a version with another record layout"
    ):
        read_records(game, header, data)
