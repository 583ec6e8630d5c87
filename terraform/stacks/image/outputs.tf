output "facts" {
  description = "The images by name, with their ids and the checksums that their files were verified against; no secret."
  value = {
    images = { for name, image in module.image : name => { id = image.image.id, checksum = image.checksum } }
  }
}
