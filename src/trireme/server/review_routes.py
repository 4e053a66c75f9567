"""REST routes of reviews: start one, and ask how far it is."""

from __future__ import annotations

from typing import Annotated

import msgspec
from fastapi import APIRouter, Depends, Path, Request

from trireme.server.protocol import bodies, shapes
from trireme.server.protocol.codes import Refusal
from trireme.server.protocol.review_shapes import ReviewInfo
from trireme.server.rooms.reviews import ReviewJob, ReviewJobs

from .rest import Address, Bearer, JsonRoute, LobbyState, charge_bytes, seats_of

reviews = APIRouter(
    prefix="/api",
    dependencies=[Depends(charge_bytes)],
    route_class=JsonRoute,
    responses={
        "4XX": {"model": shapes.ErrorResponse, "description": "Refused; the code says why."}
    },
)


@reviews.post("/reviews")
async def start_review(
    request: Request,
    lobby: LobbyState,
    address: Address,
    body: bodies.ReviewRequest,
    bearer: Bearer = None,
) -> bodies.ReviewProgress:
    """Review a finished game, a record, or one's own decisions of a running game with hints."""
    lobby.quotas.require("cpu", address)
    if (body.room is None) == (body.record is None):
        raise Refusal("bad_message", "expected either a room or a record")
    seats = () if body.room is None else seats_of(await lobby.get(body.room), bearer)
    return _progress(await _jobs(request).start(body, seats, address))


@reviews.get("/reviews/{id}")
async def review_progress(
    request: Request, id: Annotated[str, Path(max_length=60)]
) -> bodies.ReviewProgress:
    """How far a review is, and the review when it is done."""
    return _progress(_jobs(request).get(id))


def _jobs(request: Request) -> ReviewJobs:
    jobs: ReviewJobs = request.app.state.reviews
    return jobs


def _progress(job: ReviewJob) -> bodies.ReviewProgress:
    plain = None if job.review is None else msgspec.to_builtins(job.review)
    review = None if plain is None else ReviewInfo.model_validate(plain, strict=False)
    return bodies.ReviewProgress(
        id=job.id, done=job.done, total=job.total, problem=job.problem, review=review
    )
