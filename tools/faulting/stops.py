"""stops: a process is stopped at a random call, as by Ctrl-Z or like a suspended app.

The others must continue, or end with 75 within the limit (the end of the output counts how many did
not name the process that they wait for). When it continues, it must end normally, and everything
must be intact. One try in ten has a follower and a writer in separate process ID namespaces, like
two containers, where both are process 1: the writer must work, or report why it cannot."""

import os
import shutil
import signal
import subprocess

from faulting.preloading import Fault, read_trace
from faulting.running import Finding, judge
from faulting.verbs import VERBS, ids

COUNT = 30
NEEDS_PRELOAD = True

STOPPED = ("done", "compact", "rebuild", "sync", "watch", "plan", "erase-habit")
OTHERS = (("status",), ("done", "Read"), ("pending",), ("log",), ("undo", "Walk"))
BUSY = 75


class Campaign:
    def __init__(self, place, _):
        self.place = place

    def tries(self, random, count):
        calls = {name: self.calls(VERBS[name]) for name in STOPPED}
        with_containers = has_namespaces()
        if not with_containers:
            print("no process ID namespaces here: those tries are skipped")
        verbs, names = random.sample(STOPPED, len(STOPPED)), []
        for index in range(count):
            if index % 10 == 4 and with_containers:
                names.append(f"containers:{index}")
                continue
            verb = verbs[index % len(verbs)]
            # Half stop at a call that writes, at which a process has a lock.
            writes = [call for call in calls[verb] if call.kind in "wsnz"]
            call = random.choice(writes if random.random() < 0.5 else calls[verb])
            others = "-".join(str(random.randrange(len(OTHERS))) for _ in range(2))
            names.append(f"{verb}:{call.number}:{others}")
        return names

    def calls(self, verb):
        self.place.restore()
        trace = self.place.root.parent / "trace"
        self.place.run_verb(verb, trace=trace)
        calls = read_trace(trace)
        trace.unlink()
        return calls

    def attempt(self, name):
        self.place.restore()
        verb, *rest = name.split(":")
        if verb == "containers":
            return self.in_containers()
        verb = VERBS[verb]
        stopped = self.place.start_verb(verb, fault=Fault(int(rest[0]), "stop"))
        findings, written = [], set()
        if stopped.waits_until_stopped(self.place.runner.limit):
            for index in map(int, rest[1].split("-")):
                answer = self.place.run(*OTHERS[index])
                findings += judge(answer, allowed={0, BUSY})
                if answer.status == BUSY and str(stopped.pid) not in answer.errors:
                    findings.append(Finding("holder not named", str(answer)))
                written |= ids(answer.output) if answer.status == 0 else set()
            stopped.signal(signal.SIGCONT)
        answer = stopped.answer()
        # Others may have written first, so that its request is outdated.
        findings += judge(answer, allowed={0, BUSY})
        log = self.place.run("log")
        if log.status == 0 and written - ids(log.output):
            findings.append(Finding("lost", f"{len(written - ids(log.output))} events are gone"))
        return findings + self.place.follow_up(verb, answer)

    def in_containers(self):
        wrapper = namespaces()
        follower = self.place.start(("log", "--follow"), wrapper=wrapper)
        if not self.place.waits_until_open(follower):
            return judge(follower.answer(), allowed={0})
        findings, written = [], set()
        for words in (("done", "Walk"), ("done", "Read")):
            answer = self.place.run(*words, wrapper=wrapper)
            is_told_why = answer.status == BUSY and "namespace" in answer.errors
            findings += judge(answer, allowed={0, BUSY} if is_told_why else {0})
            written |= ids(answer.output) if answer.status == 0 else set()
        follower.signal(signal.SIGTERM)
        findings += judge(follower.answer())
        return findings + self.place.examine("phone", self.place.held["phone"] | written)


def namespaces():
    """Returns the command that starts a program as process 1 of its own namespace."""
    rights = () if os.geteuid() == 0 else ("--user", "--map-root-user")
    return ("unshare", *rights, "--pid", "--fork", "--kill-child")


def has_namespaces():
    if not shutil.which("unshare"):
        return False
    return subprocess.run(
        [*namespaces(), "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0
