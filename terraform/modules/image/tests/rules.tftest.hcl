mock_provider "openstack" {}

variables {
  name = "ubuntu"
}

run "an_image_by_its_name" {
  command = plan

  assert {
    condition     = output.image.name == "ubuntu" && length(openstack_images_image_v2.this) == 0
    error_message = "the name goes through and nothing is uploaded; got '${output.image.name}'."
  }
}

run "an_image_by_its_id" {
  command = plan

  variables {
    name = "6f0c8a52-5b0b-4c8b-8f9a-0d7c5e3f1a2b"
  }

  assert {
    condition     = output.image.id == "6f0c8a52-5b0b-4c8b-8f9a-0d7c5e3f1a2b" && output.image.properties == null
    error_message = "an id goes through; got '${output.image.id}'."
  }
}

run "an_image_with_the_checksum_of_its_file" {
  command = plan

  variables {
    checksum = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  }

  assert {
    condition     = data.openstack_images_image_v2.this["ubuntu"].properties["magflow_checksum"] == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    error_message = "an image is looked for that has the checksum."
  }
}

run "a_file_is_uploaded" {
  command = plan

  variables {
    file       = "tests/empty.img"
    checksum   = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    properties = { os_distro = "ubuntu", kube_version = "v1.36.3" }
  }

  assert {
    condition     = openstack_images_image_v2.this["ubuntu"].properties["kube_version"] == "v1.36.3" && output.checksum != null
    error_message = "the properties go through."
  }
}

run "a_file_with_a_longer_checksum" {
  command = plan

  variables {
    file       = "tests/empty.img"
    checksum   = "sha512:cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
    properties = { os_distro = "ubuntu" }
  }
}

run "name_is_not_empty" {
  command = plan

  variables {
    name = ""
  }

  expect_failures = [var.name]
}

run "file_is_null_or_a_path" {
  command = plan

  variables {
    file = ""
  }

  expect_failures = [var.file]
}

run "file_has_the_checksum" {
  command = plan

  variables {
    file       = "tests/empty.img"
    checksum   = "sha256:0000000000000000000000000000000000000000000000000000000000000000"
    properties = { os_distro = "ubuntu" }
  }

  expect_failures = [openstack_images_image_v2.this]
}

run "file_has_a_distribution" {
  command = plan

  variables {
    file     = "tests/empty.img"
    checksum = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  }

  expect_failures = [openstack_images_image_v2.this]
}

run "checksum_is_written_in_full" {
  command = plan

  variables {
    checksum = "md5:d41d8cd98f00b204e9800998ecf8427e"
  }

  expect_failures = [var.checksum]
}

run "disk_format_is_known" {
  command = plan

  variables {
    disk_format = "vmdk"
  }

  expect_failures = [var.disk_format]
}

run "properties_are_not_empty" {
  command = plan

  variables {
    properties = { os_distro = "" }
  }

  expect_failures = [var.properties]
}

run "timeout_is_whole" {
  command = plan

  variables {
    timeout = 0.5
  }

  expect_failures = [var.timeout]
}
