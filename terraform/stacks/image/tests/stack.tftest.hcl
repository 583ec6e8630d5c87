mock_provider "openstack" {}

variables {
  cloud = "sandbox"
  images = {
    ubuntu = {
      file       = "../../modules/image/tests/empty.img"
      checksum   = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
      properties = { os_distro = "ubuntu", kube_version = "v1.36.3" }
    }
  }
}

run "facts_of_an_image" {
  assert {
    condition     = output.facts.images.ubuntu.id != "" && output.facts.images.ubuntu.checksum == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    error_message = "facts name the image and its checksum; got ${jsonencode(output.facts)}."
  }
}

run "no_image_at_all" {
  variables {
    images = {}
  }

  assert {
    condition     = length(output.facts.images) == 0
    error_message = "nothing is uploaded; got ${jsonencode(output.facts)}."
  }
}

run "cloud_is_not_empty" {
  command = plan

  variables {
    cloud = ""
  }

  expect_failures = [var.cloud]
}

run "images_have_a_file" {
  command = plan

  variables {
    images = { ubuntu = { file = null, checksum = null, properties = { os_distro = "ubuntu" } } }
  }

  expect_failures = [var.images]
}
