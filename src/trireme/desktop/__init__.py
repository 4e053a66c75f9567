"""The desktop window: games on a Tk canvas, with agents in a process of their own."""
