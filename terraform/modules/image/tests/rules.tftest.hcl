mock_provider "openstack" {}

run "an_image_by_its_name" {
  command = plan

  variables {
    name = "ubuntu"
  }

  assert {
    condition     = output.image.name == "ubuntu"
    error_message = "the name goes through; got '${output.image.name}'."
  }
}

run "name_is_not_empty" {
  command = plan

  variables {
    name = ""
  }

  expect_failures = [var.name]
}
