"""Cinder's API: volume types (the Magnum driver asks for them); no volume host."""

from __future__ import annotations

from magflow_sandbox.openstack.service import QUIET, Service, database, token_check
from magflow_sandbox.openstack.site import Site


def service(site: Site) -> Service:
    """Without a volume host."""
    data = site.data / "cinder"
    config = site.etc / "cinder" / "cinder.conf"
    return Service(
        name="cinder",
        type="block-storage",
        path="/v3/%(project_id)s",
        databases=("cinder",),
        application="cinder.wsgi.wsgi:initialize_application",
        arguments=("--config-file", str(config)),
        folders=("lock",),
        migrations=(("cinder-manage", "--config-file", str(config), "db", "sync"),),
        files={
            config.name: {
                "DEFAULT": {
                    "transport_url": "fake://",
                    "state_path": data,
                    "auth_strategy": "keystone",
                    "my_ip": "127.0.0.1",
                    # several platforms' worth of claims; the defaults are 10 volumes and 1000 GB
                    "quota_volumes": 2000,
                    "quota_gigabytes": 200_000,
                    "api_paste_config": site.packaged("cinder/api-paste.ini"),
                    "resource_query_filters_file": site.packaged("cinder/resource_filters.json"),
                },
                "database": database(site, "cinder"),
                "oslo_concurrency": {"lock_path": data / "lock"},
                "keystone_authtoken": token_check(site, "cinder"),
                **QUIET,
            }
        },
    )
