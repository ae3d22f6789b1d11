"""Checks that a server does what Format.md says of the wire.

Each check is a function with a name and a sentence; it raises an error if the sentence is not true.
"""
