"""Network namespaces, each kept by a supervised holder process.

Usage::

    net = Netns(supervisor, "openstack")
    net.up()                                     # idempotent; lo is up when it returns
    supervisor.start(Program("keystone", [...], env, namespace="openstack"))
    net.run(["ip", "address", "add", "100.64.0.1/32", "dev", "lo"])
    net.address("100.64.0.1/32")                 # the same, idempotent
    net.any_ip("10.244.0.0/17")                  # every address of the range answers in here
    net.enter(["curl", ...])                     # the argv that runs a command inside
    net.veth(other, "p-operator", "10.244.128.1", "100.64.0.1")   # join `other`, reachable under that address
    net.down()

As root the namespaces are plain ones (``unshare --net``). Otherwise all of them lie below one user namespace with its
own holder; the rest is the same. Entering is by ``nsenter`` with a process id: ``ip netns exec`` would mount /sys anew.
"""

from __future__ import annotations

import functools
import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from magflow_sandbox.errors import SandboxError

if TYPE_CHECKING:
    from magflow_sandbox.supervisor import Supervisor

USER_HOLDER = "netns/_user"
_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
_HOLD = "ip link set lo up && exec sleep infinity"


def holder_name(namespace: str) -> str:
    """The name of the supervised process that keeps a namespace."""
    return f"netns/{namespace}"


@functools.cache
def as_root() -> bool:
    """Whether this process may make network namespaces directly (root with CAP_SYS_ADMIN)."""
    return os.geteuid() == 0 and _works("unshare", "--net", "true")


def missing() -> str | None:
    """Why namespaces cannot be made on this machine, or None when they can."""
    for tool in ("unshare", "nsenter", "ip"):
        if not _works("sh", "-c", f"command -v {tool}"):
            return f"{tool} is missing (Debian packages util-linux and iproute2)"
    if as_root() or _works("unshare", "--user", "--map-root-user", "--net", "true"):
        return None
    return "network namespaces cannot be made: neither root nor unprivileged user namespaces are allowed here"


def enter(supervisor: Supervisor, namespace: str, argv: Sequence[str]) -> list[str]:
    """The command that runs ``argv`` inside a namespace that is up.

    Raises:
        SandboxError: its holder does not run.
    """
    return [*nsenter(_pid(supervisor, holder_name(namespace))), *argv]


def _pid(supervisor: Supervisor, holder: str) -> int:
    pid = supervisor.pid(holder)
    if pid is None:
        raise SandboxError(f"network namespace {holder.partition('/')[2]} is not up", hint="bring the sandbox up")
    return pid


def nsenter(pid: int) -> list[str]:
    """The ``nsenter`` prefix for the network namespace of a process."""
    user = [] if as_root() else ["--user", "--preserve-credentials"]
    return ["nsenter", f"--target={pid}", *user, "--net", "--"]


