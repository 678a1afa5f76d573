"""followers: many processes follow one store, and half of them are killed at random moments.

They run `log --follow`, `watch` or `sync --watch`, while verbs write and rewrite the store. Every
follower that was not killed must still run and end normally; those of the log must have printed
each event once; and the store must be intact afterwards. A try has 20 followers."""

import random as chance
import signal
import time

from faulting.flips import FOLLOWERS
from faulting.running import ENDED, Finding, judge
from faulting.verbs import ID

COUNT = 3
NEEDS_PRELOAD = False

FOLLOWERS_IN_TRY = 20
# What others do meanwhile, one after another; a follower is killed before each of the first ten.
MEANWHILE = (
    ("done", "Walk"), ("habit", "add", "Swim", "--at", "06:30", "--again"), ("done", "Read"),
    ("rebuild",), ("skip", "Walk"), ("undo", "Walk"), ("compact",), ("done", "Walk"),
    ("sync", "{phone}", "{watch}"), ("done", "Read", "--on", "2026-11-19"), ("done", "Walk"))


class Campaign:
    def __init__(self, place, _):
        self.place = place

    def tries(self, random, count):
        return [f"followers:{random.randrange(10**9)}" for _ in range(count)]

    def attempt(self, name):
        random = chance.Random(int(name.split(":")[1]))
        self.place.restore()
        kinds = [FOLLOWERS[index % len(FOLLOWERS)] for index in range(FOLLOWERS_IN_TRY)]
        started = [(words, self.place.start(words)) for words in kinds]
        for _, process in started:
            self.place.waits_until_open(process)
        victims = random.sample(started, FOLLOWERS_IN_TRY // 2)
        findings = []
        for index, words in enumerate(MEANWHILE):
            if index < len(victims):
                victims[index][1].signal(signal.SIGKILL)
                time.sleep(random.uniform(0, 0.1))
            answer = self.place.run(*words)
            # Nothing is left to take back, or a follower reads at that moment.
            findings += judge(answer, allowed={0, 1, 75})
        log = ID.findall(self.place.must("log").output)
        for words, process in started:
            if (words, process) in victims:
                process.answer()
            else:
                findings += self.end(words, process, log)
        return findings + self.place.examine("phone", self.place.held["phone"] | set(log))

    def end(self, words, process, log):
        """Ends a follower, once one of the log has printed everything."""
        limit = time.monotonic() + self.place.runner.limit
        while words[0] == "log" and process.is_running() and time.monotonic() < limit:
            if len(ID.findall(process.printed())) >= len(log):
                break
            time.sleep(0.05)
        was_running = process.is_running()
        process.signal(signal.SIGTERM)
        answer = process.answer()
        findings = judge(answer, allowed=ENDED)
        if not was_running and not findings:
            findings.append(Finding("wrong", f"a follower ended by itself: {answer}"))
        if words[0] == "log" and ID.findall(answer.output) != log:
            findings.append(Finding("wrong", "the follower did not print each event once"))
        return findings
