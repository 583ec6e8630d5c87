variable "name" {
  description = "Name of the key pair. It belongs to the user of the credential, not to the project."
  type        = string
  nullable    = false

  validation {
    condition     = var.name != ""
    error_message = "name must be the name of a Nova key pair; got '${var.name}'."
  }
}

variable "public_key" {
  description = "Public key in OpenSSH's form to make the pair from; null: the pair is there."
  type        = string
  default     = null

  validation {
    condition     = var.public_key == null || can(regex("^(ssh-(rsa|ed25519)|ecdsa-sha2-nistp(256|384|521)|sk-(ssh-ed25519|ecdsa-sha2-nistp256)@openssh\\.com) [A-Za-z0-9+/=]+", coalesce(var.public_key, "-")))
    error_message = "public_key must be null or a public key such as 'ssh-ed25519 AAAA...'; got something that begins with '${substr(coalesce(var.public_key, "null"), 0, 11)}'."
  }
}
