from corvo.core.clock import ManualClock
from corvo.core.ids import IdSource, derived


def test_an_id_is_its_prefix_and_26_crockford_characters():
    prefix, _, ulid = IdSource(ManualClock()).new("job").partition("_")

    assert prefix == "job"
    assert len(ulid) == 26
    assert set(ulid) <= set("0123456789ABCDEFGHJKMNPQRSTVWXYZ")


def test_ids_sort_in_the_order_they_were_made_whatever_the_clock_does():
    clock = ManualClock()
    ids = IdSource(clock)
    made = []
    for step_ms in (0, 0, 1, 0, -5_000, 0, 3, 10_000):
        clock.advance(ms=step_ms)
        made.append(ids.new("job"))

    assert made == sorted(made)
    assert len(set(made)) == len(made)


def test_derived_ids_depend_only_on_their_place():
    assert derived("job", 5_000_000, 7, 1) == derived("job", 5_000_000, 7, 1)
    assert len({derived("job", 5_000_000, index, n) for index in range(20) for n in range(20)}) == 400


def test_derived_ids_never_meet_ids_that_were_drawn():
    # The largest value a source can draw stays below the smallest place.
    clock = ManualClock(start_ns=5_000_000)
    drawn = IdSource(clock, random_bits=lambda bits: (1 << bits) - 1).new("job")
    assert drawn < derived("job", 5_000_000, 0, 0)
