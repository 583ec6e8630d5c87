mock_provider "openstack" {}

variables {
  name = "research"
}

run "a_key_pair_that_is_there" {
  command = plan

  assert {
    condition     = output.name == "research" && length(openstack_compute_keypair_v2.this) == 0
    error_message = "nothing is made; got '${output.name}'."
  }
}

run "a_key_pair_from_a_public_key" {
  command = plan

  variables {
    public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHhVGmvT31n647GHrE4HXUAbyvzPO4gt3cwUPqFUfxb4 me@here\n"
  }

  assert {
    condition     = openstack_compute_keypair_v2.this["research"].public_key == "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHhVGmvT31n647GHrE4HXUAbyvzPO4gt3cwUPqFUfxb4 me@here"
    error_message = "the key goes through without the line's end."
  }
}

run "name_is_not_empty" {
  command = plan

  variables {
    name = ""
  }

  expect_failures = [var.name]
}

run "public_key_is_no_private_key" {
  command = plan

  variables {
    public_key = "-----BEGIN OPENSSH PRIVATE KEY-----"
  }

  expect_failures = [var.public_key]
}
