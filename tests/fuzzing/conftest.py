"""The long search, which takes hours: ``pytest tests/fuzzing -m "" --hypothesis-profile long``."""

from hypothesis import settings

settings.register_profile("long", max_examples=200_000, deadline=12_000, print_blob=True)
