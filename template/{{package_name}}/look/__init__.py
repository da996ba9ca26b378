"""Look at the model: what it is, what it sees, what it learned."""
