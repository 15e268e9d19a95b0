#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""exporter.py DIRECTORY - what Prometheus' node exporter says of the metrics there."""
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request


def main():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        address = "127.0.0.1:%d" % s.getsockname()[1]
    command = ["prometheus-node-exporter", "--collector.disable-defaults",
               "--collector.textfile", "--collector.textfile.directory=" + sys.argv[1],
               "--web.listen-address=" + address]
    # Whatever proxy the host has is not asked.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as exporter:
        try:
            # Until it listens, or has ended.
            while exporter.poll() is None:
                try:
                    with opener.open("http://" + address + "/metrics", timeout=60) as page:
                        sys.stdout.write(page.read().decode())
                    return 0
                except urllib.error.HTTPError:
                    return 1
                except OSError:
                    time.sleep(0.05)
            return 1
        finally:
            exporter.terminate()


if __name__ == "__main__":
    sys.exit(main())
