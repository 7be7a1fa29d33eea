"""The blocking client. Generated from `_async` by scripts/make_sync.py: do not edit it."""
