"""The worker pool: agents run in processes of their own and never block the event loop."""
