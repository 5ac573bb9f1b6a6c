"""Helm's own engine, by the module helm_python (helm-python-sdk), with the words of the command that the test uses:

lint --strict CHART -f FILE     template NAME CHART -f FILE     version
"""
import json
import sys

import helm_python

words = sys.argv[1:]
values = json.load(open(words[words.index("-f") + 1])) if "-f" in words else {}
if words[0] == "version":
    print("helm_python")
elif words[0] == "lint":
    report = helm_python.lint(words[2], values, strict=True)
    print(json.dumps(report, indent=1))
    sys.exit(1 if report["errors"] else 0)
elif words[0] == "template":
    try:
        with helm_python.Chart.load(words[2]) as chart:
            for path, manifest in sorted(chart.render(values, name=words[1]).items()):
                if path.endswith(".yaml") and manifest.strip():
                    print("---\n" + manifest)
    except helm_python.HelmError as e:
        sys.exit("Error: %s" % e)
