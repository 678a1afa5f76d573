"""limits: a verb runs with little address space, data or stack, or few open files or processes.

A verb must succeed or end with a typed error, nothing may be lost, and the next verbs, without the
limit, must work. Below the least values that are tried here, the Swift runtime or Dispatch may end
the process or wait for memory; the store is unharmed then, too."""

import os
import shutil

from faulting.running import can_start, judge
from faulting.verbs import VERBS

COUNT = 60
NEEDS_PRELOAD = False

# The least and the greatest value that is tried of each limit of prlimit.
LIMITS = {
    "as": (512 << 20, 2 << 30), "data": (128 << 20, 512 << 20), "stack": (256 << 10, 8 << 20),
    "nofile": (5, 64), "nproc": (12, 64)}
# The limit of processes does not hold for root, and counts all processes of a user in a namespace.
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "unshare", "--user",
          "--map-root-user")


class Campaign:
    def __init__(self, place, options):
        if not shutil.which("prlimit"):
            raise RuntimeError("prlimit is not installed")
        self.place = place
        self.limits = list(LIMITS)
        if can_start(NOBODY, options.carillon):
            place.root.parent.parent.chmod(0o711)
        else:
            print("no other user can start the program here: tries with few processes are skipped")
            self.limits.remove("nproc")

    def tries(self, random, count):
        names = []
        for index in range(count):
            limit = self.limits[index % len(self.limits)]
            least, most = LIMITS[limit]
            # Most of the interesting values are near the least one.
            value = least + int((most - least) * random.random() ** 3)
            names.append(f"{limit}:{value}:{random.choice(list(VERBS))}")
        return names

    def attempt(self, name):
        limit, value, verb = name.split(":")
        self.place.restore()
        wrapper = ("prlimit", f"--{limit}={value}:{value}")
        if limit == "nproc":
            for path in (self.place.root, *self.place.root.rglob("*")):
                os.chown(path, 65534, 65534)
            wrapper = (*NOBODY, *wrapper)
        answer = self.place.run_verb(VERBS[verb], wrapper=wrapper)
        return judge(answer) + self.place.follow_up(VERBS[verb], answer)
