"""Turns published weights into ONNX files, with nothing but the standard library.

No converter framework, no numpy: the bytes that come out depend on no other package's version, so the manifests can
pin their hashes, and any Python from 3.11 on makes the same files.
"""
