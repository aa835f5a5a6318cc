"""Unsearchable queues: a search that looks into texts cannot look into sealed ones, and says so (ADR 20)."""

from typing import Final

from corvo.actors.mirror.messages import Query
from corvo.actors.state.questions import ListQueues, QueuesListed
from corvo.core.errors import ValidationFailed
from corvo.core.namespace import Qualified, name_of
from corvo.http.serve.context import EdgeContext
from corvo.http.wire.message import Request

#: Filters that look into what may be sealed.
_INTO_TEXTS: Final = ("payload_contains", "payload_jq", "error_contains")
#: Queues that are named one by one.
_NAMED_MAX: Final = 100


async def unsearchable(request: Request, ctx: EdgeContext, query: Query) -> list[str]:
    """The sealed queues among those that are searched; none if the search does not look into texts. If it
    asks for one that is sealed and no other, it is refused: nothing could be found."""
    if not ctx.sealing.is_on:
        return []
    asked = [name for name in _INTO_TEXTS if getattr(query, name) is not None]
    if not asked:
        return []
    if query.queue is not None:
        if ctx.sealing.covers(query.queue):
            raise ValidationFailed(
                f"{asked[0]}: the jobs of queue {name_of(Qualified(query.queue))} are sealed, so their texts "
                "cannot be searched; search by tags, times, states or `failure` instead"
            )
        return []
    return await sealed_queues(request, ctx)


async def sealed_queues(request: Request, ctx: EdgeContext) -> list[str]:
    """All sealed queues that the client may see; it is warned of them."""
    if not ctx.sealing.is_on:
        return []
    listed: QueuesListed = await ctx.ask(ctx.actors.fsm, ListQueues(reach=request.reach))
    names = [
        name_of(Qualified(info.queue.name)) for info in listed.queues if ctx.sealing.covers(info.queue.name)
    ]
    if names:
        more = "" if len(names) <= 3 else f" and {len(names) - 3} more"
        warning = f"not searched, because they are sealed: the texts of {', '.join(names[:3])}{more}"
        request.warnings = [*request.warnings, warning]
    return names[:_NAMED_MAX]
