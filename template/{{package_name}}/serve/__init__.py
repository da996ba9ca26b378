"""Serve a model over HTTP: a page to try it on, predictions in JSON, health and metrics."""
