"""Files that do not parse, notes to the doctor, and names that are not there."""
