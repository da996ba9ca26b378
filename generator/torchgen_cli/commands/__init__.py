"""What each command takes and prints; the work is done elsewhere, and imported only then."""
