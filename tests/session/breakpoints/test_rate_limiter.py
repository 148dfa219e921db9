"""The pace of a point that reports: what is told, what is left out, when it is enough. The test turns the clock."""

from __future__ import annotations

import pytest

from jdbpy import Reporting
from jdbpy.session.events.hit_rates import AGENT_COST, LeftOut, RateLimiter, Taken


class Hits:
    """Hits of one point at given times; as the reporter does it, or by the short way where that lets them."""

    def __init__(self, reporting: Reporting, *, short: bool, each: float = 0) -> None:
        """``each``: seconds that a hit takes."""
        self.rate_limiter = RateLimiter(reporting)
        self._each = each
        self.number = 0
        self._short = short

    def at(self, now: float) -> Taken | None:
        """None: only counted."""
        self.number += 1
        if self._short and self.rate_limiter.passes(self.number, now):
            return None
        taken = self.rate_limiter.take(self.number, now, wall=now, busy=(self.number - 1) * self._each)
        plain = not (taken.reported or taken.left_out or taken.spent or taken.too_much)
        return None if plain else taken


@pytest.fixture(params=[False, True], ids=["long", "short"])
def short(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def test_all_are_told_without_a_limit(short: bool) -> None:
    hits = Hits(Reporting(), short=short)
    assert all(taken is not None and taken.reported for taken in (hits.at(n / 1000) for n in range(500)))


def test_so_many_a_second_are_told_and_the_others_counted(short: bool) -> None:
    hits = Hits(Reporting(limit=3), short=short)
    told = [taken for n in range(1000) if (taken := hits.at(10 + n / 1000)) is not None]
    assert [taken.number for taken in told] == [1, 2, 3]
    assert hits.rate_limiter.left_out_until == 11
    after = hits.at(11.5)
    assert after is not None
    assert (after.number, after.reported, after.left_out) == (1001, True, LeftOut(997, 1.0))
    assert hits.rate_limiter.left_out_until is None


def test_what_is_left_out_can_be_told_before_the_second_is_over(short: bool) -> None:
    hits = Hits(Reporting(limit=1), short=short)
    for now in (5.0, 5.1, 5.2):
        hits.at(now)
    assert hits.rate_limiter.close(5.25) == LeftOut(2, 0.25)
    assert hits.rate_limiter.close(5.25) is None
    assert hits.at(5.3) is None
    assert hits.rate_limiter.close(7) == LeftOut(1, 1.0)


def test_hits_that_come_late_are_said_with_those_of_the_next_second(short: bool) -> None:
    hits = Hits(Reporting(limit=2), short=short)
    for now in (5.0, 5.1, 5.2):
        hits.at(now)
    limiter = hits.rate_limiter
    limiter.missed(1, 6.0)  # its window is not told yet
    assert limiter.close(6.0) == LeftOut(2, 1.0)
    limiter.missed(1, 6.01)
    limiter.missed(1, 6.02)
    told = [hits.at(now) for now in (6.1, 6.2, 6.3)]
    assert [taken is not None and taken.reported for taken in told] == [True, True, False]
    assert limiter.left_out_until == 7.01
    assert limiter.close(7.01) == LeftOut(3, 1.0)


def test_a_limit_of_none_a_second_only_counts(short: bool) -> None:
    hits = Hits(Reporting(limit=0), short=short)
    assert [hits.at(n / 10) for n in range(100)] == [None] * 100
    assert hits.rate_limiter.left_out_until is None
    assert hits.rate_limiter.close(10) is None


def test_it_is_over_after_so_many_hits_and_begins_anew(short: bool) -> None:
    hits = Hits(Reporting(limit=2, most=5), short=short)
    told = [hits.at(1 + n / 100) for n in range(5)]
    last = told[-1]
    assert last is not None
    assert last.left_out is not None
    assert (last.number, last.reported, last.spent, last.left_out.count) == (5, False, True, 3)
    assert last.left_out.seconds == pytest.approx(0.04)
    hits.rate_limiter.restart(5)
    assert [taken is not None and taken.spent for taken in (hits.at(2 + n / 100) for n in range(5))][-2:] == [
        False,
        True,
    ]


def test_it_is_over_when_it_costs_too_much(short: bool) -> None:
    hits = Hits(Reporting(limit=1, cost=20), short=short, each=5e-6)
    rate = 20_100  # at 10 µs each a little more than a fifth of a second
    assert not any(taken.too_much for n in range(rate) if (taken := hits.at(n / rate)) is not None)
    last = hits.at(1.0)
    assert last is not None
    assert last.too_much is not None
    assert last.too_much.rate == rate
    assert last.too_much.cost == pytest.approx(5e-6)
    assert last.too_much.load == pytest.approx(rate * (5e-6 + AGENT_COST))
    assert hits.rate_limiter.over


def test_the_time_spent_on_events_counts() -> None:
    """However few they are: a debugger that is busy all the time makes the target wait."""
    rate_limiter = RateLimiter(Reporting(limit=0, cost=50))
    assert not any(rate_limiter.take(n, n / 100, wall=0, busy=n / 200).too_much for n in range(1, 100))
    [over] = [taken for n in range(100, 103) if (taken := rate_limiter.take(n, n / 100, wall=0, busy=n / 200)).too_much]
    assert over.too_much is not None
    assert over.too_much.load == pytest.approx(0.5 + 100 * AGENT_COST)
    assert over.too_much.cost == pytest.approx(0.005)
    assert rate_limiter.cost == pytest.approx(0.005)


def test_what_hits_cost_is_known_before_the_second_is_over() -> None:
    rate_limiter = RateLimiter(Reporting(limit=1))
    for number in range(1, 11):
        rate_limiter.take(number, 1.0, wall=0, busy=5.0)
    rate_limiter.close(1.5, busy=5.5)
    assert rate_limiter.cost == pytest.approx(0.05)
    rate_limiter.close(1.6, busy=7.0)
    assert rate_limiter.cost == pytest.approx(0.05), "that was for something else"


def test_less_than_that_may_go_on(short: bool) -> None:
    hits = Hits(Reporting(limit=1, cost=20), short=short)
    hits.rate_limiter.measured(5e-6)
    rate = 19_900
    assert not any(taken.too_much for n in range(3 * rate) if (taken := hits.at(n / rate)) is not None)
    quiet = hits.at(60.0)
    assert quiet is not None
    assert quiet.too_much is None


def test_while_earlier_ones_wait_no_more_are_told() -> None:
    rate_limiter = RateLimiter(Reporting(limit=10))
    assert rate_limiter.take(1, 0.0, wall=0.0).reported
    assert not rate_limiter.take(2, 0.1, wall=0.1, crowded=True).reported
    assert rate_limiter.take(3, 0.2, wall=0.2).reported
