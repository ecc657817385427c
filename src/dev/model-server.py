"""Serves one .gguf file over an OpenAI-compatible API on 127.0.0.1, until its standard input closes or it is killed.

Usage: model-server.py PACKAGES_FOLDER MODEL_FILE PORT ALIAS [CHAT_TEMPLATE_FILE]
"""

import os
import sys

CONTEXT_TOKENS = 4096
# Two threads wait for each other by spinning: beside a worker, Postgres and Temporal on a few cores they are many times slower than one.
THREADS = 1


def main() -> None:
    packages_folder, model_file, port, alias = sys.argv[1:5]
    sys.path.insert(0, packages_folder)
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = model_file
    parameters.model_alias = {alias}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = int(port)
    parameters.use_jinja = True
    parameters.n_ctx = CONTEXT_TOKENS
    parameters.n_parallel = 1
    # A warm prompt cache can change what the model says at temperature 0: answers must be the same run after run.
    parameters.cache_prompt = False
    parameters.sampling.temp = 0.0
    parameters.cpuparams.n_threads = THREADS
    if len(sys.argv) > 5:
        with open(sys.argv[5], encoding="utf-8") as template:
            parameters.chat_template = template.read()

    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    # The starter holds the other end of the pipe: its death, however sudden, ends this process too.
    while sys.stdin.buffer.read(4096):
        pass
    os._exit(0)


main()
