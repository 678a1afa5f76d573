"""kills: every verb that writes is killed at a random moment.

Afterwards every event whose ID was printed with exit 0 must be there, verify and rebuild --check
must find nothing, the next event must be accepted, a killed init or clone must be repeatable, and
no file may be left behind."""

import signal
import statistics
import time

from faulting.running import judge
from faulting.verbs import VERBS, WRITING

COUNT = 150
NEEDS_PRELOAD = False


class Campaign:
    def __init__(self, place, _):
        self.place = place

    def tries(self, random, count):
        """Returns each verb in turn, with a random time within its current duration."""
        lengths = {}
        for name in WRITING:
            lengths[name] = statistics.median(self.length(VERBS[name]) for _ in range(2))
        verbs, names = random.sample(WRITING, len(WRITING)), []
        for index in range(count):
            name = verbs[index % len(verbs)]
            names.append(f"{name}:{int(random.uniform(0.1, 1.1) * lengths[name] * 1e6)}us")
        return names

    def length(self, verb):
        self.place.restore()
        return self.place.run_verb(verb).seconds

    def attempt(self, name):
        verb, moment = VERBS[name.split(":")[0]], int(name.split(":")[1][:-2])
        self.place.restore()
        process = self.place.start_verb(verb)
        time.sleep(moment / 1e6)
        process.signal(signal.SIGKILL)
        answer = process.answer()
        findings = [] if answer.is_killed else judge(answer, allowed={0})
        return findings + self.place.follow_up(verb, answer)
