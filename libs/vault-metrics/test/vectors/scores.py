"""Risk and composite score, written from docs/metrics.md."""

import math

from series import DAY, clamp

WEIGHTS = {
    "admin": 12, "audit": 8, "curator": 4, "complexity": 6, "age": 10, "tvl": 10, "concentration": 10,
    "drawdown": 8, "volatility": 6, "apyAnomaly": 6, "liquidity": 10, "asset": 6, "oracle": 4,
}
CURATOR = {"none_needed": 0, "known_guarded": 0, "known": 30, "unknown": 100}
COMPLEXITY = {"savings": 0, "lending": 0, "isolated": 10, "multi_market": 30, "autocompound": 40}
COMPLEXITY |= {"aggregator": 60, "leveraged": 90}
ASSET = {"native": 0, "fiat_stable": 5, "wrapped_btc": 15, "cdp_stable": 20, "lst": 20}
ASSET |= {"synthetic_stable": 50, "lrt": 50}
ORACLE = {"none": 0, "none_needed": 0, "chainlink": 0, "chronicle": 10, "custom": 80}
ORACLE |= {"pyth": 30, "redstone": 30, "rate": 30}


def admin_points(x):
    if "admin" not in x or x["admin"] == "immutable":
        return 0 if "admin" in x else None
    for days, points in ((7, 10), (3, 15), (2, 20), (1, 40), (0.25, 60)):
        if x.get("timelock", 0) >= days * DAY:
            return points
    if x["admin"] == "multisig":
        return {1: 95, 2: 85}.get(x.get("safeThreshold", 1), 75)
    return 95 if x["admin"] == "eoa" else 80


def scaled(value, points):
    return None if value is None else 100 * clamp(points(value))


def ladder(value, unknown, *steps):
    """A floor with its reason: the first step that holds."""
    if value is None:
        return [(steps[0][0], unknown)]
    return next(([(least, reason)] for least, reason, holds in steps if holds), [])


