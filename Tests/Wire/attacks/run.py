"""One attack, or all of them, beside honest devices."""

import multiprocessing
import os
import time
from dataclasses import dataclass

from atoll_wire.errors import WireError
from server_process import ServerProcess, rules
from . import crowds, floods, honest, pushes, queries
from .hostile_client import Target
from .measure import Watch, arrived, summary

# Each with the users that it has in a run of its own, and when all run at once (fifty together),
# and what it counts.
ATTACKS = [
    ("1.1", queries.long_pattern, 1, 3, "queries"),
    ("1.2", queries.many_texts, 1, 3, "queries"),
    ("1.3", queries.kept_subscriptions, 5, 5, "bytes"),
    ("1.4", pushes.large_set, 1, 1, "additions"),
    ("1.5 one push", pushes.many_operations, 1, 2, "bytes"),
    ("1.5 pushes", pushes.allowed_operations, 1, 2, "bytes"),
    ("1.6 PING", floods.pings, 2, 3, "bytes"),
    ("1.6 VERIFY", floods.verifications, 1, 2, "bytes"),
    ("1.6 CONFIRM", floods.confirmations, 2, 2, "bytes"),
    ("1.6 SETS", floods.sets, 1, 2, "bytes"),
    ("1.7", floods.password_log_ins, 0, 0, "log-ins"),
    ("2.1", pushes.unfinished_pushes, 25, 11, "bytes"),
    ("2.2", pushes.large_pushes, 1, 2, "bytes"),
    ("2.6", pushes.filling_pushes, 2, 2, "bytes"),
    ("2.3 sockets", crowds.connections, 100, 10, "connections"),
    ("2.3 idle", crowds.idle_connections, 0, 0, "connections"),
]
ADDRESSES = [f"127.0.0.{number}" for number in range(2, 22)]
CALM = 5


@dataclass
class Options:
    server: str
    devices: int
    seconds: float
    scale: float
    grace: float
    nice: int


def attacker(function, target):
    """Runs an attack in its process."""
    os.nice(target.nice)
    try:
        function(target)
    except (WireError, OSError) as error:
        # Not even its users were taken: the others do not wait for it.
        target.failed(error)
        target.ready.release()


def run(name, attacks, options, users):
    """Runs attacks at once; returns what was measured.

    `users` tells how many users an attack has.
    """
    context = multiprocessing.get_context("spawn")
    process = ServerProcess(options.server, rules()).start()
    attackers, targets, fleet = [], [], None
    try:
        pipe, theirs = context.Pipe()
        fleet = context.Process(
            target=honest.run, args=(process.port, options.devices // 2, theirs), daemon=True
        )
        fleet.start()
        if pipe.recv() != "connected":
            raise RuntimeError("the honest devices are not connected before any attack")
        watch = Watch(process).start()
        time.sleep(1)
        calm = (time.monotonic(), sleep_until(time.monotonic() + CALM))
        ready, go = context.Semaphore(0), context.Event()
        for attack in attacks:
            target = Target(
                process.port, ADDRESSES, users(attack), options.scale, options.seconds,
                options.nice, ready, go, context.Value("q", 0), context.Array("c", 200),
            )
            targets.append(target)
            attackers.append(
                context.Process(target=attacker, args=(attack[1], target), daemon=True)
            )
            attackers[-1].start()
        for _ in attackers:
            ready.acquire(timeout=120)
        begin = time.monotonic()
        go.set()
        end = sleep_until(begin + options.seconds)
        for each in attackers:
            each.kill()
        begin_after = sleep_until(time.monotonic() + CALM)
        end_after = sleep_until(begin_after + CALM)
        is_alive = process.is_running()
        pipe.send(options.grace)
        found = pipe.recv() if pipe.poll(options.grace + 60) else None
        watch.is_over = True
        windows = [
            watch.window("calm", *calm), watch.window("attack", begin, end),
            watch.window("after", begin_after, end_after),
        ]
        is_alive = is_alive and process.is_running()
        result = report(name, windows, found, is_alive, watch.peak)
        result["attacks"] = {
            attack[0]: {
                "amount": target.done.value,
                "unit": attack[4],
                "error": target.error.value.decode(errors="replace"),
            }
            for attack, target in zip(attacks, targets)
        }
        return result
    finally:
        for each in [*attackers, fleet]:
            if each is not None and each.is_alive():
                each.kill()
        process.remove()


def sleep_until(moment):
    time.sleep(max(0, moment - time.monotonic()))
    return moment


def report(name, windows, found, is_alive, peak):
    result = {
        "attack": name,
        "alive": is_alive,
        "peakMemory": peak,
        "answers": found is not None,
        "windows": {},
    }
    if found is None:
        return result
    for window in windows:
        result["windows"][window.name] = {
            "writes": summary(found["delays"], window),
            "arrived": arrived(found["delays"], window),
            **{kind: summary(samples, window) for kind, samples in found["probes"].items()},
            "memory": window.memory,
            "processor": round(window.processor, 2),
        }
    for key in ("sent", "lost", "disconnections", "errors", "refusals", "failures"):
        result[key] = found[key]
    return result
