"""From files to batches on the device: storage, samplers, workers, the cache, conversion.

Imports `base` only. Open it to read a format of your own: `storage.Reader` says what is needed.
"""
