"""Glance: images, as files below data/."""

from __future__ import annotations

from magflow_sandbox.openstack.service import QUIET, Service, database, token_check
from magflow_sandbox.openstack.site import Site


def service(site: Site) -> Service:
    """Images are kept as files."""
    data = site.data / "glance"
    config = site.etc / "glance" / "glance-api.conf"
    return Service(
        name="glance",
        type="image",
        databases=("glance",),
        application="glance.wsgi.api:application",
        variables={"OS_GLANCE_CONFIG_DIR": str(config.parent)},
        folders=("images", "staging", "tasks", "lock"),
        migrations=(("glance-manage", "--config-file", str(config), "db_sync"),),
        files={
            config.name: {
                "DEFAULT": {
                    "enabled_backends": "files:file",
                    "node_staging_uri": (data / "staging").as_uri(),
                    "worker_self_reference_url": site.url("glance"),
                    "public_endpoint": site.url("glance"),
                },
                "database": database(site, "glance"),
                # both sections: without the first one glance writes below /var/lib
                "glance_store": {"default_backend": "files", "filesystem_store_datadir": data / "images"},
                "files": {"filesystem_store_datadir": data / "images"},
                "os_glance_staging_store": {"filesystem_store_datadir": data / "staging"},
                "os_glance_tasks_store": {"filesystem_store_datadir": data / "tasks"},
                "paste_deploy": {
                    "flavor": "keystone",
                    "config_file": site.packaged("glance/glance-api-paste.ini"),
                },
                "oslo_concurrency": {"lock_path": data / "lock"},
                "keystone_authtoken": token_check(site, "glance"),
                **QUIET,
            }
        },
    )
