"""Runs llama.cpp's HTTP server in a child process: run by its path, imports nothing of Moot, ends with its parent.

It reads one JSON line from stdin, writes one to stdout (``{"url"}`` or ``{"error"}``), and then serves until stdin
ends.  The parent holds the other end of that pipe, so even a parent killed with -9 leaves no orphan.  On Linux the
kernel kills the child at once.
"""

import ctypes
import json
import os
import signal
import sys
from typing import Any

PR_SET_PDEATHSIG = 1
CACHE_MIB = 256
"""RAM for prompts that have lost their slot.  llama.cpp's default is 8 GiB."""


def main() -> None:
    """Serve one model until stdin ends."""
    settings = json.loads(sys.stdin.readline())
    end_with(settings["parent"])
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the library must not print into the answer to the parent
    try:
        server = _serve(settings)
        answer = {"url": server.listening_address}
    except Exception as error:  # noqa: BLE001 - the parent reports it
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), file=answers, flush=True)
    if "url" in answer:
        sys.stdin.read()
    os._exit(0)  # exit without cleanup: llama.cpp's threads may still run


def end_with(parent: int) -> None:
    """End this process when ``parent`` ends, where the system can do that."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # the parent died before the prctl call
            os._exit(0)


def _serve(settings: dict[str, Any]) -> Any:
    import xllamacpp  # noqa: PLC0415 - 100 MB, and only this process needs it

    params = xllamacpp.CommonParams()
    params.model.path = settings["model"]
    params.hostnames, params.port, params.api_keys = ["127.0.0.1"], 0, [settings["key"]]
    params.n_parallel = settings["slots"]
    params.n_ctx = settings["slots"] * settings["context"]  # llama.cpp divides it among the slots
    params.kv_unified = False
    params.fit_params = False
    params.cpuparams.n_threads, params.cpuparams_batch.n_threads = settings["generating"], settings["reading"]
    params.cpuparams.poll = params.cpuparams_batch.poll = 0
    params.cache_prompt, params.cache_ram_mib = True, CACHE_MIB
    params.warmup = params.ui = False
    params.verbosity = -1
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
