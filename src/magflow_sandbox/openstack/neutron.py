"""Neutron's API: networks, ports, routers, security groups, floating addresses; no agents, nothing is wired."""

from __future__ import annotations

from magflow_sandbox.openstack.service import QUIET, Service, database, token_check
from magflow_sandbox.openstack.site import Site


def service(site: Site) -> Service:
    """Without agents or mechanism drivers."""
    data = site.data / "neutron"
    config = site.etc / "neutron" / "neutron.conf"
    return Service(
        name="neutron",
        type="network",
        databases=("neutron",),
        application="neutron.wsgi.api:application",
        variables={"OS_NEUTRON_CONFIG_DIR": str(config.parent), "OS_NEUTRON_CONFIG_FILES": config.name},
        folders=("lock",),
        migrations=(("neutron-db-manage", "--config-file", str(config), "upgrade", "heads"),),
        files={
            config.name: {
                "DEFAULT": {
                    "transport_url": "fake://",
                    "state_path": data,
                    "core_plugin": "ml2",
                    "service_plugins": "router",
                    "auth_strategy": "keystone",
                    "api_paste_config": site.packaged("neutron/api-paste.ini"),
                    "notify_nova_on_port_status_changes": False,
                    "notify_nova_on_port_data_changes": False,
                    "dhcp_agent_notification": False,
                },
                "database": database(site, "neutron"),
                # no mechanism: a port is a row, which is all that the sandbox needs of it
                "ml2": {
                    "type_drivers": "local,flat,vxlan",
                    "tenant_network_types": "local",
                    "mechanism_drivers": "",
                    "extension_drivers": "port_security",
                },
                "ml2_type_flat": {"flat_networks": "*"},
                "ml2_type_vxlan": {"vni_ranges": "1:1000"},
                # Cluster API makes two security groups a cluster; the default is 10
                "quotas": {"quota_security_group": 200, "quota_security_group_rule": 4000, "quota_port": 5000},
                "oslo_concurrency": {"lock_path": data / "lock"},
                "keystone_authtoken": token_check(site, "neutron"),
                **QUIET,
            }
        },
    )
