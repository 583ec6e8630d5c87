"""The root module of a run passes on what its stack has, and no more."""

import json

from magflow import paths
from magflow.engine.terraform.root import write_root


def test_outputs_are_those_of_the_stack(tmp_path):
    stacks = paths.root() / paths.STACKS
    for stack, outputs, sensitive in (("image", {"facts"}, 0), ("cluster", {"facts", "kubeconfigs"}, 1)):
        folder = tmp_path / stack
        write_root(folder, stacks / stack, {"cloud": "sandbox"})
        text = (folder / "main.tf").read_text()
        assert {name for name in ("facts", "kubeconfigs", "kubeconfig") if f'output "{name}"' in text} == outputs
        assert text.count("sensitive = true") == sensitive
        assert 'backend "local"' in text
        assert json.loads((folder / "terraform.tfvars.json").read_text()) == {"cloud": "sandbox"}


def test_another_backend(tmp_path):
    write_root(tmp_path, paths.root() / paths.STACKS / "image", {}, 'backend "pg" {\n    schema_name = "x"\n  }')
    assert 'backend "pg" {\n    schema_name = "x"\n  }' in (tmp_path / "main.tf").read_text()
