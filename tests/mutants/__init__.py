"""Mutation tests: each rule of training is broken in a project, whose own tests must notice."""
