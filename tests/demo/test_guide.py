"""The guide: suggests one step after the other, and waits for each."""

from __future__ import annotations

from jdbpy.demo.tour import TOUR, Guide, Step

STEPS = (Step("First, look.", "where", ()), Step("Then go on.", "cont", ()))
LONGER = (*STEPS, Step("Look again.", "locals", ()), Step("And at this.", "print x", ()), Step("Leave.", "cont", ()))
NAMES = {"c": "cont", "bt": "where", "r": "run"}


def guide(steps: tuple[Step, ...] = STEPS) -> Guide:
    return Guide(lambda line: NAMES.get(line, line), steps)


def test_the_first_step_is_suggested_when_the_program_stands_at_main() -> None:
    tour = guide()
    assert "a tour in 2 steps" in tour.greeting()
    said = [tour.after(line) for line in tour.first_lines]
    assert said == ["", "\n1/2  First, look.\n      type: where\n"]


def test_a_step_is_done_by_any_spelling_of_its_command() -> None:
    tour = guide()
    tour.after("run")
    said = [(tour.after(line, ended), tour.finished) for line, ended in (("bt", False), ("c", True), ("c", True))]
    assert [finished for _, finished in said] == [False, True, True]
    (next_step, *_), (last_words, *_), (nothing, *_) = said
    assert (next_step, nothing) == ("\n2/2  Then go on.\n      type: cont\n", "")
    assert "jdbpy attach 5005" in last_words


def test_other_commands_do_not_move_it_and_the_step_is_suggested_again() -> None:
    tour = guide()
    tour.after("run")
    said = [tour.after(line) for line in ("threads", "locals", "threads", "locals")]
    assert said == ["", "", "\n1/2  First, look.\n      type: where\n", ""]
    assert "2/2" in tour.after("where")


def test_a_step_that_is_skipped_does_not_end_the_tour() -> None:
    tour = guide(LONGER)
    tour.after("run")
    assert "3/5" in tour.after("cont")
    assert "5/5" in tour.after("print x")
    assert "That was the tour" in tour.after("run", ended=True)
    assert tour.finished


def test_what_a_later_place_shows_is_suggested_there() -> None:
    tour = guide(LONGER)
    tour.after("run")
    assert tour.after("locals") == ""
    assert "2/5" in tour.after("where")
    assert "3/5" in tour.after("cont")


def test_a_program_that_ends_before_its_tour_and_one_that_stops_behind_it() -> None:
    tour = guide(LONGER)
    tour.after("run")
    assert tour.after("cont", ended=True) == ""
    assert not tour.finished
    tour.begin_again()
    assert "1/5" in tour.after("run")
    for line in ("cont", "print x"):
        tour.after(line)
    assert "5/5" in tour.after("cont")
    assert "That was the tour" in tour.after("cont", ended=True)


def test_a_program_that_is_started_again_begins_the_tour_again() -> None:
    tour = guide()
    for line in ("run", "where"):
        tour.after(line)
    tour.begin_again()
    assert tour.after("run") == "\n1/2  First, look.\n      type: where\n"
    tour.after("where")
    tour.after("cont", ended=True)
    tour.begin_again()
    assert tour.after("run") == ""  # it was taken whole


def test_every_step_of_the_real_tour_checks_something() -> None:
    assert all(step.say and step.line and step.shows for step in TOUR)
