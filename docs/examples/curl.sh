#!/usr/bin/env bash
# What curl can do without a signature: find a vault, read its past, fund a test wallet, and prepare its setup.
# Signing takes a library: ../rest.md with viem, and python.py beside this file, go on from here.
set -euo pipefail
url=${YIELD_VAULT_URL:-http://127.0.0.1:3000}
wallet=${WALLET:-0x6ac6Fa4fEaEaC3ce37CF6d3eDb1dB293DD000c34}

get() { curl -sS --fail-with-body "$url$1"; echo; }
post() { curl -sS --fail-with-body "$url$1" -H 'content-type: application/json' -d "$2"; echo; }

get /v1/yield/chains
vaults=$(post /v1/yield/discover '{"chain":"base","asset":"USDC","limit":1}')
echo "$vaults"
vault=$(grep -o '"vaultId":"[0-9]*"' <<<"$vaults" | grep -o '[0-9]*')

get "/v1/yield/vaults/$vault"
get "/v1/yield/history?vaultId=$vault&period=7d"

post /v1/testing/fund-wallet "{\"chain\":\"base\",\"walletAddress\":\"$wallet\",\"usdcAmount\":\"50000000\"}"
# With needsSetup: true, sign gaslessSetup and post it to /v1/yield/gasless-setup. Otherwise check execution.intentEnvelope
# as ../bytes.md says, sign it, and post both to /v1/yield/execute.
post /v1/yield/prepare \
  "{\"chain\":\"base\",\"agentAddress\":\"$wallet\",\"vaultId\":\"$vault\",\"asset\":\"USDC\",\"amount\":\"25\"}"
get "/v1/yield/status?userAddress=$wallet"
