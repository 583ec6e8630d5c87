"""Magnum: API and conductor in one process, with the unmodified k8s_capi_helm_v1 driver."""

from __future__ import annotations

from magflow_sandbox.openstack.service import QUIET, Service, database, login, token_check
from magflow_sandbox.openstack.site import LOOPBACK, PORTS, REGION, Site


def service(site: Site) -> Service:
    """The driver's own floors for flavors stay as upstream has them (2 vCPU, 2048 MiB)."""
    data = site.data / "magnum"
    config = site.etc / "magnum" / "magnum.conf"
    return Service(
        name="magnum",
        type="container-infra",
        path="/v1",
        databases=("magnum",),
        program="magnum_process.py",
        arguments=("--config-file", str(config)),
        folders=("lock", "certificates", "home"),
        migrations=(("magnum-db-manage", "--config-file", str(config), "upgrade"),),
        files={
            config.name: {
                "DEFAULT": {
                    "transport_url": "fake://",
                    "state_path": data,
                    "host": "sandbox",
                    "periodic_interval_max": 1,
                },
                "api": {
                    "host": LOOPBACK,
                    "port": PORTS["magnum"],
                    "api_paste_config": site.packaged("magnum/api-paste.ini"),
                },
                "database": database(site, "magnum"),
                # certificates in the database: the sandbox has no Barbican
                "certificates": {"cert_manager_type": "x509keypair"},
                # what the driver hands to the cluster beside its cloud credential
                "drivers": {"openstack_ca_file": site.ca},
                "oslo_concurrency": {"lock_path": data / "lock"},
                "keystone_auth": login(site, "magnum"),
                "keystone_authtoken": token_check(site, "magnum"),
                "cinder_client": {"region_name": REGION},
                "capi_helm": {
                    "kubeconfig_file": site.management,
                    "helm_chart_repo": "",
                    "helm_chart_name": site.chart,
                },
                **QUIET,
            }
        },
    )
