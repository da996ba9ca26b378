"""Tests of `torchgen doctor`."""
