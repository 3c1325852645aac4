"""Recompute metrics-vectors.json (standard input) without the library. Exit status 1 on a difference above 1e-9."""

import json
import sys

from quotes import diluted, growth, stay
from scores import composite, risk
from series import WINDOWS, apy, daily, drawdown, flatten, repair, samples_of, sharpe

vectors = json.load(sys.stdin)
problems, compared = [], 0


def compare(where, ours, given):
    global compared
    if isinstance(given, dict):
        for key, value in given.items():
            compare(f"{where}.{key}", ours[key], value)
        return
    compared += 1
    numbers = all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in (ours, given))
    if abs(ours - given) > 1e-9 * max(1, abs(given)) if numbers else ours != given:
        problems.append(f"{where}: {ours} instead of {given}")


for vector in vectors["apy"]:
    raw = samples_of(vector, vectors["meta"]["t0"])
    mended, repaired = repair(raw)
    cleaned, jumps = flatten(mended, repaired)
    detail = {name: apy(cleaned, name) for name in WINDOWS}
    values = {
        name: next((detail[n]["value"] for n in order if detail[n]["value"] is not None), 0)
        for name, (_, _, _, order) in WINDOWS.items()
    }
    month = daily(cleaned, 30)
    ratios = {"week": sharpe(daily(cleaned, 7), 5, 0.04), "month": sharpe(month, 14, 0.04)}
    volatility = ratios["month"]["sigmaAnnual"] if len(month) >= 14 else None
    where = vector["name"]
    compare(where, {name: apy(raw, name) for name in WINDOWS}, vector["rawApy"])
    given = vector["cleaned"]
    compare(where, detail, given["detail"])
    compare(where, values, given["served"])
    compare(f"{where} jumps", len(jumps), len(given["jumps"]))
    for ours, jump in zip(jumps, given["jumps"]):
        compare(where, ours, jump)
    compare(f"{where} spikes", len(repaired), given["spikesRepaired"])
    compare(where, ratios, vector["sharpe"])
    compare(f"{where} volatility", volatility, vector["volAnnual"])
    compare(f"{where} drawdown", drawdown(mended), vector["maxDrawdown"])

for vector in vectors["risk"]:
    given = {**vector["expected"], "floors": [(f["min"], f["reason"]) for f in vector["expected"]["floors"]]}
    compare(vector["name"], risk(vector["input"]), given)

for vector in vectors["composite"]:
    rows = {name: composite(x, vector["strategy"]) for name, x in vectors["compositeInputs"].items()}
    compare(vector["strategy"], rows, vector["rows"])
    order = sorted(rows, key=lambda name: -rows[name]["score"])
    compare(f"{vector['strategy']} order", order, vector["order"])

quote = vectors["quote"]
for vector in quote["stays"]:
    given = {name: vector[name] for name in ("netApy", "breakEvenDays")}
    compare(vector["name"], stay(**vector["input"]), given)
for formula, name in ((diluted, "diluted"), (growth, "growth")):
    for vector in quote[name]:
        given = {**vector}
        apy = given.pop("apy")
        compare(name, formula(**given), apy)

print("\n".join(problems) or f"{compared} values are equal")
sys.exit(1 if problems else 0)
