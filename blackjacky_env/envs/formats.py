"""What observations look like: flat or with the mask in a dict, integers or float32, masks as int8 or bool.

All environments of this package take the same three options. The values are the same in every format: float32 holds
the integers unscaled, so a game's ``decode`` and ``sample_state`` read it too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from blackjacky_env.checks import check_choice
from blackjacky_env.declare.layout import Layout

Array = npt.NDArray[Any]
FORMATS = ("flat", "dict")
DTYPES = ("integer", "float32")
MASK_DTYPES = ("int8", "bool")


@dataclass(frozen=True)
class Format:
    """A format of observations and masks.

    Args:
        observation_format: ``"flat"``: an observation is the vector; ``"dict"``: it is a dict of the vector,
            ``"observation"``, and the mask of legal actions, ``"action_mask"``.
        observation_dtype: dtype of the vector: ``"integer"`` (int8, or int16 where the game's numbers need it) or
            ``"float32"`` (the same values).
        mask_dtype: dtype of masks, also in infos: ``"int8"`` or ``"bool"``.

    Raises:
        ValueError: an option is none of these.
    """

    observation_format: str
    observation_dtype: str = "integer"
    mask_dtype: str = "int8"

    def __post_init__(self) -> None:
        check_choice("observation_format", self.observation_format, FORMATS)
        check_choice("observation_dtype", self.observation_dtype, DTYPES)
        check_choice("mask_dtype", self.mask_dtype, MASK_DTYPES)

    def space(self, layout: Layout, num_actions: int, vectors: spaces.Box | None = None) -> spaces.Space[Any]:
        """The space of observations whose vectors lie in ``vectors``; None: in that of the layout."""
        if vectors is None:
            dtype = np.float32 if self.observation_dtype == "float32" else layout.dtype.type
            vectors = spaces.Box(layout.low, layout.high, dtype=dtype)
        if self.observation_format == "flat":
            return vectors
        mask_type = np.bool_ if self.mask_dtype == "bool" else np.int8
        return spaces.Dict({"observation": vectors, "action_mask": spaces.Box(0, 1, (num_actions,), mask_type)})

    def show(self, vectors: Array, masks: Array) -> Any:
        """Observations made of vectors (..., K) and masks (..., A) from `mask`, whose memory they may share."""
        if self.observation_dtype == "float32":
            vectors = vectors.astype(np.float32)
        if self.observation_format == "flat":
            return vectors
        return {"observation": vectors, "action_mask": masks}

    def mask(self, masks: Array) -> Array:
        """Masks as they are shown; they share memory with ``masks``, which are int8."""
        return masks.view(np.bool_) if self.mask_dtype == "bool" else masks
