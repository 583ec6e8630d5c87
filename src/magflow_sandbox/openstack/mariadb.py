"""MariaDB: one server, one database a service, reachable by a unix socket only.

SQLite will not do: Magnum's and Neutron's migrations do not run on it and Neutron locks up under threads. Root is known
by the socket's peer credentials, so there is no password.
"""

from __future__ import annotations

import os
import pwd
import subprocess
from pathlib import Path

from magflow_sandbox.errors import SandboxError

NAME = "mariadb"
SOCKET_LIMIT = 107
"""Bytes that a unix socket's path may have (sun_path)."""

OPTIONS = (
    "--skip-networking",
    "--skip-log-bin",
    "--skip-name-resolve",
    "--performance-schema=off",
    "--innodb-buffer-pool-size=64M",
    "--innodb-log-file-size=16M",
    "--innodb-log-buffer-size=2M",
    # state of a sandbox: losing the last second with the machine is no loss
    "--innodb-flush-log-at-trx-commit=0",
    "--skip-innodb-doublewrite",
    "--innodb-use-native-aio=0",
    "--key-buffer-size=1M",
    "--max-connections=200",
    "--character-set-server=utf8mb3",
    "--collation-server=utf8mb3_general_ci",
)


def _folder(server: Path) -> Path:
    """The usr/ that the server belongs to; messages and libraries are found from it."""
    return server.parent.parent


def environment(server: Path) -> dict[str, str]:
    """Environment of the server and its tools; unpacked packages bring their libraries."""
    libraries = [str(folder) for folder in sorted((_folder(server) / "lib").glob("*-linux-gnu"))]
    unpacked = _folder(server) != Path("/usr")
    return {
        "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
        "LANG": "C.UTF-8",
        **({"LD_LIBRARY_PATH": ":".join(libraries)} if unpacked else {}),
    }


def owner() -> str:
    """Name of the database's administrator: whoever runs the sandbox."""
    return pwd.getpwuid(os.geteuid()).pw_name


def command(server: Path, data: Path, socket: Path) -> list[str]:
    """Command that serves `data` on `socket`.

    Raises:
        SandboxError: the socket's path is longer than the kernel takes.
    """
    if len(str(socket).encode()) > SOCKET_LIMIT:
        raise SandboxError(
            f"the path of the database's socket is longer than {SOCKET_LIMIT} bytes: {socket}",
            hint="set MAGFLOW_SANDBOX_HOME to a folder with a shorter path",
        )
    return [
        str(server),
        "--no-defaults",
        f"--user={owner()}",
        f"--basedir={_folder(server)}",
        f"--datadir={data}",
        f"--socket={socket}",
        f"--pid-file={socket.with_suffix('.pid')}",
        *OPTIONS,
    ]


def installer(server: Path, data: Path) -> list[str]:
    """Command that makes an empty data folder."""
    base = _folder(server)
    return [
        str(base / "bin" / "mariadb-install-db"),
        "--no-defaults",
        f"--user={owner()}",
        f"--basedir={base}",
        f"--datadir={data}",
        "--auth-root-authentication-method=socket",
        f"--auth-root-socket-user={owner()}",
        "--skip-test-db",
        "--skip-name-resolve",
        *(option for option in OPTIONS if option.startswith("--innodb")),
    ]


def client(server: Path, socket: Path) -> list[str]:
    """Command that runs the SQL of its standard input."""
    program = _folder(server) / "bin" / "mariadb"
    return [str(program), "--no-defaults", f"--user={owner()}", f"--socket={socket}"]


def answers(server: Path, socket: Path) -> bool:
    """Whether the server takes a statement."""
    if not socket.exists():
        return False
    try:
        done = subprocess.run(
            [*client(server, socket), "--execute=select 1"],
            env=environment(server),
            capture_output=True,
            timeout=20,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0