def risk(x):
    get = x.get
    ratio = None
    if get("apyNow") is not None and get("benchmarkApy") is not None:
        ratio = x["apyNow"] / max(x["benchmarkApy"], 0.5)
    exits = [get("exitFraction"), get("exitFractionP10")]
    lowest = None if None in exits else min(exits)
    factors = {
        "admin": admin_points(x),
        "audit": None if get("audits") is None else [100, 50, 35, 20, 0][min(4, x["audits"])],
        "curator": CURATOR.get(get("curator")),
        "complexity": COMPLEXITY.get(get("strategy")),
        "age": scaled(get("ageDays"), lambda d: math.exp(-d / 365)),
        "tvl": scaled(get("tvlUsd"), lambda usd: (8 - math.log10(usd)) / 3),
        "concentration": scaled(get("top1Share"), lambda s: (s - 0.1) / 0.65),
        "drawdown": scaled(get("maxDrawdown90d"), lambda d: d / 0.02),
        "volatility": scaled(get("volAnnual"), lambda v: v / 0.05),
        "apyAnomaly": scaled(ratio, lambda r: (r - 1.5) / 3.5),
        "liquidity": scaled(lowest, lambda l: max((0.3 - l) / 0.3, 0 if get("isAsync") is False else 0.8)),
        "asset": ASSET.get(get("assetClass")),
        "oracle": ORACLE.get(get("oracle")),
    }
    base = sum(WEIGHTS[k] * (100 if v is None else v) for k, v in factors.items()) / 100
    coverage = sum(WEIGHTS[k] for k, v in factors.items() if v is not None)
    multisig = get("admin") == "multisig"
    single = {"eoa": True, "multisig": get("safeThreshold", 9) < 2}.get(get("admin"), False)
    locked = get("timelock", 0) > 0
    hidden = "admin" not in x or (multisig and not locked and "safeThreshold" not in x)
    days, usd, loss, peg = get("ageDays"), get("tvlUsd"), get("loss30d"), get("depeg")
    share, exit_usd = get("exitFraction"), get("exitUsd")
    exit_known = share if exit_usd is not None else None
    incident = get("daysSinceIncident", 1e9)
    floors = [
        *ladder(coverage, "", (46, "coverage<40%", coverage < 40), (30, "coverage<60%", coverage < 60)),
        *ladder(get("audits"), "audit-unknown", (55, "no-audit", get("audits") == 0)),
        *ladder(
            None if hidden else 1,
            "safe-threshold-unknown" if multisig else "admin-unknown",
            (55, "eoa-admin-no-timelock", single and not locked),
        ),
        *ladder(incident, "", (85, "incident<30d", incident < 30), (55, "incident<90d", incident < 90)),
        *ladder(days, "age-unknown", (55, "age<14d", (days or 0) < 14), (46, "age<30d", (days or 0) < 30)),
        *ladder(usd, "tvl-unknown", (55, "tvl<100k", (usd or 0) < 1e5), (30, "tvl<1m", (usd or 0) < 1e6)),
        *ladder(
            exit_known,
            "exit-unknown",
            (85, "exit<10k", (exit_usd or 0) < 10_000),
            (85, "exit<0.5%", (share or 0) < 0.005),
            (55, "exit<2%", (share or 0) < 0.02),
            (46, "exit-not-simulated", get("exitMethod") not in ("simulated", "protocol")),
        ),
        *ladder(
            loss, "loss30d-unknown", (85, "loss30d>5%", (loss or 0) > 0.05), (55, "loss30d>1%", (loss or 0) > 0.01)
        ),
        *ladder(peg, "depeg-unknown", (85, "depeg>5%", (peg or 0) > 0.05), (55, "depeg>2%", (peg or 0) > 0.02)),
        *ladder(get("hasJump7d"), "jump7d-unknown", (46, "jump7d", get("hasJump7d"))),
        *ladder(ratio, "apy-unknown", (55, "apy>3x-benchmark", (ratio or 0) > 3)),
    ]
    score = math.floor(max([base, *(least for least, _ in floors)]) * 10 + 0.5) / 10
    rank = sum(score >= limit for limit in (10, 20, 30, 38, 46, 55, 70, 85))
    return {
        "factors": factors,
        "base": base,
        "coverage": coverage,
        "floors": floors,
        "score": score,
        "level": "low" if score < 30 else "medium" if score < 55 else "high",
        "rating": ["A+", "A", "A-", "B+", "B", "B-", "C", "D", "F"][rank],
        "tier": "prime" if score < 20 else "core" if score < 55 else "edge",
    }


STRATEGIES = {
    "maximize_apy": (0.6, 0.15, 0.1, 0.1, 0.05),
    "balanced": (0.35, 0.3, 0.15, 0.1, 0.1),
    "minimize_risk": (0.1, 0.55, 0.1, 0.15, 0.1),
}
PARTS = ("yield", "safety", "sharpe", "tvl", "stability")


def composite(x, strategy):
    yields = x["apy"]["now"], x["apy"]["week"], x["apy"]["month"]
    now, week, month = (clamp(y, 0, 30) for y in yields)
    features = {
        "yield": 100 * (1 - math.exp(-(0.2 * now + 0.5 * week + 0.3 * month) / 8)),
        "safety": 100 - x["risk"],
        "sharpe": clamp(50 + 5 * (0.4 * x["sharpe"]["week"] + 0.6 * x["sharpe"]["month"]), 0, 100),
        "tvl": 100 * clamp((math.log10(x["tvlUsd"]) - 5) / 4),
        "stability": 100 * min(yields) / max(yields) if min(yields) > 0 else 0,
    }
    weights = dict(zip(PARTS, STRATEGIES[strategy]))
    if features["sharpe"] > features["safety"]:
        trusted = x["exitMethod"] == "simulated" and x["accrues"]
        moved = weights["sharpe"] * (1 if x["exitMethod"] == "unknown" else 0 if trusted else 0.5)
        weights["safety"] += moved
        weights["sharpe"] -= moved
    quality = 1 if x["historyDays"] >= 30 else 0.9 if x["historyDays"] >= 7 else 0.75
    score = quality * sum(weights[part] * features[part] for part in PARTS)
    return {"features": features, "weights": weights, "quality": quality, "score": score}
