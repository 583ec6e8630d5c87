"""The table of tools, what is looked up where, and the generated go.mod; nothing is built."""

from __future__ import annotations

from pathlib import Path

import pytest

from magflow_sandbox.errors import SandboxError
from magflow_sandbox.toolchain import Toolchain, chain, go, installed, mirror, needs, table
from magflow_sandbox.toolchain.table import Found, Tool

TOOL = Tool("thing", "go", "v1.2.3", "demo", 1, module="example.org/thing", programs={"thing": "example.org/thing/cmd"})


def test_the_table_reads_and_each_program_is_there_once() -> None:
    tools = table.load()
    programs = [(program, tool.version) for tool in tools.values() for program in tool.programs]
    assert len(programs) == len(set(programs))
    assert {"etcd", "kube-apiserver", "kwok", "training-operator", "kubectl", "helm", "tofu"} <= {
        p for p, _ in programs
    }


def test_a_tier_holds_the_smaller_ones() -> None:
    tools = table.load()
    unit, demo, full = ({tool.name for tool in table.within(tools, tier)} for tier in table.TIERS)
    assert unit < demo <= full


@pytest.mark.parametrize(
    ("printed", "rule", "fits"),
    [
        ("etcd Version: 3.7.3\nGit SHA: x", Found((), exact=True), True),
        ("Kubernetes v3.7.4", Found((), exact=True), False),
        ("Terraform v1.11.4\non linux_amd64", Found((), least="1.9"), True),
        ("OpenTofu v1.8.9", Found((), least="1.9"), False),
        ("Terraform v1.10.0", Found((), least="1.9"), True),
        ("no number here", Found((), least="1.9"), False),
    ],
)
def test_versions_of_programs_in_path(printed: str, rule: Found, fits: bool) -> None:
    assert installed.fits(printed, "v3.7.3", rule) is fits


def test_a_program_in_path_is_taken_when_its_version_fits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "thing"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho thing 1.2.3\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    rule = Found(("--version",), exact=True)
    tools = Toolchain(tmp_path / "cache", {"thing": Tool(**{**vars(TOOL), "found": rule})})
    assert tools.path("thing") == program
    assert tools.missing("demo") == []


def test_one_that_is_not_built_says_what_to_do(tmp_path: Path) -> None:
    tools = Toolchain(tmp_path, {"thing": TOOL})
    with pytest.raises(SandboxError) as raised:
        tools.path("thing")
    assert "not built yet" in raised.value.what
    assert "ensure" in (raised.value.hint or "")
    with pytest.raises(SandboxError, match="not in the table"):
        tools.path("kube-apiserver", "v1.29.0")


def test_a_build_that_broke_off_leaves_nothing_that_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("magflow_sandbox.toolchain.needs.lacking", lambda *_, **__: [])
    text: list[str] = []

    def broken(tool: Tool, folder: Path, work: Path) -> None:
        folder.mkdir(parents=True)
        (folder / ".thing.new").write_text("half")
        raise KeyboardInterrupt

    def whole(tool: Tool, folder: Path, work: Path) -> None:
        (folder / "thing").write_text("all")

    tools = Toolchain(tmp_path, {"thing": TOOL})
    monkeypatch.setattr(go, "build", broken)
    with pytest.raises(KeyboardInterrupt):
        tools.ensure("demo", text.append)
    assert not tools.has("thing")
    monkeypatch.setattr(go, "build", whole)
    tools.ensure("demo", text.append)
    assert tools.path("thing") == tmp_path / "bin" / "thing-v1.2.3" / "thing"
    assert text[0] == "building thing v1.2.3 (1 of 1, about 1 min) ... "
    assert text[-1].startswith("done in ")


def test_the_go_mod_repeats_requirements_and_remote_replacements() -> None:
    upstream = {
        "Go": "1.26.0",
        "Require": [{"Path": "k8s.io/api", "Version": "v0.0.0"}, {"Path": "example.org/a", "Version": "v1.0.0"}],
        "Replace": [
            {"Old": {"Path": "k8s.io/api"}, "New": {"Path": "./staging/src/k8s.io/api"}},
            {"Old": {"Path": "example.org/a"}, "New": {"Path": "example.org/b", "Version": "v2.0.0"}},
        ],
    }
    tool = Tool(**{**vars(TOOL), "staging": "v0.36.3"})
    lines = go.module_file(tool, upstream).splitlines()
    assert "require k8s.io/api v0.36.3" in lines
    assert "require example.org/thing v1.2.3" in lines
    assert "replace example.org/a  => example.org/b v2.0.0" in lines
    assert not any("staging" in line for line in lines)


def test_the_provider_is_offered_under_both_registries(tmp_path: Path) -> None:
    program = tmp_path / "built"
    program.write_text("provider")
    tool = Tool("terraform-provider-openstack", "go", "v3.4.0", "demo", 1, programs={"x": "y"})
    config = mirror.lay_out(tool, program, tmp_path / "cache")
    text = config.read_text()
    for host in mirror.HOSTS:
        places = list(
            (tmp_path / "cache" / "terraform" / "providers" / host).rglob("terraform-provider-openstack_v3.4.0")
        )
        assert len(places) == 1
        assert f'"{host}/{mirror.SOURCE}"' in text


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0s"), (59, "59s"), (231, "3m51s")])
def test_durations(seconds: float, text: str) -> None:
    assert chain.duration(seconds) == text


@pytest.mark.parametrize(
    ("printed", "will_do"),
    [
        ("go1.26.8\nlocal", True),
        ("go1.25.1\nlocal", False),
        ("go1.22.0\nauto", True),
        ("go1.19.8\n", False),
        ("", False),
    ],
)
def test_go_must_be_recent_or_able_to_fetch_a_recent_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: str, will_do: bool
) -> None:
    go_program = tmp_path / "bin" / "go"
    go_program.parent.mkdir()
    go_program.write_text(f"#!/bin/sh\nprintf '%s\\n' '{printed}'\n")
    go_program.chmod(0o755)
    monkeypatch.setenv("PATH", str(go_program.parent), prepend=":")
    lacking = needs.lacking([TOOL], tmp_path, run=False)
    assert any(text.startswith("Go ") for text in lacking) is not will_do


def test_prerequisites_are_named_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    found = Toolchain(tmp_path, {"thing": TOOL}).prerequisites("demo")
    assert any(text.startswith("Go ") for text in found)
