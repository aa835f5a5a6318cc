"""A timeline as a picture: one lane per node with the blows it took, and below how much work was done."""

from collections.abc import Callable
from html import escape
from itertools import pairwise

from chaos.timeline import Timeline

#: From a time to its place from left to right.
Scale = Callable[[float], float]

_WIDTH, _LEFT, _RIGHT = 1_000, 70, 20
_LANE, _BAR = 34, 16
_CURVE = 90
_COLOURS = {
    "kill": "#d1242f",
    "restart": "#bf8700",
    "kill_all": "#82071e",
    "pause": "#8250df",
    "isolate": "#0969da",
    "cut_one_way": "#218bff",
    "cut_pair": "#54aeff",
    "slow_links": "#9a6700",
    "lossy_links": "#c69026",
    "disk_full": "#57606a",
    "clock_jumps": "#1b7c83",
    "kill_actor": "#e85aad",
    "kill_vital": "#a40e6e",
}


def draw(timeline: Timeline) -> str:
    """SVG that needs nothing else."""
    lanes_end = 30 + _LANE * len(timeline.nodes)
    curve_top, curve_end = lanes_end + 24, lanes_end + 24 + _CURVE
    used = sorted({blow.nemesis for blow in timeline.blows})
    height = curve_end + 50 + 18 * -(-len(used) // 5)
    span_s = max(timeline.ended_s - timeline.began_s, 0.001)

    def x(at_s: float) -> float:
        share = (at_s - timeline.began_s) / span_s
        return round(_LEFT + min(max(share, 0.0), 1.0) * (_WIDTH - _LEFT - _RIGHT), 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" '
        f'height="{height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        *_pauses(timeline, x, lanes_end),
        *_lanes(timeline, x),
        *_curves(timeline, x, curve_top, curve_end),
        *_axis(span_s, curve_end),
        *_legend(used, curve_end + 46),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _lanes(timeline: Timeline, x: Scale) -> list[str]:
    parts = []
    for row, node_id in enumerate(timeline.nodes):
        y = 30 + row * _LANE
        parts.append(f'<text x="8" y="{y + 13}" fill="#24292f">{escape(node_id)}</text>')
        parts.append(
            f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y + 22}" y2="{y + 22}" stroke="#d0d7de"/>'
        )
        for look, after in pairwise(timeline.looks):
            if node_id in look.leaders:
                parts.append(
                    f'<line x1="{x(look.at_s)}" x2="{x(after.at_s)}" y1="{y + 22}" y2="{y + 22}" '
                    'stroke="#1a7f37" stroke-width="4"/>'
                )
        for blow in timeline.blows:
            if blow.victim in (None, node_id):
                width = max(x(blow.end_s) - x(blow.begin_s), 2.0)
                colour = _COLOURS.get(blow.nemesis, "#57606a")
                parts.append(
                    f'<rect x="{x(blow.begin_s)}" y="{y}" width="{width:.1f}" height="{_BAR}" rx="2" '
                    f'fill="{colour}"><title>{escape(blow.words)}</title></rect>'
                )
    return parts


def _pauses(timeline: Timeline, x: Scale, bottom: int) -> list[str]:
    return [
        f'<rect x="{x(begin_s)}" y="20" width="{max(x(end_s) - x(begin_s), 1.0):.1f}" '
        f'height="{bottom - 20}" fill="#ffebe9"><title>no writes for {end_s - begin_s:.1f} s</title></rect>'
        for begin_s, end_s in timeline.pauses
    ]


def _curves(timeline: Timeline, x: Scale, top: int, bottom: int) -> list[str]:
    rates: list[tuple[float, float, float]] = []
    for before, after in pairwise(timeline.looks):
        seconds = max(after.at_s - before.at_s, 0.001)
        rates.append(
            (
                after.at_s,
                (after.accepted - before.accepted) / seconds,
                (after.acked - before.acked) / seconds,
            )
        )
    most = max((max(accepted, acked) for _, accepted, acked in rates), default=1.0) or 1.0
    parts = [
        f'<text x="8" y="{top + 10}" fill="#57606a">{most:.0f}/s</text>',
        f'<text x="8" y="{bottom}" fill="#57606a">0</text>',
        f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{bottom}" y2="{bottom}" stroke="#d0d7de"/>',
    ]
    for column, colour in ((1, "#0969da"), (2, "#1a7f37")):
        points = " ".join(
            f"{x(rate[0])},{bottom - rate[column] / most * (bottom - top):.1f}" for rate in rates
        )
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="1.5" points="{points}"/>')
    return parts


def _axis(span_s: float, bottom: int) -> list[str]:
    step_s = next((step for step in (1, 5, 10, 30, 60, 300, 600) if span_s / step <= 14), 3_600)
    parts = []
    for tick in range(0, int(span_s) + 1, step_s):
        at = _LEFT + tick / span_s * (_WIDTH - _LEFT - _RIGHT)
        parts.append(
            f'<text x="{at:.1f}" y="{bottom + 16}" text-anchor="middle" fill="#57606a">{tick} s</text>'
        )
    words = "blue: jobs accepted, green: jobs acked; green line: this node leads; pink: nobody could write"
    parts.append(f'<text x="{_LEFT}" y="{bottom + 34}" fill="#57606a">{words}</text>')
    return parts


def _legend(used: list[str], top: int) -> list[str]:
    parts = []
    for number, nemesis in enumerate(used):
        at_x, at_y = _LEFT + number % 5 * 175, top + number // 5 * 18
        colour = _COLOURS.get(nemesis, "#57606a")
        parts.append(f'<rect x="{at_x}" y="{at_y}" width="12" height="12" rx="2" fill="{colour}"/>')
        parts.append(f'<text x="{at_x + 18}" y="{at_y + 11}" fill="#24292f">{escape(nemesis)}</text>')
    return parts
