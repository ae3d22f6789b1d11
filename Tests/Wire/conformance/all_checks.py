"""All checks, in the order in which they run."""

from . import dumps, log_ins, connections, entries, collections, subscription_sets, refusals
from . import limits, costs, lost_connections, whole_servers, encrypted

__all__ = [
    "dumps", "log_ins", "connections", "entries", "collections", "subscription_sets", "refusals",
    "limits", "costs", "lost_connections", "whole_servers", "encrypted",
]
