"""The client without blocking. `_sync` is generated from this folder by scripts/make_sync.py."""
