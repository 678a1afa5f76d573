"""clocks: a verb runs while the clock is wrong: at the ends of what clocks show, years ahead or
behind, or at a jump of hours; eight verbs run while it jumps; or the clocks of two devices differ.

A verb must succeed, or refuse the clock with a typed error. Then, with the right clock, nothing may
be lost, the next verbs must work, and the reminders of the next day must be planned. Two devices
whose clocks differ must have the same heads and state digest after their syncs."""

import random as chance

from faulting.running import Finding, judge
from faulting.verbs import NOW, VERBS, ids

COUNT = 60
NEEDS_PRELOAD = False

INSTANTS = (
    "0001-01-01T00:00:00Z", "1900-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "1970-01-01T00:00:00Z",
    "2001-09-09T01:46:40Z", "2026-11-20T08:00:00Z", "2026-11-22T10:59:59Z", "2026-11-23T10:00:00Z",
    "2026-11-23T13:00:00Z", "2026-11-24T11:00:00Z", "2026-12-23T11:00:00Z", "2027-12-28T11:00:00Z",
    "2038-01-19T03:14:07Z", "2038-01-19T03:14:08Z", "2106-02-07T06:28:16Z", "2200-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z", "3084-12-12T12:41:29Z")


# The other device's time: five hours ahead, five behind, a day ahead.
APART = ("2026-11-23T17:00:00+01:00", "2026-11-23T07:00:00+01:00", "2026-11-24T12:00:00+01:00")
ACTS = (
    ("done", "Walk"), ("done", "Read", "--amount", "2"), ("undo", "Read"), ("skip", "Walk"),
    ("habit", "edit", "Read", "--title", "Read on"), ("habit", "edit", "Read", "--title", "Read"),
    ("plan", "--apply", "{desk.json}"), ("watch", "--once"))


class Campaign:
    def __init__(self, place, _):
        self.place = place

    def tries(self, random, count):
        """Returns verbs at each instant, and between them jumps and devices apart."""
        every = [f"{verb}:{instant}" for instant in INSTANTS for verb in VERBS]
        random.shuffle(every)
        others = ("jumps", "apart")
        return [f"{others[index // 4 % 2]}:{random.randrange(10**9)}" if index % 4 == 3
                else every[(index - index // 4) % len(every)] for index in range(count)]

    def attempt(self, name):
        verb, _, instant = name.partition(":")
        self.place.restore()
        if verb == "jumps":
            return self.jumps(chance.Random(int(instant)))
        if verb == "apart":
            return self.apart(chance.Random(int(instant)))
        answer = self.place.run_verb(VERBS[verb], now=instant)
        findings = judge(answer)
        if "watch" in verb or verb == "plan":
            findings += judge(self.place.run_verb(VERBS[verb], now=instant))
        return findings + self.place.follow_up(VERBS[verb], answer) + self.next_day()

    def jumps(self, random):
        """Eight verbs, each at another instant."""
        findings, written = [], set(self.place.held["phone"])
        for instant in random.sample(INSTANTS, 8):
            answer = self.place.run(*random.choice(ACTS), now=instant)
            findings += judge(answer)
            written |= ids(answer.output) if answer.status == 0 else set()
        return findings + self.place.examine("phone", written) + self.next_day()

    def apart(self, random):
        """Two devices whose clocks differ record, and sync in between."""
        times = {"phone": NOW, "watch": random.choice(APART)}
        findings = []
        for _ in range(8):
            store = random.choice(list(times))
            findings += judge(self.place.run(
                *random.choice(ACTS), store=store, now=times[store]))
            if random.random() < 0.3:
                findings += self.place.succeeds(("sync", "{phone}", "{watch}"), store)
        for _ in range(2):
            findings += self.place.succeeds(("sync", "{phone}", "{watch}"), "phone")
        states = [self.place.state(store) for store in times]
        if states[0] != states[1]:
            findings.append(Finding("diverged", f"after two syncs: {states[0]}, {states[1]}"))
        return findings + self.place.examine("watch", self.place.held["phone"])

    def next_day(self):
        """Expects the reminder of the next morning, whatever the clock had shown."""
        pending = self.place.run("pending", now=NOW)
        titles = {request["title"] for request in (pending.document() or {}).get("pending", [])}
        if pending.status == 0 and not titles & {"Read", "Read on"}:
            return [Finding("wrong", f"no reminder of Read is planned: {titles}")]
        return judge(pending)
