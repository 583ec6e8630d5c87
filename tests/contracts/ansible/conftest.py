import pytest

from .tools import Ansible, link_checkout


@pytest.fixture(scope="session")
def ansible(tmp_path_factory):
    scratch = tmp_path_factory.mktemp("ansible")
    return Ansible(scratch, link_checkout(scratch / "collections"))
