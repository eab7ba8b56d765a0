"""llama.cpp's own HTTP server in a process of its own: run by path, imports nothing of ours, dies with its parent.

Reads one JSON line from stdin, writes one to stdout (``{"url"}`` or ``{"error"}``), then serves until stdin ends: a
pipe whose other end the parent holds, so that even a parent killed with -9 leaves no orphan.  Linux kills it sooner.
"""

import ctypes
import json
import os
import signal
import sys
from typing import Any

PR_SET_PDEATHSIG = 1
CACHE_MIB = 256
"""RAM for prompts whose slot went to somebody else.  llama.cpp would take 8 GiB."""


def main() -> None:
    """Serve one model until stdin ends."""
    settings = json.loads(sys.stdin.readline())
    _die_with(settings["parent"])
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whatever the library prints is not part of the conversation
    try:
        server = _serve(settings)
        answer = {"url": server.listening_address}
    except Exception as error:  # noqa: BLE001 - whatever it is, the parent tells it
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), file=answers, flush=True)
    if "url" in answer:
        sys.stdin.read()
    os._exit(0)  # no farewell: llama.cpp's threads may be in mid-token


def _die_with(parent: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died before we asked
            os._exit(0)


def _serve(settings: dict[str, Any]) -> Any:
    import xllamacpp  # noqa: PLC0415 - a hundred megabytes, and only this process needs them

    params = xllamacpp.CommonParams()
    params.model.path = settings["model"]
    params.hostnames, params.port, params.api_keys = ["127.0.0.1"], 0, [settings["key"]]
    params.n_parallel = settings["slots"]
    params.n_ctx = settings["slots"] * settings["context"]  # llama.cpp divides it among the slots
    params.kv_unified = False
    params.fit_params = False
    params.cpuparams.n_threads, params.cpuparams_batch.n_threads = settings["speaking"], settings["reading"]
    params.cpuparams.poll = params.cpuparams_batch.poll = 0
    params.cache_prompt, params.cache_ram_mib = True, CACHE_MIB
    params.warmup = params.ui = False
    params.verbosity = -1
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
