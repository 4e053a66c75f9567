"""`python -m trireme` is the command line."""

from trireme.cli import main

main()
