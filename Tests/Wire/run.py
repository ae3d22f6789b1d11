#!/usr/bin/env python3
"""Runs the checks of `conformance` against a server process; see README.md.

    python3 Tests/Wire/run.py --server .build/debug/atoll [--only NAME]
"""

import argparse
import sys
import time
import traceback

import conformance.all_checks
from conformance.check import CHECKS, World


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", default=".build/debug/atoll", help="the program `atoll`")
    parser.add_argument("--only", help="run the checks whose name contains this")
    options = parser.parse_args()
    checks = [each for each in CHECKS if (options.only or "") in each.__name__]
    world = World(options.server)
    failures = []
    try:
        for check in checks:
            begin = time.monotonic()
            try:
                check(world)
                result = "passed"
            except Exception as error:
                result = "FAILED"
                failures.append((check.__name__, error))
            sentence = " ".join(check.__doc__.split())
            seconds = time.monotonic() - begin
            print(f"{result}  {seconds:5.1f} s  {check.__name__:<28}  {sentence}", flush=True)
        for name, error in failures:
            print(f"\nerror: {name}: {type(error).__name__}: {error}")
            traceback.print_tb(error.__traceback__)
        if failures and world.shared is not None:
            print("\nThe end of the server's log:\n" + "".join(world.shared.log[-20:]))
    finally:
        world.remove()
    print(f"{len(checks) - len(failures)} of {len(checks)} checks passed")
    return 1 if failures or not checks else 0


if __name__ == "__main__":
    sys.exit(main())
