"""The long search, which takes hours, with bounds of arrays checked:

NUMBA_BOUNDSCHECK=1 pytest -n 2 -m "" --hypothesis-profile long tests/fuzzing
"""

from hypothesis import settings

settings.register_profile("long", max_examples=200_000, deadline=None, print_blob=True)
