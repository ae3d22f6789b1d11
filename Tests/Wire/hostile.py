#!/usr/bin/env python3
"""Attacks a server beside honest devices, and measures what these notice; see README.md.

    python3 Tests/Wire/hostile.py --server PATH [--only 1.1] [--minute] [--json]
"""

import argparse
import json
import sys

from attacks.run import ATTACKS, Options, run

MIB = 1 << 20
# What is not given. Only what has still not arrived after long counts as lost, however slow the
# machine is.
SIZES = {
    "single": {"devices": 20, "seconds": 20, "scale": 1, "grace": 900, "memory": 1024},
    "minute": {"devices": 100, "seconds": 60, "scale": 1, "grace": 900, "memory": 1024},
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", default=".build/release/atoll", help="the program `atoll`")
    parser.add_argument("--only", help="the attacks whose name begins with this")
    parser.add_argument("--scale", type=float, help="of all sizes")
    parser.add_argument("--seconds", type=float, help="of an attack")
    parser.add_argument("--devices", type=int, help="honest ones")
    parser.add_argument("--grace", type=float, help="seconds until all has arrived")
    parser.add_argument("--memory", type=int, help="MiB that the server may use")
    parser.add_argument("--nice", type=int, default=5, help="how modest attackers are, 0 to 19")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--minute", action="store_true",
        help="all attacks at once, by 50 users from 20 addresses, beside 100 devices",
    )
    given = parser.parse_args()
    for name, value in SIZES["minute" if given.minute else "single"].items():
        if getattr(given, name) is None:
            setattr(given, name, value)
    options = Options(
        given.server, given.devices, given.seconds, given.scale, given.grace, given.nice
    )
    attacks = [attack for attack in ATTACKS if attack[0].startswith(given.only or "")]
    if given.minute:
        results = [run("all at once", attacks, options, lambda attack: attack[3])]
    else:
        results = [run(attack[0], [attack], options, lambda each: each[2]) for attack in attacks]
    if given.json:
        print(json.dumps(results, indent=2))
    else:
        print_table(results)
    faults = [fault for result in results for fault in faults_of(result, given.memory)]
    for fault in faults:
        print(f"error: {fault}", file=sys.stderr)
    weak = [each for result in results if result["answers"] for each in weaknesses_of(result)]
    # What is small is for builds and machines that may be too slow to begin it.
    for each in weak:
        print(f"{'error' if given.scale >= 1 else 'warning'}: {each}", file=sys.stderr)
    if given.scale >= 1:
        faults += weak
    return 1 if faults else 0


def faults_of(result, memory):
    """Returns what must hold whatever else runs on the machine, and does not."""
    name = result["attack"]
    if not result["alive"]:
        yield f"{name}: the server has ended"
    if not result["answers"]:
        yield f"{name}: the honest devices have not ended"
        return
    if result["lost"]:
        yield f"{name}: {len(result['lost'])} lost, first {result['lost'][0]}"
    if result["peakMemory"] > memory * MIB:
        yield f"{name}: the server used {result['peakMemory'] // MIB} MiB of {memory}"
    if all(measured["arrived"] == 0 for measured in result["windows"].values()):
        yield f"{name}: no write has arrived"


def weaknesses_of(result):
    """Returns what makes the measurement say little."""
    name = result["attack"]
    for window, measured in result["windows"].items():
        if measured["arrived"] == 0:
            yield f"{name}: no write arrived in the window '{window}'"
    for attack, done in result["attacks"].items():
        if not done["amount"]:
            yield f"{name}: the attack {attack} did nothing: {done['error'] or 'no error'}"


ROWS = ["writes", "anonymous", "password", "refresh", "health"]


def print_table(results):
    print("Milliseconds from a write to the other device, and of requests: p50 / p99 / max.")
    for result in results:
        print(f"\n{result['attack']}: {'alive' if result['alive'] else 'ENDED'}")
        if not result["answers"]:
            print("  the honest devices have not ended")
            continue
        print("  " + " " * 10 + "".join(f"{name:>28}" for name in result["windows"]))
        for row in ROWS:
            cells = [times(window[row]) for window in result["windows"].values()]
            print(f"  {row:<10}" + "".join(f"{cell:>28}" for cell in cells))
        memory = [f"{window['memory'] // MIB} MiB" for window in result["windows"].values()]
        print(f"  {'memory':<10}" + "".join(f"{cell:>28}" for cell in memory))
        share = [f"{window['processor']:.2f}" for window in result["windows"].values()]
        print(f"  {'processors':<10}" + "".join(f"{cell:>28}" for cell in share))
        print(
            f"  {result['sent']} written, {len(result['lost'])} lost,"
            f" {result['disconnections']} disconnections, peak {result['peakMemory'] // MIB} MiB"
        )
        for key in ("refusals", "failures"):
            counts = {name: count for name, count in result[key].items() if count}
            print(f"  {key}: {counts or 'none'}")
        for attack, done in result["attacks"].items():
            error = f", last error: {done['error']}" if done["error"] else ""
            print(f"  {attack}: {done['amount']} {done['unit']}{error}")
        for text in (result["lost"] + result["errors"])[:5]:
            print(f"    {text}")


def times(measured):
    if measured["count"] == 0:
        return "none"
    return " / ".join(f"{measured[name]:.0f}" for name in ("p50", "p99", "max"))


if __name__ == "__main__":
    sys.exit(main())
