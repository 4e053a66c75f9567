"""The captains: programs that write plans, from the simple to the strong."""
