"""Turn a checkpoint into a model that runs without this project's code."""
