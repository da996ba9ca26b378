"""The rules, a file per group; each says all that is known of it in one place."""
