"""All checks, in the order in which they run."""

from . import dumps, log_ins, connections, entries, collections, subscription_sets, refusals
from . import limits, lost_connections, whole_servers, encrypted

__all__ = [
    "dumps", "log_ins", "connections", "entries", "collections", "subscription_sets", "refusals",
    "limits", "lost_connections", "whole_servers", "encrypted",
]
