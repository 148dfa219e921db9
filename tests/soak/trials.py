"""The list of all trials, in the order of the table."""

from __future__ import annotations

from tests.soak import (
    changes,
    conversations,
    crowds,
    endurance,
    floods,
    fuzz,
    jfr_files,
    leavings,
    mutations,
    recordings_of_calls,
    signals,
    spoilt_files,
    stops,
    tasks,
    weaves,
)
from tests.soak.trial import Trial

TRIALS: tuple[Trial, ...] = (
    Trial("leavings", "the target runs on, without a request, however jdbpy leaves it", leavings.run, weight=4),
    Trial("mutations", "sessions whose packets are changed on their way end as they should", mutations.run, weight=2),
    Trial(
        "fuzz",
        "bytes, packets, events, command lines, expressions and class files that are no good are refused in bounds",
        fuzz.run,
        on_jvms=False,
    ),
    Trial(
        "conversations",
        "editors by port, served sessions, agents by HTTP send what is no good: no fault, no hang, others are served",
        conversations.run,
        weight=2,
    ),
    Trial("snapshots", "snapshots that were changed are opened or refused in bounds", spoilt_files.snapshots),
    Trial("recordings", "recordings that were changed are played or refused in bounds", spoilt_files.recordings),
    Trial("jfr", "recordings of the flight recorder that were changed are read or refused in bounds", jfr_files.run),
    Trial("signals", "signals at any moment: status, terminal modes, the target runs on", signals.run, weight=2),
    Trial("endurance", "stops, steps and evaluations in one session cost the same at the end", endurance.run, weight=2),
    Trial("tasks", "twenty tasks on one session, cancelled at random: suspend counts stay true", tasks.run, weight=2),
    Trial(
        "stops",
        "what is shown as a stop is one, on a program with several threads: rules S1 to S7",
        stops.run,
        weight=2,
    ),
    Trial("floods", "events of suspend policy NONE by the hundred thousand: memory and commands", floods.run),
    Trial("crowds", "5,000 breakpoints set from a file", crowds.run),
    Trial("changes", "code of a class is changed while threads of a pool are in it: all hits are told", changes.run),
    Trial(
        "recorded",
        "programs that log themselves: each line and store that is recorded is theirs, what is missed is counted",
        recordings_of_calls.run,
        weight=2,
    ),
    Trial("weaves", "programs with a call at every line verify, and run as they are", weaves.run, weight=2),
)
