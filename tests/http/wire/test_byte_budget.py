"""What all clients together have half sent or not yet read, and who gives way when that is too much."""

from corvo.http.wire.byte_budget import ByteBudget


def test_the_one_that_has_taken_longest_gives_way():
    gone = []
    budget = ByteBudget(100)
    first, second, third = (budget.begin(lambda name=name: gone.append(name)) for name in "abc")
    second.add(40)
    first.add(40)
    assert (gone, budget.held) == ([], 80)
    third.add(30)
    assert gone == ["a"]
    assert (first.gave_way, second.gave_way, budget.held) == (True, False, 70)
    # What it ends with afterwards counts no second time, nor does what still comes.
    first.add(1_000)
    assert (budget.held, gone) == (70, ["a"])
    first.end()
    second.end()
    assert budget.held == 30


def test_one_that_holds_nothing_need_not_give_way():
    gone = []
    budget = ByteBudget(100)
    budget.begin(lambda: gone.append("empty"))
    large = budget.begin(lambda: gone.append("large"))
    large.add(101)
    assert (gone, budget.held, budget.given_up) == (["large"], 0, 1)
