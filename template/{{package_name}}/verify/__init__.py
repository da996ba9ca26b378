"""Proofs of what this project promises, run on its code as it stands, your edits included."""
