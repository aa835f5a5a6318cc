"""Where the server is: flag over environment over profile over default."""

import stat

import pytest

from corvo.cli.problems import Misused
from corvo.cli.request import profile
from corvo.cli.request.profile import Flags, Profile, Profiles, target


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    for name in ("CORVO_URL", "CORVO_PROFILE", "CORVO_API_KEY", "CORVO_API_KEY_FILE", "CORVO_NAMESPACE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path


def test_without_anything_it_is_this_machine():
    assert target(Flags()).server == "http://localhost:8080"
    assert target(Flags()).api_key is None


def test_a_flag_wins_over_the_environment_and_this_over_the_profile(monkeypatch, home):
    key = home / "key"
    key.write_text("sk_file\n")
    profile.save(Profiles({"prod": Profile("http://profile", str(key), "ns-profile")}, "prod"))
    assert target(Flags())[:3] == ("http://profile", "sk_file", "ns-profile")
    monkeypatch.setenv("CORVO_URL", "http://environment")
    monkeypatch.setenv("CORVO_API_KEY", "sk_environment")
    monkeypatch.setenv("CORVO_NAMESPACE", "ns-environment")
    assert target(Flags())[:3] == ("http://environment", "sk_environment", "ns-environment")
    flags = Flags(server="http://flag", api_key="sk_flag", namespace="ns-flag")
    assert target(flags)[:3] == ("http://flag", "sk_flag", "ns-flag")


def test_a_key_file_named_by_flag_wins_over_a_key_of_the_environment(monkeypatch, home):
    (home / "key").write_text("sk_file")
    monkeypatch.setenv("CORVO_API_KEY", "sk_environment")
    assert target(Flags(api_key_file=str(home / "key"))).api_key == "sk_file"
    with pytest.raises(Misused):
        target(Flags(api_key_file=str(home / "none")))


def test_another_profile_can_be_named(monkeypatch):
    profile.save(Profiles({"a": Profile("http://a"), 'b "x"': Profile("http://b")}, "a"))
    assert target(Flags(profile='b "x"')).server == "http://b"
    monkeypatch.setenv("CORVO_PROFILE", 'b "x"')
    assert target(Flags()).server == "http://b"
    with pytest.raises(Misused):
        target(Flags(profile="c"))


def test_the_file_belongs_to_its_owner_alone():
    profile.save(Profiles({"a": Profile("http://a")}, None))
    assert stat.S_IMODE(profile.path().stat().st_mode) == 0o600


def test_a_broken_file_is_said_and_not_overwritten():
    profile.path().parent.mkdir()
    profile.path().write_text("= nonsense")
    with pytest.raises(Misused, match="cannot be read"):
        profile.load()


@pytest.mark.slow
def test_profiles_are_added_used_listed_and_removed(cli):
    cli("profile", "add", "here", "--server", cli.environment["CORVO_URL"])
    cli("profile", "add", "gone", "--server", "http://127.0.0.1:1", "--namespace", "n")
    rows = {row["name"]: row for row in cli("profile", "list", "-o", "json").json}
    assert rows["here"]["current"] is True
    assert rows["gone"]["namespace"] == "n"
    assert cli("queues", "--profile", "gone", CORVO_URL="", code=7).out == ""
    cli("profile", "use", "gone")
    cli("queues", CORVO_URL="", code=7)
    cli("profile", "remove", "gone")
    assert cli("profile", "use", "gone", code=5).out == ""
    assert cli("queues", "--profile", "here", CORVO_URL="").code == 0


def test_the_key_file_of_a_profile_is_found_from_every_folder(nowhere, tmp_path, monkeypatch):
    (tmp_path / "key").write_text("sk_file")
    monkeypatch.chdir(tmp_path)
    nowhere("profile", "add", "prod", "--server", "http://h", "--api-key-file", "key")
    monkeypatch.chdir("/")
    assert profile.load().by_name["prod"].api_key_file == str(tmp_path / "key")
    assert target(Flags()).api_key == "sk_file"


@pytest.mark.parametrize("name", ["caf\u00e9", "\N{PARTY POPPER}", 'b "x"', "a\tb"])
def test_a_profile_may_have_any_name(nowhere, name):
    nowhere("profile", "add", name, "--server", "http://h")
    assert nowhere("profile", "list", "-o", "json").json[0]["name"] == name


def test_a_file_that_cannot_be_written_is_said(nowhere):
    ran = nowhere("profile", "add", "x", "--server", "http://h", code=2, XDG_CONFIG_HOME="/proc/none")
    assert "profiles.toml cannot be written" in ran.err


@pytest.mark.parametrize(
    "text", ["[profiles.x]\nserver = 8080\n", "current = 1\n", "profiles = 1\n", "[profiles]\nx = 1\n"]
)
def test_a_file_of_other_things_is_said_to_be_wrong(text):
    profile.path().parent.mkdir(parents=True)
    profile.path().write_text(text)
    with pytest.raises(Misused, match="cannot be read"):
        target(Flags())
