"""clocks: a verb runs while the clock is wrong: at the ends of what clocks show, years ahead or
behind, or at a jump of hours.

The verb must succeed, or refuse the clock with a typed error. Then, with the right clock, nothing
may be lost, the next verbs must work, and the reminders of the next day must be planned."""

from faulting.running import Finding, judge
from faulting.verbs import NOW, VERBS

COUNT = 60
NEEDS_PRELOAD = False

INSTANTS = (
    "0001-01-01T00:00:00Z", "1900-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "1970-01-01T00:00:00Z",
    "2001-09-09T01:46:40Z", "2026-11-20T08:00:00Z", "2026-11-22T10:59:59Z", "2026-11-23T10:00:00Z",
    "2026-11-23T13:00:00Z", "2026-11-24T11:00:00Z", "2026-12-23T11:00:00Z", "2027-12-28T11:00:00Z",
    "2038-01-19T03:14:07Z", "2038-01-19T03:14:08Z", "2106-02-07T06:28:16Z", "2200-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z", "3084-12-12T12:41:29Z")


class Campaign:
    def __init__(self, place, _):
        self.place = place

    def tries(self, random, count):
        every = [(instant, verb) for instant in INSTANTS for verb in VERBS]
        random.shuffle(every)
        return [f"{verb}:{instant}" for instant, verb in every[:count]]

    def attempt(self, name):
        verb, _, instant = name.partition(":")
        self.place.restore()
        answer = self.place.run_verb(VERBS[verb], now=instant)
        findings = judge(answer)
        if "watch" in verb or verb == "plan":
            findings += judge(self.place.run_verb(VERBS[verb], now=instant))
        return findings + self.place.follow_up(VERBS[verb], answer) + self.next_day()

    def next_day(self):
        """Expects the reminder of the next morning, whatever the clock had shown."""
        pending = self.place.run("pending", now=NOW)
        titles = {request["title"] for request in (pending.document() or {}).get("pending", [])}
        if pending.status == 0 and "Read" not in titles:
            return [Finding("wrong", f"no reminder of Read is planned: {titles}")]
        return judge(pending)
