#!/usr/bin/python3
"""Takes the pictures of docs/en/models.md: runs the calls of ResNet-50's training step and of a layer of Llama 3 8B, scaled, on
the CPU reference and on a library with faults, and photographs the dashboard's page of models.

usage: models.py BUILD_FOLDER OUTPUT.png
"""
import os
import re
import subprocess
import sys
import tempfile

MODELS = "resnet50_step,llama3_8b"
CHIPS = (("reference", "lib/libdiopi_cpu.so"), ("faulty", "lib/vendors/libdiopi_faulty.so"))


def run(command, codes=(0,), **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode not in codes:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}")


def photograph(address, output):
    run(["chromium-headless-shell", "--no-sandbox", "--lang=en", "--hide-scrollbars", "--window-size=1100,430",
         "--virtual-time-budget=10000", f"--screenshot={output}", f"http://{address}/models"])


def main(build, output):
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/data"
        for chip, library in CHIPS:
            run([f"{build}/bin/diopi-agent", "--impl", f"{build}/{library}", "--data", data, "--chip", chip, "--model", MODELS,
                 "--max-bytes", "4K", "--error-report", f"{folder}/errors.csv", "--quiet"], codes=(0, 1))
        ready, write = os.pipe()
        with subprocess.Popen([f"{build}/bin/diopi-server", "--data", data, "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0",
                               "--log-level", "error", "--ready-fd", str(write)], pass_fds=(write,)) as server:
            os.close(write)
            with os.fdopen(ready) as lines:
                addresses = re.findall(r"127\.0\.0\.1:\d+", lines.read())
            photograph(addresses[-1], os.path.abspath(output))
            server.terminate()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(os.path.abspath(sys.argv[1]), sys.argv[2])
