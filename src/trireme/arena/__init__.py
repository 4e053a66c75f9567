"""Where agents meet, and how a claim about them is made."""
