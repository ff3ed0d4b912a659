"""Work that is spread over threads."""

import threading

import pytest

from blackjacky_env.compiled.threads import spread


@pytest.mark.parametrize("failing", [0, 1])
def test_no_part_is_running_any_more_when_another_has_raised(failing):
    begun, done = threading.Event(), threading.Event()

    def work(first, _):
        if first == failing:
            assert begun.wait(60)
            raise RuntimeError("a part")
        begun.set()
        threading.Event().wait(0.2)
        done.set()

    with pytest.raises(RuntimeError, match="a part"):
        spread(work, 2, 2)
    assert done.is_set()
