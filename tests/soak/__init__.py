"""Reliability trials: the same attack again and again for as long as there is time, and a table of what held.

``./dev soak 30`` runs all of them for 30 minutes, on each Java version found; ``./dev soak --only leavings --jvm 17``
runs one. A few tries of each trial are part of the ordinary suite (``test_soak.py``).

Every try has a seed of its own, which is the seed of the run plus the number of the try. A failure names it, and
``./dev soak --only TRIAL --jvm VERSION --seed N --tries 1`` repeats that try alone. What the seed decides is what is
done and when; how threads of the target and of the machine are scheduled is not in its power, so a race may need more
than one repetition.

To add a trial, write ``async def run(run: Run) -> None`` in a module of this package and a row in ``trials.py``.
"""
