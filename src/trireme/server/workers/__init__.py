"""Worker processes in which agents think, so that the event loop never waits for one."""
