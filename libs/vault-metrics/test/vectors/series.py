"""Cleaning, APY, Sharpe ratio and drawdown, written from docs/metrics.md."""

import math
from bisect import bisect_right
from statistics import mean, median, stdev

HOUR, DAY, YEAR = 3_600, 86_400, 31_536_000


def clamp(x, low=0.0, high=1.0):
    return min(high, max(low, x))


def growth(hour):
    return 1.05 ** (hour * HOUR / YEAR)


PRICES = {
    "constant-5pct": growth,
    "daily-harvest-5pct": lambda h: growth(h // 24 * 24),
    "donation-plus-3pct": lambda h: growth(h) * (1.03 if h > 694 else 1),
    "loss-minus-2pct": lambda h: growth(h) * (0.98 if h > 700 else 1),
    "spike-and-revert": lambda h: growth(h) * (0.44 if 600 <= h <= 602 else 1),
    "gap-at-week-anchor": lambda h: None if 163 <= 744 - h < 178 else growth(h),
}


def samples_of(vector, t0):
    if vector["series"]:
        return [(t, float(price)) for t, price in vector["series"]]
    hours = [(h, PRICES[vector["name"]](h)) for h in range(745)]
    return [(t0 + h * HOUR, price) for h, price in hours if price is not None]


def repair(samples):
    times = [t for t, _ in samples]
    out, repaired = list(samples), set()
    for i, (t, price) in enumerate(samples):
        a = bisect_right(times, t - DAY) - 1
        b = next((k for k in range(i, len(times)) if times[k] >= t + DAY), None)
        if a < 0 or b is None or max(t - times[a], times[b] - t) > DAY + 6 * HOUR:
            continue
        before, after = samples[a][1], samples[b][1]
        if price < before * 0.67 and price < after * 0.67 and abs(after / before - 1) < 0.1:
            out[i] = (t, (before + after) / 2)
            repaired.add(i)
    return out, repaired


def flatten(samples, repaired):
    steps, last = {}, None
    for i, (t, price) in enumerate(samples):
        if i in repaired:
            continue
        if last is not None:
            hours = max(1, round((t - samples[last][0]) / HOUR))
            steps[i] = (math.log(price / samples[last][1]), hours)
        last = i
    usual = mad = 0.0
    if len(steps) >= 3:
        usual = median(r / h for r, h in steps.values())
        mad = median(abs(r - usual * h) / math.sqrt(h) for r, h in steps.values())
    out, jumps, scale = [], [], 1.0
    for i, (t, price) in enumerate(samples):
        r, h = steps.get(i, (0, 1))
        if i in steps and r > usual * h + max(0.01 - usual, 20 * 1.4826 * mad * math.sqrt(h)):
            jumps.append({"t": t, "logReturn": r})
            scale *= math.exp(usual * h - r)
        out.append((t, price * scale))
    return out, jumps


# APY, Sharpe ratio, volatility, drawdown

WINDOWS = {
    "now": (DAY, 2 * HOUR, 6 * HOUR, ("now", "week", "month")),
    "week": (7 * DAY, 6 * HOUR, 3 * DAY, ("week", "month", "now")),
    "month": (30 * DAY, DAY, 10 * DAY, ("month", "week", "now")),
}


def apy(samples, name):
    window, tolerance, least, _ = WINDOWS[name]
    times = [t for t, _ in samples]
    start = times[-1] - window
    i = bisect_right(times, start) - 1
    fresh = i >= 0 and start - times[i] <= tolerance
    first = i if fresh else i + 1
    elapsed = times[-1] - times[first]
    if elapsed < least:
        return {"value": None}
    value = ((samples[-1][1] / samples[first][1]) ** (YEAR / elapsed) - 1) * 100
    quality = "full" if fresh else "gap" if i >= 0 else "partial"
    return {"value": clamp(value, -99.99, 1000), "quality": quality, "elapsed": elapsed}


def daily(samples, days):
    times = [t for t, _ in samples]

    def price(back):
        i = bisect_right(times, times[-1] - back * DAY) - 1
        return samples[i][1] if i >= 0 and times[-1] - back * DAY - times[i] <= 6 * HOUR else None

    pairs = [(price(back), price(back + 1)) for back in range(days)]
    return [later / earlier - 1 for later, earlier in pairs if later is not None and earlier]


def sharpe(returns, least, rate):
    if len(returns) < least:
        return {"value": 0, "obs": len(returns)}
    excess = mean(returns) - ((1 + rate) ** (1 / 365) - 1)
    deviation = max(stdev(returns), 0.005 / math.sqrt(365))
    return {
        "value": clamp(excess / deviation * math.sqrt(365), -10, 10),
        "obs": len(returns),
        "sigmaAnnual": stdev(returns) * math.sqrt(365),
    }


def drawdown(samples):
    peak = worst = 0.0
    for _, price in samples:
        peak = max(peak, price)
        worst = max(worst, 1 - price / peak)
    return worst
