"""Bad settings are each one clear verdict with file, line and key path; good ones load."""

import json
from pathlib import Path

import pytest

from magflow import generate, paths, settings_file
from magflow.errors import CannotTell
from magflow.settings_file import SettingsError

MISTAKES = {
    "unknown key": (lambda d: d.update(clusterr={}), "clusterr", "unknown key 'clusterr'; did you mean 'cluster'?"),
    "unknown key of a group": (
        lambda d: d["node_groups"]["gpu"].update(flavr="x"),
        "node_groups.gpu.flavr",
        "unknown key 'flavr'; did you mean 'flavor'?",
    ),
    "wrong type": (
        lambda d: d["cluster"].update(create_timeout="soon"),
        "cluster.create_timeout",
        "input should be a valid integer, unable to parse string as an integer; got 'soon'",
    ),
    "label that YAML reads as true": (
        lambda d: d["node_groups"]["gpu"].update(labels={"shared": True}),
        "node_groups.gpu.labels.shared",
        "input should be a valid string; got True",
    ),
    "label key": (
        lambda d: d["node_groups"]["gpu"].update(labels={"a b": "c"}),
        "node_groups.gpu.labels.a b",
        "a label key has letters, digits, '-', '_' or '.', 63 at most, "
        "behind an optional DNS prefix and '/'; got 'a b'",
    ),
    "missing key": (lambda d: d.pop("keypair"), "keypair", "'keypair' is missing"),
    "no worker at all": (
        lambda d: [group.update(count=0) for group in d["node_groups"].values()],
        "",
        "node_groups has no worker at all; at least one group needs a count of 1",
    ),
    "no default-worker": (
        lambda d: d["node_groups"].pop("default-worker"),
        "",
        "node_groups has no 'default-worker'; Magnum makes that group with every cluster (its count may be 0)",
    ),
    "even control plane": (
        lambda d: d["cluster"]["control_plane"].update(count=2),
        "cluster.control_plane.count",
        "input should be 1, 3, 5 or 7; got 2",
    ),
    "count above max": (
        lambda d: d["node_groups"]["gpu"].update(count=3, max=2),
        "node_groups.gpu",
        "count is 3, above max 2",
    ),
    "group name too long": (
        lambda d: d["node_groups"].update({"a" * 20: d["node_groups"]["gpu"]}),
        f"node_groups.{'a' * 20}",
        f"a node group's name has 1-19 lower-case letters, digits or dashes and starts with a letter; got '{'a' * 20}'",
    ),
    "version without v": (
        lambda d: d["cluster"].update(kubernetes="1.36.3"),
        "cluster.kubernetes",
        "a Kubernetes version is written like v1.36.3 or v1.28.9-rancher1; got '1.36.3'",
    ),
    "ingress group that is none": (
        lambda d: d.update(ingress={"nodes": {"group": "edge"}}),
        "",
        "ingress.nodes.group is 'edge', which is not one of node_groups",
    ),
    "subnet without network": (
        lambda d: d["network"].update(subnet="s"),
        "network",
        "subnet is given but fixed is not; name the network that the subnet belongs to",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_verdict_with_its_path(name, changed):
    change, path, what = MISTAKES[name]
    file = changed(change)
    with pytest.raises(SettingsError) as error:
        settings_file.load(file)
    where, said = error.value.problems[0]
    assert said == what
    assert where.startswith(file)
    assert where.endswith(path)
    assert error.value.exit_code == 1


def test_the_line_of_a_mistake_is_given(tmp_path):
    text = (paths.root() / "variables" / "sandbox.yml").read_text()
    file = tmp_path / "x.yml"
    file.write_text(text.replace("  driver: calico", "  driver: weave"))
    line = 1 + text.splitlines().index("  driver: calico")
    with pytest.raises(SettingsError) as error:
        settings_file.load(str(file))
    assert error.value.problems[0][0] == f"{file}:{line} network.driver"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("cloud: [", "not valid YAML"),
        ("- a list", "the settings are not a mapping of keys"),
        ("", "the settings are not a mapping of keys"),
        ("\0", "cannot read the settings"),
    ],
)
def test_a_file_that_is_no_settings_cannot_be_told(tmp_path, text, what):
    file = tmp_path / "x.yml"
    file.write_text(text)
    with pytest.raises(CannotTell, match=what):
        settings_file.load(str(file))


def test_an_unknown_environment_names_the_known_ones():
    with pytest.raises(CannotTell) as error:
        settings_file.load("nosuch")
    assert error.value.hint == "known ones: capi-helm, cluster-api, example, heat, sandbox, stein"


@pytest.mark.parametrize("name", ["example", "sandbox"])
def test_shipped_settings_load_and_paths_start_at_the_file(name):
    environment = settings_file.load(name)
    assert environment.settings.training.manifests.is_absolute()
    assert ".." not in environment.settings.training.manifests.parts


def test_example_shows_every_part_of_the_settings():
    import yaml

    shown = yaml.safe_load((paths.root() / "variables" / "example.yml").read_text())
    assert set(shown) == set(settings_file.Settings.model_fields)


def test_every_field_is_described():
    schema = settings_file.Settings.model_json_schema()
    bare = [
        f"{name}.{key}"
        for name, part in [("Settings", schema), *schema["$defs"].items()]
        for key, value in part.get("properties", {}).items()
        if not value.get("description") and "$ref" not in value
    ]
    assert bare == []


@pytest.mark.parametrize("path", [str(path) for path in generate.documents()])
def test_generated_files_are_what_the_code_says(path):
    assert (paths.root() / path).read_text() == generate.documents()[Path(path)]


def test_shipped_settings_fit_the_schema():
    import jsonschema
    import yaml

    schema = json.loads((paths.root() / generate.SCHEMA).read_text())
    for name in ("capi-helm", "cluster-api", "example", "heat", "sandbox", "stein"):
        jsonschema.validate(yaml.safe_load((paths.root() / "variables" / f"{name}.yml").read_text()), schema)


def test_a_further_cluster_is_as_the_first_one_but_for_what_it_says(changed):
    further = {"kubernetes": "v1.35.4", "image": "other", "extra_labels": {"a_key": "b"}}
    settings = settings_file.load(changed(lambda d: d.update(clusters={"second": further}))).settings
    assert settings.cluster_names == (settings.cluster.name, "second")
    second = settings.of_cluster("second")
    assert (second.cluster.name, second.cluster.kubernetes, second.image.name) == ("second", "v1.35.4", "other")
    assert second.cluster.extra_labels == {"a_key": "b"}
    assert second.cluster.control_plane == settings.cluster.control_plane
    assert second.node_groups == settings.node_groups
    assert settings.of_cluster(settings.cluster.name) is settings


def test_files_are_relative_to_the_settings_file(changed):
    file = Path(changed(lambda d: d.update(public_key="keys/id.pub")))
    assert settings_file.load(str(file)).settings.public_key == file.parent / "keys" / "id.pub"
