"""What all tests share: Hypothesis without a clock, the same examples every time."""

from hypothesis import settings

settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")
