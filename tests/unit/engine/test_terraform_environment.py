"""What Terraform is given of the environment."""

from __future__ import annotations

from pathlib import Path

from magflow.engine.terraform.environment import environment


def test_nothing_may_change_what_was_asked_for() -> None:
    base = {
        "PATH": "/bin",
        "HOME": "/nobody",
        "OS_CLOUD": "other",
        "OS_MAGNUM_FLAVOR": "other",
        "OS_PASSWORD": "secret",
        "OS_CLIENT_CONFIG_FILE": "/c.yaml",
        "TF_LOG": "TRACE",
        "TF_VAR_cloud": "other",
        "TF_CLI_ARGS": "-lock=false",
    }
    assert environment({}, base, Path("/nobody")) == {
        "PATH": "/bin",
        "HOME": "/nobody",
        "OS_CLIENT_CONFIG_FILE": "/c.yaml",
        "TF_IN_AUTOMATION": "1",
        "TF_INPUT": "0",
        "CHECKPOINT_DISABLE": "1",
    }


def test_the_caller_wins() -> None:
    assert (
        environment({"OS_CLIENT_CONFIG_FILE": "/mine"}, {"OS_CLIENT_CONFIG_FILE": "/c"})["OS_CLIENT_CONFIG_FILE"]
        == "/mine"
    )


def test_places_are_absolute_since_terraform_runs_elsewhere(tmp_path: Path) -> None:
    assert environment({"OS_CLIENT_CONFIG_FILE": "my.yaml"}, {}, tmp_path)["OS_CLIENT_CONFIG_FILE"] == str(
        tmp_path / "my.yaml"
    )
    assert "OS_CLIENT_CONFIG_FILE" not in environment({}, {}, tmp_path)
    (tmp_path / "clouds.yaml").touch()
    assert environment({}, {}, tmp_path)["OS_CLIENT_CONFIG_FILE"] == str(tmp_path / "clouds.yaml")


def test_a_cli_configuration_that_is_not_there_is_left_out(tmp_path: Path) -> None:
    base = {"HOME": str(tmp_path), "TF_CLI_CONFIG_FILE": str(tmp_path / "gone")}
    assert "TF_CLI_CONFIG_FILE" not in environment({}, base)


def test_the_cache_s_cli_configuration_stands_in(tmp_path: Path) -> None:
    config = tmp_path / "terraform" / "cli.tfrc"
    config.parent.mkdir()
    config.touch()
    base = {"MAGFLOW_CACHE": str(tmp_path), "TF_CLI_CONFIG_FILE": "/gone"}
    assert environment({}, base)["TF_CLI_CONFIG_FILE"] == str(config)
    assert environment({"TF_CLI_CONFIG_FILE": __file__}, base)["TF_CLI_CONFIG_FILE"] == __file__
