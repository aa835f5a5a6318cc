"""The few things that must work for anything to work; the rest is marked slow."""


def test_a_job_goes_in_is_found_acted_on_and_seen(cli, node, queue):
    job_id = cli("enqueue", queue, '{"to":"ann"}', "-o", "id").out.strip()
    assert cli("search", f'queue:{queue} payload.to == "ann"', "-o", "json").json[0]["id"] == job_id
    assert cli("bulk", "cancel", "--yes", stdin=job_id).out.startswith("cancel: 1 job ")
    assert node.state(job_id) == "cancelled"
    assert queue in cli("status").out


def test_help_is_a_command_too(nowhere):
    assert nowhere("help").out == nowhere("--help").out
    assert nowhere("help", "schedules", "create").out == nowhere("schedules", "create", "--help").out
    assert "There is no command 'emqueue'" in nowhere("help", "emqueue", code=2).err
