"""What every command needs: errors, signals, running git, temporary folders, reading a project.

Imports nothing of the other folders. Open it when an error is reported badly, an interrupted
command leaves files behind, or git behaves differently than expected.
"""
