"""What must hold before anything is changed."""

from __future__ import annotations

from typing import Any

from openstack.exceptions import DuplicateResource

from magflow import paths, programs
from magflow.checks.model import NotApplicable, Problem, check
from magflow.checks.world import World
from magflow.cloud import magnum
from magflow.cloud.connection import readable
from magflow.cloud.flavors import GPUS, gpus_of
from magflow.settings import DEFAULT_WORKER


@check("programs-are-there", "terraform (or tofu), ansible-playbook and kubectl are in PATH")
def programs_are_there(_world: World) -> str:
    """Looks for the programs that the stages run."""
    missing = [name for name in ("terraform", "ansible-playbook", "kubectl") if not programs.find(name)]
    if missing:
        raise Problem(f"not found: {', '.join(missing)}", hint="scripts/setup brings them; see README")
    return ""


@check("manifests-are-there", "the training operator's manifests are there")
def manifests_are_there(world: World) -> str:
    """Looks for the folder that the settings name."""
    if not world.settings.stages.training_operator:
        raise NotApplicable("the stage training_operator is switched off")
    folder = world.settings.training.manifests
    if folder is None:
        raise Problem(
            "training.manifests is not set", hint="set it to the operator's `manifests` folder, or switch the stage off"
        )
    if not (folder / "base").is_dir():
        raise Problem(
            f"{folder} has no folder base", hint="set training.manifests to the operator's `manifests` folder"
        )
    return paths.shown(folder)


@check("cloud-accepts-credentials", "the cloud accepts the credentials", fatal=True)
def cloud_accepts_credentials(world: World) -> str:
    """Authenticates, and says whose credentials they are."""
    cloud = world.cloud
    auth: Any = cloud.session.auth
    access = auth.get_access(cloud.session)
    if not access.project_id:
        raise Problem("the token has no project", hint="give the cloud a project in clouds.yaml")
    return f"user {access.username} in project {access.project_name}"


@check("credential-may-delegate", "the credential may make others, as Magnum does for each cluster", fatal=True)
def credential_may_delegate(world: World) -> str:
    """A restricted application credential cannot make the trust or credential of a cluster (Keystone API guide)."""
    with readable("Keystone, this token"):
        token = world.cloud.auth_token
        answer = world.cloud.identity.get("/auth/tokens", headers={"X-Subject-Token": token}).json()
    credential = answer.get("token", {}).get("application_credential")
    if credential is None:
        return "not an application credential"
    if credential.get("restricted", True):
        raise Problem(
            f"application credential '{credential.get('name')}' is restricted, and Magnum would be refused",
            hint="make one with `openstack application credential create --unrestricted`; its risk: whoever holds "
            "it can make further credentials, so keep it in a file of mode 0600 and let it expire",
            final=True,
        )
    return f"application credential '{credential.get('name')}' is unrestricted"


@check("magnum-answers", "Magnum answers", fatal=True)
def magnum_answers(world: World) -> str:
    """Asks for the API's versions."""
    with readable("Magnum"):
        service = world.cloud.container_infrastructure_management
        version = service.get("/").headers.get("OpenStack-API-Maximum-Version", "unknown")
    magnum.clusters(world.cloud)
    return f"API microversion up to {str(version).split()[-1]}"


@check("image-fits", "the image is there and carries the Kubernetes version")
def image_fits(world: World) -> str:
    """Cluster API drivers read os_distro and kube_version of the image (magnum-capi-helm, driver.py)."""
    settings = world.settings
    with readable("Glance"):
        image = world.cloud.image.find_image(settings.image.name)
    if image is None:
        raise Problem(
            f"there is no image '{settings.image.name}'", hint="openstack image list; then set image.name", final=True
        )
    properties = {"os_distro": image.os_distro, "kube_version": image.properties.get("kube_version")}
    missing = [name for name, value in properties.items() if not value]
    if missing:
        raise Problem(
            f"image '{image.name}' ({image.id}) has no property {' and no '.join(missing)}",
            hint=f"openstack image set {image.id} " + " ".join(f"--property {name}=..." for name in missing),
            final=True,
        )
    carried = "v" + str(properties["kube_version"]).removeprefix("v")
    if carried != settings.cluster.kubernetes:
        raise Problem(
            f"image '{image.name}' carries Kubernetes {carried}, cluster.kubernetes is {settings.cluster.kubernetes}",
            hint="choose the image of that version, or change cluster.kubernetes",
            final=True,
        )
    return f"{image.name}: os_distro {properties['os_distro']}, kube_version {carried}"


