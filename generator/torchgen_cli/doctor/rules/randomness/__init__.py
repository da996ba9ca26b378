"""Seeds, draws and workers."""
