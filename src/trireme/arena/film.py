"""A film: one recorded game as a self-contained HTML page to step through, of any game."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from trireme.core.game import CHANCE
from trireme.core.notebook import picture
from trireme.core.record import Record

_STYLE = (
    "body{font:15px system-ui,sans-serif;margin:24px auto;max-width:960px;padding:0 16px;"
    "color-scheme:light dark}figure{display:none;margin:16px 0}figure.on{display:block}"
    "input{width:100%}figcaption{margin-bottom:8px;overflow-wrap:anywhere}"
)
_SCRIPT = (
    "const frames=document.querySelectorAll('figure'),bar=document.querySelector('input');"
    "function show(){frames.forEach((f,i)=>f.classList.toggle('on',i==bar.value))}"
    "bar.addEventListener('input',show);document.addEventListener('keydown',e=>{"
    "const by={ArrowRight:1,ArrowLeft:-1}[e.key];"
    "if(by&&e.target!==bar){bar.value=+bar.value+by;show()}});show();"
)


def film(record: Record) -> str:
    """The page: every position of a finished game as a spectator may see it, with a slider."""
    frames = "".join(_frames(record))
    title = f"{record.header.game}: {' – '.join(record.header.seats)}"
    last = len(record.moves)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>"
        f"<h1>{escape(title)}</h1><p>{escape(_ending(record))}</p>"
        f'<input type="range" min="0" max="{last}" value="0" aria-label="Move">'
        f"{frames}<script>{_SCRIPT}</script></body></html>\n"
    )


def _frames(record: Record) -> Iterator[str]:
    for number, state in enumerate(record.states()):
        caption = "The start"
        if number:
            moved = (
                f"{'nature' if seat == CHANCE else record.header.seats[seat]}: {text}"
                for seat, text in record.shown_to(None)[number - 1].items()
            )
            caption = f"Move {number} · {' · '.join(moved)}"
        drawn = picture(record.game, state)
        yield f"<figure><figcaption>{escape(caption)}</figcaption>{drawn}</figure>"


def _ending(record: Record) -> str:
    if record.end is None:
        return "The game was not finished."
    returns = ", ".join(f"{value:g}" for value in record.end.returns)
    faults = [f"{record.header.seats[f.seat]} forfeits: {f.detail}." for f in record.end.forfeits]
    return " ".join([*faults, f"Returns: {returns}."])
