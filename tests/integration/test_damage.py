"""What a damaged disk does to a node: the unfinished is dropped and said, the rest is refused by name."""

import subprocess

import pytest


def journal_files(started):
    return sorted((started.server.data_dir / "journal").glob("*.seg*")) or sorted(
        file for file in (started.server.data_dir / "journal").iterdir() if file.stat().st_size > 100
    )


def flip(file, offset):
    data = bytearray(file.read_bytes())
    data[offset] ^= 0x10
    file.write_bytes(data)


def used(file):
    """How far the file is written; a journal file may be longer than what it holds."""
    return len(file.read_bytes().rstrip(b"\0"))


@pytest.mark.parametrize("damage", ["torn", "flipped"])
def test_an_unfinished_end_of_the_journal_is_dropped_and_said(serve, damage):
    started = serve()
    ids = [started.enqueue(payload={"n": n}) for n in range(20)]
    started.server.kill()
    file = journal_files(started)[-1]
    if damage == "torn":
        with file.open("r+b") as stream:
            stream.truncate(used(file) - 3)
    else:
        flip(file, used(file) - 5)

    started.restart()

    assert "journal" in started.log()
    # The store had the entry already, as it has after a crash between the two; nothing is lost by that.
    assert [started.state(job_id) for job_id in ids[:-1]] == ["pending"] * 19
    later = [started.enqueue() for _ in range(5)]
    started.server.kill()
    started.restart()
    assert {started.state(job_id) for job_id in [*ids[:-1], *later]} == {"pending"}
    assert started.server.doctor()[0] == 0


def test_a_flipped_bit_in_the_middle_refuses_the_start_by_file_and_offset(serve):
    started = serve()
    for n in range(20):
        started.enqueue(payload={"n": n})
    started.server.kill()
    file = journal_files(started)[-1]
    flip(file, used(file) // 2)

    with pytest.raises(RuntimeError, match="ended with"):
        started.restart()

    said = started.log().splitlines()[-1]
    assert file.name in said
    assert "offset" in said or "byte" in said
    code, words = started.server.doctor()
    assert code != 0
    assert file.name in words


def test_a_store_that_lost_a_file_is_refused_and_not_emptied(serve):
    started = serve()
    started.enqueue()
    started.server.kill()
    (store,) = started.server.data_dir.glob("kv-*")
    (store / "CURRENT").unlink()
    with pytest.raises(RuntimeError, match="ended with"):
        started.restart()
    assert "kv-" in started.log().splitlines()[-1]
    assert started.server.doctor()[0] != 0


def test_a_lost_mirror_is_built_again(serve):
    started = serve()
    ids = [started.enqueue() for _ in range(50)]
    started.server.kill()
    for file in (started.server.data_dir / "mirror").iterdir():
        file.write_bytes(b"not a database at all" * 100)
    started.restart()
    status, page = started.call("POST", "/jobs/search", {"limit": 1_000})
    while status == 503:
        status, page = started.call("POST", "/jobs/search", {"limit": 1_000})
    assert {job["id"] for job in page["jobs"]} == set(ids)
    assert started.server.doctor()[0] == 0


def test_a_second_process_on_the_same_folder_is_refused(serve):
    started = serve()
    done = subprocess.run(
        [*started.server.command[:-1], "127.0.0.1:0"], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "in use" in done.stderr + done.stdout
