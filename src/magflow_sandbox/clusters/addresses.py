"""Which address is for what inside a cluster's network namespace."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from magflow_sandbox.errors import SandboxError

API = "100.64.0.1"  # of the API server, on lo; from the range for carriers (RFC 6598), which clusters do not use


@dataclass(frozen=True)
class Ranges:
    """The ranges of one cluster.

    Args:
        pods: the lower half is for fake pods (kwok gives them out), the upper half for pods with a real program.
        services: cluster addresses of services; the first one is the API server's.
        nodes: addresses of nodes; they answer too (pods in the host's network).
    """

    pods: str = "10.244.0.0/16"
    services: str = "10.96.0.0/16"
    nodes: str | None = None

    def __post_init__(self) -> None:
        try:
            networks = [ipaddress.IPv4Network(item) for item in (self.pods, self.services, self.nodes) if item]
        except ValueError as error:
            raise SandboxError(f"not an IPv4 range: {error}", hint="write it like 10.244.0.0/16") from error
        if networks[0].prefixlen > 24:
            raise SandboxError(f"the pod range {self.pods} is too small", hint="give it /24 or more")
        for index, one in enumerate(networks):
            for other in networks[index + 1 :]:
                if one.overlaps(other):
                    raise SandboxError(f"the ranges {one} and {other} overlap", hint="choose others")

    @property
    def fake_pods(self) -> str:
        """The lower half of the pod range."""
        return str(next(ipaddress.IPv4Network(self.pods).subnets(1)))

    @property
    def first_service(self) -> str:
        """The address of the service `kubernetes`."""
        return str(ipaddress.IPv4Network(self.services)[1])

    def block(self, used: set[str]) -> str:
        """The largest part of the fake pods' range without a used address, a quarter at most.

        A kwok that is started anew does not know which addresses its predecessor gave out, and would give them again.
        """
        whole = ipaddress.IPv4Network(self.fake_pods)
        taken = [address for item in used if (address := ipaddress.IPv4Address(item)) in whole]
        for prefix in range(whole.prefixlen + 2, 32):
            busy = {ipaddress.IPv4Network((int(address), prefix), strict=False) for address in taken}
            if len(busy) < 2 ** (prefix - whole.prefixlen):
                return str(next(part for part in whole.subnets(new_prefix=prefix) if part not in busy))
        raise SandboxError(f"no addresses are left in {whole}", hint="delete pods, or give a larger pod range")

    def free_program(self, taken: set[str]) -> str:
        """An address of the upper half that is not taken.

        Raises:
            SandboxError: all are.
        """
        upper = list(ipaddress.IPv4Network(self.pods).subnets(1))[1]
        for host in upper.hosts():
            if str(host) not in taken:
                return str(host)
        raise SandboxError(f"no address is left in {upper}")
