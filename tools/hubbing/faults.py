"""What is done to a hub while people sync through it."""

import collections
import concurrent.futures
import signal
import subprocess
import time

from faulting.running import Finding
from hubbing.hubs import HubProcess
from hubbing.machines import wait


class Faults:
    """Kills, pauses and cuts at random, until a time is over."""

    def __init__(self, hub, database, chance):
        self.hub, self.database, self.chance = hub, database, chance
        self.counts = collections.Counter()

    def run(self, end):
        """Does one after the other: first what must be, then others until the time is over."""
        must = [self.kill_leader, self.kill_process, self.kill_leader]
        others = [self.kill_leader, self.kill_process, self.pause_process, self.cut_link,
                  self.stall_link, self.cut_database_link, self.stall_database_link]
        if self.database.requires_copies:
            must.append(self.pause_agent)
            others += [self.kill_server, self.kill_standby]
        while must or time.monotonic() < end:
            fault = must.pop(0) if must else self.chance.choice(others)
            self.counts[fault.__name__.replace("_", " ")] += 1
            fault()
            time.sleep(self.chance.uniform(0.5, 3))

    def __str__(self):
        return ", ".join(f"{count} x {name}" for name, count in sorted(self.counts.items()))

    @property
    def process(self):
        return self.chance.choice(self.hub.processes)

    @property
    def database_link(self):
        return self.chance.choice(self.hub.database_links)

    def kill_leader(self):
        self.database.kill_leader()

    def kill_server(self):
        self.database.kill_server()

    def kill_standby(self):
        self.database.kill_standby()

    def pause_agent(self):
        self.database.pause_agent()

    def kill_process(self):
        process = self.process
        process.kill()
        time.sleep(self.chance.uniform(0, 2))
        process.await_ready()

    def pause_process(self):
        process = self.process
        process.signal(signal.SIGSTOP)
        time.sleep(self.chance.uniform(1, 8))
        process.signal(signal.SIGCONT)

    def cut_link(self):
        self.process.link.cut(self.chance.uniform(0, 3))

    def stall_link(self):
        self.process.link.stall(self.chance.uniform(0.5, 5))

    def cut_database_link(self):
        self.database_link.cut(self.chance.uniform(0, 3))

    def stall_database_link(self):
        self.database_link.stall(self.chance.uniform(0.5, 12))

    def restore(self):
        """Waits until everything runs again."""
        self.database.settle()
        for process in self.hub.processes:
            process.await_ready()


# Events that a hub must acknowledge within a second, once it acknowledges again after a fault.
LEAST_RATE = 3_000
# The time for which they are counted, in seconds, and how many there are.
RATE_SECONDS, RATE_EVENTS = 5, 20_000


def acceptance(database, crowd, devices):
    """Kills the leader, and counts the events that are acknowledged when one leads again."""
    count = -(-RATE_EVENTS // len(devices))
    for device in devices:
        device.write(count)
    killed, times = time.monotonic(), []

    def push(device):
        while not crowd.sync(device)[0]:
            pass
        times.append(time.monotonic())
    with concurrent.futures.ThreadPoolExecutor(1 + crowd.threads) as pool:
        killing = pool.submit(database.kill_leader)
        # Until then, the old leader may still acknowledge.
        time.sleep(1)
        for one in [killing, *(pool.submit(push, device) for device in devices)]:
            one.result()
    first = min(times)
    counted = [instant for instant in times if 0 < instant - first <= RATE_SECONDS]
    rate = len(counted) * count / (max(counted) - first) if counted else 0
    print(f"the leader was killed: an acknowledgement after {first - killed:.1f} s, then "
          f"{rate:,.0f} events a second", flush=True)
    if rate >= LEAST_RATE:
        return []
    return [Finding("wrong", f"only {rate:,.0f} events a second after a fault")]


def without_standbys(hub, cluster, crowd, devices):
    """Kills both standbys: nothing may be acknowledged until one is back.

    Nor may a new process of the hub start, since the migrations are a commit, too."""
    standbys = cluster.standbys
    for member in standbys:
        member.kill()
    findings, syncs = [], crowd.syncs
    for device in devices:
        device.write(3)
    for _ in range(2):
        for device in devices:
            if crowd.sync(device)[0]:
                findings.append(Finding(
                    "wrong", f"{device.name} of {device.person.mark} was sent an acknowledgement "
                    "without a second copy"))
    print(f"without standbys: {crowd.syncs - syncs} of {2 * len(devices)} syncs acknowledged",
          flush=True)
    findings += refuses_to_start(hub, cluster)
    cluster.settle()
    for device in devices:
        wait(f"a sync of {device.name}", lambda device=device: crowd.sync(device)[0])
    return findings


def refuses_to_start(hub, database):
    """Without a server that makes copies, a hub that requires them must not start."""
    process = HubProcess(
        hub.directory, len(hub.processes), hub.carillon, hub.url(database.ports), True)
    try:
        process.start()
        status = process.process.wait(60)
    except subprocess.TimeoutExpired:
        return [Finding("wrong", "a hub that requires copies started without them")]
    finally:
        process.close()
    print(f"a new process that requires copies: exit {status}: {process.last_words()}", flush=True)
    return [] if status > 0 else [Finding("wrong", f"a hub without copies: exit {status}")]
