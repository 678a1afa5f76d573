"""races: several processes create a store in one place at the same time.

Either all start at the same moment, or one is paused at a random call while another creates the
store and fills it. Exactly one must win; the others must report that there is a store (73) or that
it is busy (75); and everything that the winner acknowledged must be there."""

import signal

from faulting.preloading import Fault, read_trace
from faulting.running import Finding, judge
from faulting.verbs import VERBS, ids

COUNT = 60
NEEDS_PRELOAD = True

PLACE = "new"
MAKERS = {
    "init": ("init", "--replica", "new"),
    "clone": ("clone", "{phone}", "{new}", "--replica", "new"),
}
REFUSED = {73, 75}


class Campaign:
    def __init__(self, place, _):
        self.place = place

    def tries(self, random, count):
        lengths = {name: self.length(words) for name, words in MAKERS.items()}
        names = []
        for index in range(count):
            makers = [random.choice(list(MAKERS)) for _ in range(2 if index % 3 else 3)]
            if index % 3:
                # The important calls come early, and the rest are similar to each other.
                call = int(lengths[makers[0]] * random.random() ** 2) + 1
                names.append(f"held:{'-'.join(makers)}:{call}")
            else:
                names.append(f"at-once:{'-'.join(makers)}:{index}")
        return names

    def length(self, words):
        self.place.restore()
        trace = self.place.root.parent / "trace"
        self.place.run(*words, store=PLACE, trace=trace)
        calls = read_trace(trace)
        trace.unlink()
        return len(calls)

    def attempt(self, name):
        how, makers, number = name.split(":")
        makers = makers.split("-")
        self.place.restore()
        if how == "at-once":
            return self.at_once(makers)
        return self.held_up(makers, Fault(int(number), "stop"))

    def at_once(self, makers):
        started = [self.place.start(MAKERS[maker], store=PLACE) for maker in makers]
        answers = [process.answer() for process in started]
        return self.one_wins(list(zip(makers, answers)), {})

    def held_up(self, makers, fault):
        """Pauses one process; the other creates the store and fills it, or waits."""
        held = self.place.start(MAKERS[makers[0]], store=PLACE, fault=fault)
        if not held.waits_until_stopped(self.place.runner.limit):
            return self.one_wins([(makers[0], held.answer())], {})
        other = self.place.run(*MAKERS[makers[1]], store=PLACE)
        written = set()
        findings = []
        if other.status == 0:
            for words in (("habit", "add", "Walk", "--again"), ("done", "Walk")):
                answer = self.place.run(*words, store=PLACE)
                # The paused process may have a lock that they need.
                findings += judge(answer, allowed={0, 75, 66, 65})
                written |= ids(answer.output) if answer.status == 0 else set()
        held.signal(signal.SIGCONT)
        answers = [(makers[0], held.answer()), (makers[1], other)]
        return findings + self.one_wins(answers, written)

    def one_wins(self, answers, written):
        findings = []
        for _, answer in answers:
            findings += judge(answer, allowed={0} | REFUSED)
        winners = [(maker, answer) for maker, answer in answers if answer.status == 0]
        if len(winners) != 1:
            said = "; ".join(str(answer) for _, answer in answers)
            findings.append(Finding("wrong", f"{len(winners)} of {len(answers)} won: {said}"))
            if not winners:
                return findings
        promised = set(written)
        for maker, answer in winners:
            promised |= ids(answer.output)
            promised |= self.place.held["phone"] if maker == "clone" else set()
        findings += self.place.examine(PLACE, promised)
        status = self.place.run("status", store=PLACE).document() or {}
        made = (winners[0][1].document() or {}).get("store")
        if len(winners) == 1 and status.get("store") != made:
            findings.append(Finding("lost", f"the store is {status.get('store')}, not {made}"))
        return findings + self.place.leftovers([PLACE, *VERBS["clone"].stores])