@check("flavors-fit", "every flavor is there, and GPU groups have flavors with as many GPUs")
def flavors_fit(world: World) -> str:
    """Compares gpus of each node group with what its flavor says."""
    settings = world.settings
    wanted = {"cluster.control_plane": (settings.cluster.control_plane.flavor, 0)}
    wanted |= {f"node_groups.{name}": (group.flavor, group.gpus) for name, group in settings.node_groups.items()}
    said: list[str] = []
    for path, (name, gpus) in wanted.items():
        with readable("Nova, flavors"):
            flavor = world.cloud.compute.find_flavor(name, get_extra_specs=True)
        if flavor is None:
            raise Problem(
                f"there is no flavor '{name}' ({path}.flavor)", hint="openstack flavor list; then set it", final=True
            )
        there = gpus_of(flavor.extra_specs or {})
        if gpus and (there or 0) != gpus:
            raise Problem(
                f"{path} asks for {gpus} GPUs a node, flavor '{name}' "
                + (f"has {there}" if there is not None else "says nothing of GPUs"),
                hint=f"choose another flavor, set gpus to 0, or have the flavor say it: "
                f"openstack flavor set {name} --property {GPUS}={gpus}",
                final=True,
            )
        said.append(name)
    return ", ".join(dict.fromkeys(said))


@check("keypair-is-there", "the keypair is there")
def keypair_is_there(world: World) -> str:
    """Keypairs belong to a user: another user's is not seen."""
    name = world.settings.keypair
    with readable("Nova, keypairs"):
        if world.cloud.compute.find_keypair(name) is None:
            raise Problem(
                f"there is no keypair '{name}' of this user",
                hint=f"openstack keypair create --public-key ~/.ssh/id_ed25519.pub {name}",
                final=True,
            )
    return name


@check("networks-fit", "the networks are there, and the external one is external")
def networks_fit(world: World) -> str:
    """Looks each network of the settings up."""
    wanted = world.settings.network
    service = world.cloud.network
    with readable("Neutron"):
        try:
            external = service.find_network(wanted.external)
            fixed = service.find_network(wanted.fixed) if wanted.fixed else None
            subnet = service.find_subnet(wanted.subnet) if wanted.subnet else None
        except DuplicateResource as error:
            raise Problem(str(error), hint="give the network's id instead of its name", final=True) from None
    if external is None:
        raise Problem(f"there is no network '{wanted.external}'", hint="openstack network list --external", final=True)
    if not external.is_router_external:
        raise Problem(
            f"network '{wanted.external}' is not external", hint="openstack network list --external", final=True
        )
    if wanted.fixed and fixed is None:
        raise Problem(f"there is no network '{wanted.fixed}'", hint="openstack network list", final=True)
    if wanted.subnet and (subnet is None or (fixed and subnet.network_id != fixed.id)):
        raise Problem(
            f"network '{wanted.fixed}' has no subnet '{wanted.subnet}'", hint="openstack subnet list", final=True
        )
    return f"external {external.name}" + (f", fixed {fixed.name}" if fixed else ", the driver makes the nodes' network")


@check("workers-are-asked-for", "the groups of the cluster have workers")
def workers_are_asked_for(world: World) -> str:
    """Says how many machines will be asked for."""
    groups = world.settings.node_groups
    machines = sum(group.count for group in groups.values())
    gpus = sum(group.count * group.gpus for group in groups.values())
    control = world.settings.cluster.control_plane.count
    built_in = groups[DEFAULT_WORKER].count
    return f"{control} control plane, {machines} workers ({built_in} in {DEFAULT_WORKER}), {gpus} GPUs"


OFFLINE = (programs_are_there, manifests_are_there, workers_are_asked_for)
"""What can be looked at without the cloud."""

PREFLIGHT = (
    *OFFLINE,
    cloud_accepts_credentials,
    credential_may_delegate,
    magnum_answers,
    image_fits,
    flavors_fit,
    keypair_is_there,
    networks_fit,
)
"""In this order; the first ones decide whether the later ones make sense."""
