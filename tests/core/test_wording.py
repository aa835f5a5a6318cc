from corvo.core.wording import count


def test_one_is_not_many():
    assert [count(number, "job") for number in (0, 1, 2)] == ["0 jobs", "1 job", "2 jobs"]
    assert [count(number, "batch", "batches") for number in (1, 2)] == ["1 batch", "2 batches"]
