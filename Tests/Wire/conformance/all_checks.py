"""All checks, in the order in which they run."""

from . import dumps, log_ins, connections, entries, collections, subscription_sets, refusals
from . import lost_connections, whole_servers

__all__ = [
    "dumps", "log_ins", "connections", "entries", "collections", "subscription_sets", "refusals",
    "lost_connections", "whole_servers",
]
