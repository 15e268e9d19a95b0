#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""exporter.py DIRECTORY STORE - what Prometheus' programs make of the metrics there.

Prints what the node exporter says of DIRECTORY. If there is the server it reads the exporter,
has its data in STORE, and is asked for pfmon_events_total: "type TYPE", and for each sample
"value EVENT CPU-IS-THERE JOB_NAME CPU".
"""
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

# Whatever proxy the host has is not asked.
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def free_address():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return "127.0.0.1:%d" % s.getsockname()[1]


def get(program, url):
    """Until it listens, or has ended."""
    while program.poll() is None:
        try:
            with opener.open(url, timeout=60) as page:
                return page.read().decode()
        except urllib.error.HTTPError as e:
            # The server says 503 until it has read what it stored.
            if e.code != 503:
                raise
        except OSError:
            pass
        time.sleep(0.05)
    raise SystemExit("%s has ended" % program.args[0])


@contextlib.contextmanager
def running(*command):
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as program:
        try:
            yield program
        finally:
            program.terminate()


def ask(program, address, what):
    """An answer of the server that has something in it, which it has in a minute or two."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        answer = json.loads(get(program, "http://%s/api/v1/%s" % (address, what)))["data"]
        if answer.get("result", answer):
            return answer
        time.sleep(0.05)
    raise SystemExit("the server has nothing: " + what)


def main(metrics, store):
    exporter_at = free_address()
    server_at = free_address()
    with running("prometheus-node-exporter", "--collector.disable-defaults",
                 "--collector.textfile", "--collector.textfile.directory=" + metrics,
                 "--web.listen-address=" + exporter_at) as exporter:
        sys.stdout.write(get(exporter, "http://%s/metrics" % exporter_at))
        if not shutil.which("prometheus"):
            return
        config = os.path.join(store, "prometheus.yml")
        with open(config, "w") as f:
            f.write("global: {scrape_interval: 1s, scrape_timeout: 1s}\n"
                    "scrape_configs: [{job_name: pfmon, honor_labels: true, "
                    "static_configs: [{targets: ['%s']}]}]\n" % exporter_at)
        with running("prometheus", "--config.file=" + config, "--storage.tsdb.path=" + store,
                     "--web.listen-address=" + server_at, "--log.level=error") as server:
            series = ask(server, server_at, "query?query=pfmon_events_total")["result"]
            about = ask(server, server_at, "metadata?metric=pfmon_events_total")
            print("type", about["pfmon_events_total"][0]["type"])
            for one in series:
                labels = one["metric"]
                print("value", labels["event"], int("cpu" in labels), labels["job_name"],
                      labels["cpu"])


if __name__ == "__main__":
    main(*sys.argv[1:])
