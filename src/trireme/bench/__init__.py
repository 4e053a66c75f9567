"""The benchmark: a fixed, versioned set of tasks a game, for any agent, language models above all.

`tasks` says what is played, `run` plays it on the arena's executors and stores every item,
`scoring` turns a game into one number, `results` holds, merges and summarises them, `page` shows
them.
"""
