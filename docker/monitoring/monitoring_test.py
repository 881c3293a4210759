#!/usr/bin/python3
"""Compares the alert rules and the Grafana dashboard with the /metrics of a real server that has a run and a standing agent:
every metric that an expression names must be there, with the labels that it selects or sums by.

usage: monitoring_test.py BUILD_FOLDER
"""
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import urllib.request

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(sys.argv[1])
OF_PROMETHEUS = {"up": {"job", "instance"}}  # metrics and labels that Prometheus adds by itself
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def series(text):
    """{metric: names of its labels}; `x_bucket`, `x_count` and `x_sum` are metrics of their own."""
    metrics = {}
    for name, labels in re.findall(r"^([a-z_]+)(?:\{(.*)\})? \S+$", text, re.M):
        metrics.setdefault(name, set()).update(re.findall(r'(\w+)="', labels))
    return metrics


def named(expression):
    """[(metric, labels)] of an expression of PromQL: what it selects, and sums by."""
    by = {label for labels in re.findall(r"\bby \(([^)]*)\)", expression) for label in re.split(r",\s*", labels)}
    found = re.findall(r"\b((?:diopi|process)_\w+|up)\b(?:\{([^}]*)\})?", expression)
    return [(metric, by | set(re.findall(r'(\w+)\s*[!=]~?"', labels))) for metric, labels in found]


def check_expression(where, expression, metrics):
    names = named(expression)
    check(names, f"{where}: {expression}: names no metric")
    for metric, labels in names:
        check(metric in metrics, f"{where}: the server has no metric {metric}")
        for label in labels - metrics.get(metric, labels):
            check(False, f"{where}: {metric} has no label {label}; it has {sorted(metrics[metric])}")


def check_alerts(metrics):
    with open(f"{HERE}/alerts.yml", encoding="utf-8") as file:
        groups = yaml.safe_load(file)["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    check(len({rule["alert"] for rule in rules}) == len(rules) > 5, "alerts.yml: alerts have names of their own")
    for rule in rules:
        where = f"alerts.yml: {rule['alert']}"
        check(set(rule) <= {"alert", "expr", "for", "labels", "annotations"}, f"{where}: unknown field")
        check(re.fullmatch(r"\d+[smhd]", rule.get("for", "1m")), f"{where}: for")
        check(rule["labels"]["severity"] in ("warning", "critical"), f"{where}: severity")
        check_expression(where, rule["expr"], metrics)
        # A text may use the labels that the expression leaves.
        labels = set.union(*(metrics.get(name, set()) | OF_PROMETHEUS.get(name, set()) for name, _ in named(rule["expr"])))
        for label in re.findall(r"\$labels\.(\w+)", " ".join(rule["annotations"].values())):
            check(label in labels, f"{where}: its text names the label {label}")
    return len(rules)


def check_dashboard(metrics):
    with open(f"{HERE}/grafana.json", encoding="utf-8") as file:
        dashboard = json.load(file)
    variables = {variable["name"] for variable in dashboard["templating"]["list"]}
    check(variables == {"source", "chip"}, f"grafana.json: variables {variables}")
    check(re.fullmatch(r"label_values\(diopi_runs, chip\)", dashboard["templating"]["list"][1]["query"]),
          "grafana.json: the values of chip")
    places = set()
    for panel in dashboard["panels"]:
        where = f"grafana.json: {panel['title']}"
        at = panel["gridPos"]
        check(at["x"] + at["w"] <= 24, f"{where}: sticks out")
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        check(not cells & places, f"{where}: lies on another panel")
        places |= cells
        for target in panel["targets"]:
            check_expression(where, target["expr"], metrics)
            for label in re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]):
                check(any(label in metrics.get(name, ()) for name, _ in named(target["expr"])), f"{where}: no label {label}")
    return len(dashboard["panels"])


def metrics_of_a_server(folder):
    """The text of /metrics after a complete run and beside a standing agent."""
    ready, write = os.pipe()
    env = {"PATH": "/usr/bin:/bin", "HOME": folder}
    library = f"{BUILD}/lib/libdiopi_cpu.so"
    subprocess.run([f"{BUILD}/bin/diopi-cli", "gen", "--quiet", "--data", f"{folder}/data", "--fname", "neg"], env=env,
                   check=True, stdout=subprocess.DEVNULL)
    server = subprocess.Popen([f"{BUILD}/bin/diopi-server", "--data", f"{folder}/data", "--listen", "127.0.0.1:0", "--http",
                               "127.0.0.1:0", "--log-level", "error", "--ready-fd", str(write)], env=env, pass_fds=(write,))
    os.close(write)
    agent = None
    try:
        with os.fdopen(ready) as lines:
            rpc, http = (line.split()[1] for line in lines)
        command = [f"{BUILD}/bin/diopi-agent", "--server", rpc, "--impl", library, "--chip", "demo"]
        subprocess.run([*command, "--case", "neg.float32.*", "--quiet", "--report-dir", folder], env=env, check=True,
                       stdout=subprocess.DEVNULL)
        # Options without a selection make the run complete, which takes minutes otherwise.
        with sqlite3.connect(f"{folder}/data/results.db") as database:
            database.execute("UPDATE runs SET options = x''")
        agent = subprocess.Popen([*command, "--serve"], env=env, cwd=folder, stdout=subprocess.PIPE, text=True)
        next(line for line in agent.stdout if "waiting for runs" in line)
        with urllib.request.urlopen(f"http://{http}/metrics") as answer:
            return answer.read().decode()
    finally:
        for process in filter(None, (agent, server)):
            process.terminate()
            process.wait()


def main():
    with tempfile.TemporaryDirectory() as folder:
        metrics = series(metrics_of_a_server(folder))
    metrics.update(OF_PROMETHEUS)
    alerts, panels = check_alerts(metrics), check_dashboard(metrics)
    print(f"monitoring_test: {alerts} alerts and {panels} panels, {len(metrics)} series, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
