"""Where the time of a step goes, a learning rate, a batch size: `python -m <package>.perf WHAT`."""