class Netns:
    """A network namespace by name."""

    def __init__(self, supervisor: Supervisor, name: str) -> None:
        if not re.fullmatch(r"[a-z0-9][a-z0-9./-]*", name):
            raise SandboxError(f"a namespace cannot be named {name!r}")
        self.supervisor = supervisor
        self.name = name

    @property
    def holder(self) -> str:
        """Name of its supervised holder process."""
        return holder_name(self.name)

    @property
    def pid(self) -> int:
        """Process id of the holder.

        Raises:
            SandboxError: the namespace is not up.
        """
        return _pid(self.supervisor, self.holder)

    def up(self) -> None:
        """Make the namespace when it is not there, with the loopback device up.

        Raises:
            SandboxError: the machine does not allow it.
        """
        from magflow_sandbox.supervisor import Program

        env = {"PATH": _PATH}
        if as_root():
            program = Program(self.holder, hold_command(), env)
        else:
            user = Program(USER_HOLDER, ["unshare", "--user", "--map-root-user", "--net", "sh", "-c", _HOLD], env)
            self.supervisor.start(user)
            self._wait(USER_HOLDER)
            program = Program(self.holder, hold_command(_pid(self.supervisor, USER_HOLDER)), env, after=(USER_HOLDER,))
        self.supervisor.start(program)
        self._wait(self.holder)

    def down(self) -> None:
        """End the holder; the namespace goes with the last process inside."""
        self.supervisor.stop(self.holder)

    def ready(self) -> bool:
        """Whether the holder runs in a namespace of its own with the loopback device up."""
        return self._ready(self.holder)

    def enter(self, argv: Sequence[str]) -> list[str]:
        """The command that runs ``argv`` inside."""
        return [*nsenter(self.pid), *argv]

    def run(self, argv: Sequence[str], *, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a short command inside and return it with its output.

        Raises:
            SandboxError: it failed and ``check`` is on.
        """
        env = {"PATH": _PATH}
        done = subprocess.run(self.enter(argv), env=env, capture_output=True, text=True, timeout=30, check=False)
        if check and done.returncode:
            raise SandboxError(f"{' '.join(argv)} failed in namespace {self.name}: {done.stderr.strip()[:300]}")
        return done

    def address(self, cidr: str, device: str = "lo") -> None:
        """Give a device an address. Idempotent."""
        self.run(["ip", "address", "replace", cidr, "dev", device])

    def any_ip(self, cidr: str) -> None:
        """Make every address of a range one of this namespace's own. Idempotent."""
        self.run(["ip", "route", "replace", "local", cidr, "dev", "lo", "table", "local"])

    def veth(self, other: Netns, device: str, address: str, gateway: str) -> None:
        """Join another namespace, which gets one address there and this one as its way to everything else. Idempotent.

        Args:
            other: the namespace to join; its device is named ``eth0``.
            device: name of the device on this side, at most 15 characters.
            address: IPv4 address of the other side. Its route goes into table local, where it wins over any_ip's range.
            gateway: IPv4 address of this side, which must be on one of its devices (usually lo).
        """
        there = other.run(["ip", "link", "show", "eth0"], check=False).returncode == 0
        here = self.run(["ip", "link", "show", device], check=False).returncode == 0
        if not (there and here):
            self.run(["ip", "link", "delete", device], check=False)
            peer = ["peer", "name", "eth0", "netns", str(other.pid)]
            self.run(["ip", "link", "add", "name", device, "type", "veth", *peer])
        self.run(["ip", "link", "set", device, "up"])
        route = ["unicast", f"{address}/32", "dev", device, "scope", "link", "src", gateway, "table", "local"]
        self.run(["ip", "route", "replace", *route])
        other.run(["ip", "address", "replace", f"{address}/32", "dev", "eth0"])
        other.run(["ip", "link", "set", "eth0", "up"])
        other.run(["ip", "route", "replace", f"{gateway}/32", "dev", "eth0", "scope", "link"])
        other.run(["ip", "route", "replace", "default", "via", gateway, "dev", "eth0"])

    def _wait(self, holder: str) -> None:
        self.supervisor.wait(holder, lambda: self._ready(holder), within=10, every=0.02)

    def _ready(self, holder: str) -> bool:
        pid = self.supervisor.pid(holder)
        if pid is None:
            return False
        try:
            if Path(f"/proc/{pid}/ns/net").readlink() == Path("/proc/self/ns/net").readlink():
                return False
        except OSError:
            return False
        shown = subprocess.run(
            [*nsenter(pid), "ip", "-o", "link", "show", "lo"], capture_output=True, text=True, check=False
        )
        return "LOOPBACK,UP" in shown.stdout


def hold_command(user: int | None = None) -> list[str]:
    """The holder's command: below the user namespace of process ``user``, or directly when there is none."""
    make = ["unshare", "--net", "sh", "-c", _HOLD]
    if user is None:
        return make
    return ["nsenter", f"--target={user}", "--user", "--preserve-credentials", "--", *make]


def _works(*argv: str) -> bool:
    try:
        return subprocess.run(argv, capture_output=True, check=False, timeout=10).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
