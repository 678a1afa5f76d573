"""failures: the n-th call of a verb on the store's files fails, or the process is killed at it.

Each verb is run once to count its calls. Then each call fails with each error that it may have,
once or permanently; a write is partial; the process is killed before the call, or in the middle of
a write. The verb must succeed or end with a typed error, nothing may be lost, and the next verbs
must work. With --count beyond the number of all such faults, each is tried once."""

import collections

from faulting.preloading import Fault, read_trace
from faulting.running import judge
from faulting.verbs import VERBS

COUNT = 120
NEEDS_PRELOAD = True

# By class of call (see preload.c): the errors, each tried once and permanently, and other faults.
ERRORS = {
    "o": ("EIO", "EMFILE", "ENOSPC"), "r": ("EIO",), "w": ("EIO", "ENOSPC"), "s": ("EIO", "ENOSPC"),
    "z": ("EIO", "ENOSPC"), "n": ("EIO", "ENOSPC"), "m": ("ENOMEM",), "l": ("EIO", "ENOLCK"),
    "i": ("EIO",),
}
# SQLite treats this as a lock of another process and waits, so a permanent fault is only slow.
ONCE = {"ENOLCK"}
INTERRUPTED = "orwszl"
# A full disk refuses every call that needs space; without free descriptors, no file can be opened.
FOR_GOOD = {"ENOSPC": "wz", "EMFILE": "o"}

class Campaign:
    def __init__(self, place, _):
        self.place = place

    def tries(self, random, count):
        """Returns the requested number of faults in random order. Of equal calls on the same file,
        only few come early. A fault's place depends on the seed and on what it is, so a build that
        makes more calls elsewhere has the same sample."""
        seed, weighed = random.random(), []
        for verb in VERBS.values():
            calls = self.calls(verb)
            alike = collections.Counter((call.name, call.path) for call in calls)
            earlier = collections.Counter()
            for call in calls:
                key = call.name, call.path
                earlier[key] += 1
                for fault in self.faults(call):
                    what = f"{seed} {verb.name} {key} {earlier[key]} {fault.partition(':')[2]}"
                    chance = type(random)(what).random() ** alike[key]
                    weighed.append((chance, f"{verb.name}:{fault}"))
        weighed.sort(reverse=True)
        print(f"{len(weighed)} faults of {len(VERBS)} verbs", flush=True)
        return [name for _, name in weighed[:count]]

    def calls(self, verb):
        self.place.restore()
        trace = self.place.root.parent / "trace"
        answer = self.place.run_verb(verb, trace=trace)
        if answer.status != 0:
            raise RuntimeError(f"without a fault: {answer}")
        calls = read_trace(trace)
        trace.unlink()
        return calls

    @staticmethod
    def faults(call):
        """Yields the names of all faults of a call: number:fault:call, for people."""
        where = f"{call.name}~{call.path.rpartition('/')[2].replace(' ', '_')}"
        for error in ERRORS[call.kind]:
            yield f"{call.number}:{error}:{where}"
            if error in ONCE:
                continue
            yield f"{call.number}:{error}+{FOR_GOOD.get(error, call.kind)}:{where}"
        if call.kind in INTERRUPTED:
            yield f"{call.number}:EINTR:{where}"
        yield f"{call.number}:kill:{where}"
        if call.kind == "w":
            yield f"{call.number}:short:{where}"
            yield f"{call.number}:torn:{where}"

    def attempt(self, name):
        verb, number, what, *_ = name.split(":")
        verb = VERBS[verb]
        error, _, ever = what.partition("+")
        if error in ("kill", "short", "torn"):
            fault = Fault(int(number), error)
        else:
            fault = Fault(int(number), "fail", error, ever)
        self.place.restore()
        answer = self.place.run_verb(verb, fault=fault)
        findings = []
        if not (answer.is_killed and error in ("kill", "torn")):
            findings = judge(answer)
            if answer.status == 1 and verb.name != "verify":
                findings += judge(answer, allowed={0})
        return findings + self.place.follow_up(verb, answer)
