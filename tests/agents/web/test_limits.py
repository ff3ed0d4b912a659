"""Who has to go when there are too many connections, and a log that floods do not fill."""

import asyncio
import logging

from blackjacky_agents.web.connections import Config
from blackjacky_agents.web.limits import Gate, Limits, connections_for
from blackjacky_agents.web.quiet import Quiet


class Fake:
    """A transport that knows where it leads to and whether it was closed."""

    def __init__(self, host):
        self.host, self.closing = host, False

    def get_extra_info(self, name):
        return (self.host, 1) if name == "peername" else None

    def is_closing(self):
        return self.closing

    def abort(self):
        self.closing = True


def entered(gate, host, number):
    made = [Fake(host) for _ in range(number)]
    for each in made:
        gate.enter(each)
    return made


def closed(connections):
    return [each.closing for each in connections]


def test_an_address_with_too_many_connections_loses_the_one_that_was_idle_for_longest():
    gate = Gate(Limits(connections=100, per_address=3), lambda host: host == "192.0.2.9")
    first, second, third = entered(gate, "192.0.2.1", 3)
    gate.expect(first, 5)
    (fourth,) = entered(gate, "192.0.2.1", 1)
    assert closed([first, second, third, fourth]) == [False, True, False, False]
    for unlimited in ("192.0.2.9", "127.0.0.1", "::1"):
        assert not any(closed(entered(gate, unlimited, 10)))
    one, *_ = entered(gate, "2001:db8::1", 3)
    entered(gate, "2001:db8:0:1::1", 1)  # another network
    assert not one.closing
    entered(gate, "2001:db8::2", 1)
    assert one.closing


def test_the_largest_crowd_makes_room_and_people_stay_who_have_a_seat():
    gate = Gate(Limits(connections=10, per_address=100), lambda host: False)
    (person,), (other,) = entered(gate, "192.0.2.1", 1), entered(gate, "192.0.2.2", 1)
    gate.seat(person)
    crowd = entered(gate, "192.0.2.1", 50)
    assert closed([person, other, *crowd]) == [False, False, *[True] * 42, *[False] * 8]
    assert len(gate) == 10
    full = Gate(Limits(connections=2), lambda host: False)
    people = entered(full, "192.0.2.1", 2)
    for each in people:
        full.seat(each)
    assert closed([*entered(full, "192.0.2.1", 1), *people]) == [True, False, False]


def test_trusted_proxies_have_no_limit_of_their_own_and_there_are_fewer_connections_than_files(monkeypatch):
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "192.0.2.0/24")
    gate = Config(lambda: None, Limits()).gate
    assert gate.is_proxy("192.0.2.7")
    assert not gate.is_proxy("198.51.100.7")
    assert [connections_for(files) for files in (64, 256, 1024, 10**6)] == [16, 64, 448, 1000]
    assert all(2 * connections_for(files) < files for files in range(1, 5000))


def test_lines_of_a_kind_pass_once_and_a_bug_has_its_traceback():
    quiet = Quiet(60)
    for error, passes, traceback in (
        (None, True, False),
        (asyncio.CancelledError(), False, True),  # the server is stopped
        (OSError(24, "Too many open files"), True, False),
        (ValueError("a bug"), True, True),
    ):
        said = ("asyncio", logging.ERROR, "", 0, "An exception", (), error and (type(error), error, None))
        first, *others = (logging.LogRecord(*said) for _ in range(3))
        assert (quiet.filter(first), bool(first.exc_info)) == (passes, traceback)
        assert not any(map(quiet.filter, others))
