"""What must hold before anything is changed."""

from __future__ import annotations

from magflow.checks.preflight.clouds import clouds_file_fits, kubeconfig_lasts
from magflow.checks.preflight.credentials import (
    cloud_accepts_credentials,
    credential_lasts,
    credential_may_delegate,
    roles_are_enough,
)
from magflow.checks.preflight.flavors import flavors_fit, machines_are_free
from magflow.checks.preflight.image import image_fits, keypair_is_there
from magflow.checks.preflight.networks import networks_fit
from magflow.checks.preflight.quotas import QUOTAS
from magflow.checks.preflight.services import magnum_answers, services_are_there
from magflow.checks.preflight.settings import (
    manifests_are_there,
    programs_are_there,
    settings_fit,
    workers_are_asked_for,
)
from magflow.checks.preflight.state import state_is_protected

OFFLINE = (settings_fit, workers_are_asked_for, clouds_file_fits)
"""What the settings alone tell, and clouds.yaml where there is one."""

PREFLIGHT = (
    *OFFLINE,
    programs_are_there,
    manifests_are_there,
    state_is_protected,
    kubeconfig_lasts,
    cloud_accepts_credentials,
    credential_may_delegate,
    credential_lasts,
    roles_are_enough,
    magnum_answers,
    services_are_there,
    image_fits,
    flavors_fit,
    keypair_is_there,
    networks_fit,
    machines_are_free,
    *QUOTAS,
)
"""In this order; the first ones decide whether the later ones make sense."""
