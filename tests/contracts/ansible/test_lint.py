"""ansible-lint's strictest profile."""


def test_production_profile(ansible):
    done = ansible.run("ansible-lint", "--offline", "--nocolor", "playbooks", "roles", "inventories")
    assert done.returncode == 0, done.stdout + done.stderr
