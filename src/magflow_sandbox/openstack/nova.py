"""Nova's API: flavors, keypairs, quotas. No compute host, scheduler or placement: nodes are the controller's work."""

from __future__ import annotations

from magflow_sandbox.openstack.service import QUIET, Service, database, login, token_check
from magflow_sandbox.openstack.site import REGION, Site


def service(site: Site) -> Service:
    """Without compute hosts."""
    data = site.data / "nova"
    folder = site.etc / "nova"
    config = folder / "nova.conf"
    manage = ("nova-manage", "--config-file", str(config))
    # a template: nova fills it from [database] each time, so the mapping does not hold the path of the socket
    cell0 = "{scheme}://{username}@{hostname}/{path}?{query}"
    return Service(
        name="nova",
        type="compute",
        path="/v2.1",
        databases=("nova_api", "nova_cell0"),
        application="nova.wsgi.osapi_compute:application",
        # nova takes the first file for its paste configuration
        variables={
            "OS_NOVA_CONFIG_DIR": str(folder),
            "OS_NOVA_CONFIG_FILES": f"{site.packaged('nova/api-paste.ini')};nova.conf",
        },
        folders=("lock",),
        migrations=(
            (*manage, "api_db", "sync"),
            (*manage, "cell_v2", "map_cell0", "--database_connection", cell0),
            (*manage, "db", "sync"),
        ),
        files={
            config.name: {
                "DEFAULT": {
                    "transport_url": "fake://",
                    "state_path": data,
                    "my_ip": "127.0.0.1",
                    "compute_driver": "fake.FakeDriver",
                },
                "api": {"auth_strategy": "keystone"},
                # machines of a rack, not virtual ones: the defaults (20 cores) would not do for a single node
                "quota": {"instances": 500, "cores": 50_000, "ram": 500_000_000},
                "database": database(site, "nova_cell0"),
                "api_database": database(site, "nova_api"),
                "oslo_concurrency": {"lock_path": data / "lock"},
                "keystone_authtoken": token_check(site, "nova"),
                "placement": {**login(site, "nova"), "region_name": REGION},
                "neutron": {**login(site, "nova"), "region_name": REGION},
                "glance": {"api_servers": site.url("glance"), "cafile": site.ca},
                "cinder": {"cafile": site.ca},
                **QUIET,
            }
        },
    )
