"""Quotes, written from docs/metrics.md, with 50 digits."""

from decimal import Context, Decimal, setcontext

setcontext(Context(50))


def power(base, exponent):
    return (base.ln() * exponent).exp()


def stay(amountUsd, apy, days, gasUsd, kept, apyBefore=0):
    amount, rate, days, gas, kept = (Decimal(str(x)) for x in (amountUsd, apy, days, gasUsd, kept))
    growth = 1 + rate / 100
    gain = growth / (1 + Decimal(str(apyBefore)) / 100)
    left = power(growth, days / 365) * kept - gas / amount
    return {
        "netApy": float((power(left, 365 / days) - 1) * 100) if left > 0 else -100,
        "breakEvenDays": float(365 * ((amount + gas) / amount / kept).ln() / gain.ln()) if gain > 1 else None,
    }


def diluted(month, tvlUsd, amountUsd):
    return month * tvlUsd / (tvlUsd + amountUsd)


def growth(before, after, seconds):
    apy = float((power(Decimal(after) / Decimal(before), Decimal(31_536_000) / seconds) - 1) * 100)
    return apy if before != after and apy <= 1_000 else None
