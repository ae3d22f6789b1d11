"""Windows of time, percentiles, the server's memory and processor."""

import threading
import time
from dataclasses import dataclass, field


@dataclass
class Window:
    """What happened between two moments."""

    name: str
    begin: float
    end: float
    memory: int = 0
    processor: float = 0


@dataclass
class Watch:
    """Notes the memory and the processor seconds of a server five times a second."""

    process: object
    samples: list = field(default_factory=list)
    is_over: bool = False

    def start(self):
        threading.Thread(target=self.run, daemon=True).start()
        return self

    def run(self):
        while not self.is_over:
            try:
                self.samples.append(
                    (time.monotonic(), self.process.memory(), self.process.processor_seconds())
                )
            except (OSError, TypeError, AttributeError):
                # The server has ended.
                return
            time.sleep(0.2)

    @property
    def peak(self):
        """The most bytes that the process has had, as far as it was seen."""
        return max((memory for _, memory, _ in self.samples), default=0)

    def window(self, name, begin, end):
        inside = [sample for sample in self.samples if begin <= sample[0] <= end]
        if len(inside) < 2:
            return Window(name, begin, end)
        used = (inside[-1][2] - inside[0][2]) / (inside[-1][0] - inside[0][0])
        return Window(name, begin, end, max(sample[1] for sample in inside), used)


def percentile(values, share):
    """Returns the smallest value that so large a share does not exceed; None of nothing."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


def arrived(samples, window):
    """Returns how many of what began in a window also ended in it."""
    return sum(
        1 for moment, seconds in samples
        if window.begin <= moment and moment + seconds < window.end
    )


def summary(samples, window):
    """Returns count, p50, p99 and max in milliseconds of what began in a window."""
    values = [seconds * 1000 for moment, seconds in samples if window.begin <= moment < window.end]
    result = {"count": len(values)}
    for name, share in (("p50", 0.5), ("p99", 0.99), ("max", 1)):
        value = percentile(values, share)
        result[name] = None if value is None else round(value, 1)
    return result
