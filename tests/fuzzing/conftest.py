"""The long search, which takes hours; with bounds of arrays checked it needs a folder for compiled code of its own:

NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=runs/checked pytest -n 2 -m "" --hypothesis-profile long tests/fuzzing
"""

from hypothesis import settings

settings.register_profile("long", max_examples=200_000, deadline=None, print_blob=True)
