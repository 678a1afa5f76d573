"""limits: a verb runs with little address space, data, stack, or few open files.

A verb must succeed or end with a typed error, nothing may be lost, and the next verbs, without the
limit, must work. Below the least values that are tried here, the Swift runtime or Dispatch may end
the process or wait for memory; the store is unharmed then, too."""

import shutil

from faulting.running import judge
from faulting.verbs import VERBS

COUNT = 60
NEEDS_PRELOAD = False

# The least and the greatest value that is tried of each limit of prlimit.
LIMITS = {
    "as": (512 << 20, 2 << 30), "data": (128 << 20, 512 << 20), "stack": (256 << 10, 8 << 20),
    "nofile": (5, 64)}


class Campaign:
    def __init__(self, place, _):
        if not shutil.which("prlimit"):
            raise RuntimeError("prlimit is not installed")
        self.place = place

    def tries(self, random, count):
        names = []
        for index in range(count):
            limit = list(LIMITS)[index % len(LIMITS)]
            least, most = LIMITS[limit]
            # Most of the interesting values are near the least one.
            value = least + int((most - least) * random.random() ** 3)
            names.append(f"{limit}:{value}:{random.choice(list(VERBS))}")
        return names

    def attempt(self, name):
        limit, value, verb = name.split(":")
        self.place.restore()
        answer = self.place.run_verb(
            VERBS[verb], wrapper=("prlimit", f"--{limit}={value}:{value}"))
        return judge(answer) + self.place.follow_up(VERBS[verb], answer)
