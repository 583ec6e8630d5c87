"""How many GPUs a flavor's machine has, and when nobody said."""

import pytest

from magflow.cloud.flavors import gpus_of


@pytest.mark.parametrize(
    ("specs", "gpus"),
    [
        ({"magflow:gpus": "4", "resources:CUSTOM_BAREMETAL_GPU4": "1"}, 4),
        ({"magflow:gpus": "0"}, 0),
        ({"magflow:gpus": "many"}, None),
        ({"pci_passthrough:alias": "a100:2"}, 2),
        ({"pci_passthrough:alias": "a100:2,v100:1"}, 3),
        ({"resources:CUSTOM_BAREMETAL_GPU4": "1"}, None),
        ({}, None),
    ],
)
def test_gpus(specs, gpus):
    assert gpus_of(specs) == gpus
