"""How every part prints what it measured: one line, the target beside it, misses named."""


def line(what: str, measured: str, target: str = "", *, hit: bool = True) -> None:
    beside = f"   target {target}" if target else ""
    print(f"  {what:44} {measured:>18}{beside}{'' if hit else '   MISSED'}", flush=True)


def at_least(what: str, value: float, target: float, text: str = "") -> None:
    """`text` instead of the bare value, such as both figures of a ratio."""
    line(what, f"{text or ''}{value:10,.2f}", f">= {target:g}", hit=value >= target)


def below(what: str, value: float, target: float, unit: str) -> None:
    line(what, f"{value:,.2f} {unit}", f"< {target:g} {unit}", hit=value < target)
