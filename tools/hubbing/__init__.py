"""A hub under faults: its database, its processes, the links to both, and simulated people."""
