"""Texts of real failures, as the services write them.

The sandbox has no Heat and no servers, so these failures cannot happen here by themselves; their texts are those of the
code that is named as the source. Ids are those of no object.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Reason:
    """Why a cluster could not be made.

    Attributes:
        text: status_reason of the cluster, or message of the machine's condition.
        source: whose text it is.
        condition: reason of the machine's condition InfrastructureReady.
        fatal: whether the provider gives the machine up (failureReason), which no retry heals.
    """

    text: str
    source: str
    condition: str = ""
    fatal: bool = False


_MASTER = "resources.kube_masters.resources[0].resources.kube-master"
_MINION = "resources.kube_minions.resources[0].resources.kube-minion"
_PORT = "8d2d7bd2-6b2a-4b4e-8bd9-2f4f6ab4b6f1"
_SERVER = "1f6f2a5e-42c7-4d77-8d4e-0f1f7b8f6a11"
_REQUEST = "req-6695732d-be28-4ed3-9305-3f2b78662f72"
_NO_HOST = "No valid host was found. There are not enough hosts available."
_QUOTA = "Quota exceeded for cores, instances: Requested 32, 1, but already used 20, 10 of 20, 10 cores, instances"
_DISK = "Flavor's disk is too small for requested image. Flavor disk is 8589934592 bytes, image is 10737418240 bytes."
_SERVERS = "when accessing [POST https://127.0.0.1:26774/v2.1/servers]"

CREATE_FAILED: Mapping[str, Reason] = {
    "no-valid-host": Reason(
        f"Resource CREATE failed: ResourceInError: {_MASTER}: Went to status ERROR due to "
        f'"Message: {_NO_HOST}, Code: 500"',
        "Heat's ResourceInError around Nova's NoValidHost",
    ),
    "quota": Reason(
        f"Resource CREATE failed: Forbidden: {_MINION}: {_QUOTA} (HTTP 403) (Request-ID: {_REQUEST})",
        "Nova's TooManyInstances through Heat",
    ),
    "volume-quota": Reason(
        "Resource CREATE failed: OverLimit: resources.kube_masters.resources[0].resources.docker_volume: "
        "VolumeSizeExceedsAvailableQuota: Requested volume or snapshot exceeds allowed gigabytes quota. Requested 50G, "
        f"quota is 1000G and 980G has been consumed. (HTTP 413) (Request-ID: {_REQUEST})",
        "Cinder's VolumeSizeExceedsAvailableQuota through Heat",
    ),
    "floating-ip-quota": Reason(
        "Resource CREATE failed: OverQuotaClient: resources.kube_minions.resources[0].resources.kube_minion_floating: "
        f"Quota exceeded for resources: ['floatingip'].\nNeutron server returns request_ids: ['{_REQUEST}']",
        "Neutron's OverQuota through Heat",
    ),
    "port-binding": Reason(
        f"Resource CREATE failed: ResourceInError: {_MASTER}: Went to status ERROR due to "
        f'"Message: Build of instance {_SERVER} aborted: Binding failed for port {_PORT}, please check neutron logs '
        'for more information., Code: 500"',
        "Nova's BuildAbortException around PortBindingFailed, through Heat",
    ),
    "flavor-too-small": Reason(
        f"Resource CREATE failed: BadRequest: {_MASTER}: {_DISK} (HTTP 400) (Request-ID: {_REQUEST})",
        "Nova's FlavorDiskSmallerThanImage through Heat",
    ),
    "user-data-too-large": Reason(
        f"Resource CREATE failed: BadRequest: {_MASTER}: User data too large. User data must be no larger than 65535 "
        f"bytes once base64 encoded. Your data is 66416 bytes (HTTP 400) (Request-ID: {_REQUEST})",
        "Nova's InstanceUserDataTooLarge through Heat",
    ),
    "timeout": Reason(
        'CREATE aborted (Task create from ResourceGroup "kube_masters" Stack "sandbox-eyjntm5ss3jc" '
        "[b872061d-67ee-4b45-b2ef-08c01ff7e1ed] Timed out)",
        "Heat, when create_timeout is over",
    ),
    "wait-condition": Reason(
        "Resource CREATE failed: WaitConditionTimeout: resources.kube_masters.resources[0].resources."
        "master_wait_condition: 0 of 1 received",
        "Heat's WaitConditionTimeout: the machine never called back",
    ),
    "trust": Reason(
        f"Failed to create trustee or trust for Cluster: {_SERVER}",
        "Magnum's TrusteeOrTrustToClusterFailed",
    ),
}
"""What Magnum writes into status_reason."""

MACHINE_FAILED: Mapping[str, Reason] = {
    "no-valid-host": Reason(
        "instance state ERROR is unexpected",
        "Cluster API's OpenStack provider: Nova's own text (no valid host) stays with the server",
        "InstanceStateError",
        fatal=True,
    ),
    "quota": Reason(
        f"error creating Openstack instance: Expected HTTP response code [200 202] {_SERVERS}, but got 403 instead: "
        f'{{"forbidden": {{"code": 403, "message": "{_QUOTA}"}}}}',
        "the provider around Nova's answer",
        "InstanceCreateFailed",
    ),
    "flavor-too-small": Reason(
        f"error creating Openstack instance: Expected HTTP response code [200 202] {_SERVERS}, but got 400 instead: "
        f'{{"badRequest": {{"code": 400, "message": "{_DISK}"}}}}',
        "the provider around Nova's answer",
        "InstanceCreateFailed",
    ),
    "port-binding": Reason(
        f"error creating Openstack instance: Expected HTTP response code [200 202] {_SERVERS}, but got 500 instead: "
        f'{{"computeFault": {{"code": 500, "message": "Binding failed for port {_PORT}, please check neutron logs for '
        'more information."}}',
        "the provider around Nova's answer",
        "InstanceCreateFailed",
    ),
    "no-image": Reason(
        "no images were found with the given image filter: name=ubuntu-jammy-kube-v1.36.3, tags=[]",
        "the provider, when the image was deleted",
        "InvalidMachineSpec",
    ),
    "no-flavor": Reason(
        "no flavors were found: name=bm.gpu4", "the provider, when the flavor was deleted", "InvalidMachineSpec"
    ),
}
"""What Cluster API's OpenStack provider writes into a machine."""
