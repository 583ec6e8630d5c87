"""Keystone: identity."""

from __future__ import annotations

from magflow_sandbox.openstack.service import QUIET, Service, database
from magflow_sandbox.openstack.site import Site


def service(site: Site) -> Service:
    """Fernet tokens, memory cache, cheap password rounds (0.4 s a call otherwise)."""
    data = site.data / "keystone"
    config = site.etc / "keystone" / "keystone.conf"
    return Service(
        name="keystone",
        type="identity",
        path="/v3",
        databases=("keystone",),
        application="keystone.server.wsgi:initialize_public_application",
        variables={"OS_KEYSTONE_CONFIG_DIR": str(config.parent)},
        folders=("fernet-keys", "credential-keys"),
        migrations=(("keystone-manage", "--config-file", str(config), "db_sync"),),
        files={
            config.name: {
                "DEFAULT": {"public_endpoint": site.url("keystone"), "max_token_size": 512},
                "database": database(site, "keystone"),
                "token": {"provider": "fernet", "expiration": 14400},
                "fernet_tokens": {"key_repository": data / "fernet-keys"},
                # without it keystone writes receipts' keys below /etc
                "fernet_receipts": {"key_repository": data / "fernet-keys"},
                "credential": {"key_repository": data / "credential-keys"},
                "identity": {"password_hash_rounds": 4},
                "cache": {"enabled": True, "backend": "dogpile.cache.memory"},
                **QUIET,
            }
        },
    )
