"""REST routes of reviews: start one, and ask how far it is."""

from __future__ import annotations

import asyncio
from gzip import compress
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Path, Request, Response

from trireme.server.protocol import bodies, shapes
from trireme.server.protocol.codes import Refusal
from trireme.server.protocol.review_shapes import ReviewInfo
from trireme.server.rooms.reviews import ReviewJob, ReviewJobs

from .prepared import compressed_response
from .rest import Address, Bearer, JsonRoute, LobbyState, charge_bytes, seats_of

reviews = APIRouter(
    prefix="/api",
    dependencies=[Depends(charge_bytes)],
    route_class=JsonRoute,
    responses={
        "4XX": {"model": shapes.ErrorResponse, "description": "Refused; the code says why."}
    },
)


_ANSWER: dict[int | str, dict[str, Any]] = {200: {"model": bodies.ReviewProgress}}


@reviews.post("/reviews", responses=_ANSWER)
async def start_review(
    request: Request,
    lobby: LobbyState,
    address: Address,
    body: bodies.ReviewRequest,
    bearer: Bearer = None,
) -> Response:
    """Review a finished game, a record, or one's own decisions of a running game with hints."""
    lobby.quotas.require("cpu", address)
    if (body.room is None) == (body.record is None):
        raise Refusal("bad_message", "expected either a room or a record")
    seats = () if body.room is None else seats_of(await lobby.get(body.room), bearer)
    return await _progress(request, await _jobs(request).start(body, seats, address))


@reviews.get("/reviews/{id}", responses=_ANSWER)
async def review_progress(request: Request, id: Annotated[str, Path(max_length=60)]) -> Response:
    """How far a review is, and the review when it is done."""
    return await _progress(request, _jobs(request).get(id))


def _jobs(request: Request) -> ReviewJobs:
    jobs: ReviewJobs = request.app.state.reviews
    return jobs


async def _progress(request: Request, job: ReviewJob) -> Response:
    """The job's state. A finished review is translated once: a long one takes milliseconds."""
    if job.review is None:
        return Response(_shape(job).model_dump_json(), media_type="application/json")
    if job.answer is None:
        job.answer = await asyncio.to_thread(
            lambda: compress(_shape(job).model_dump_json().encode())
        )
    return compressed_response(request, job.answer)


def _shape(job: ReviewJob) -> bodies.ReviewProgress:
    plain = None if job.review is None else msgspec.to_builtins(job.review)
    review = None if plain is None else ReviewInfo.model_validate(plain, strict=False)
    return bodies.ReviewProgress(
        id=job.id, done=job.done, total=job.total, problem=job.problem, review=review
    )
