"""From an empty wallet to a redeemed position with eth-account; docs/rest.md explains each step.

Python 3.10 or later: pip install "eth-account>=0.13.5" && python python.py
"""

import json
import os
import time
import urllib.error
import urllib.request

from eth_account import Account
from eth_account.messages import encode_typed_data

URL = os.environ.get("YIELD_VAULT_URL", "http://127.0.0.1:3000")
wallet = Account.from_key(os.environ["PRIVATE_KEY"]) if "PRIVATE_KEY" in os.environ else Account.create()


def call(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    while True:
        request = urllib.request.Request(URL + path, data, {"content-type": "application/json"} if data else {})
        try:
            with urllib.request.urlopen(request) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            result = json.load(error)
            if not result.get("retryable"):
                raise SystemExit(f"{result['code']}: {result.get('detail')} {result.get('nextAction')}")
            time.sleep(float(error.headers.get("retry-after", 1)))


def sign_typed_data(typed_data):
    domain, types, message = typed_data["domain"], typed_data["types"], typed_data["message"]
    integers = {f["name"] for f in types[typed_data["primaryType"]] if f["type"].startswith("uint")}
    values = {name: int(value) if name in integers else value for name, value in message.items()}
    signed = wallet.sign_message(encode_typed_data(domain, types, values))
    return "0x" + bytes(signed.signature).hex()


def sign_setup(setup):
    signed = {"permitSignature": sign_typed_data(setup["permit"])} if setup["permit"] else {}
    if authorization := setup["authorization"]:
        address, chain_id = authorization["contractAddress"], authorization["chainId"]
        nonce = authorization["nonce"]
        auth = wallet.sign_authorization({"chainId": chain_id, "address": address, "nonce": nonce})
        r, s = (f"0x{value:064x}" for value in (auth.r, auth.s))
        signed["authorization"] = {"chainId": chain_id, "address": address, "nonce": nonce}
        signed["authorization"] |= {"yParity": auth.y_parity, "r": r, "s": s}
    return signed


def execute(execution):
    print(execution["summary"])
    envelope = execution["intentEnvelope"]
    signature = sign_typed_data(envelope["signing"])
    response = call("/v1/yield/execute", {"intentEnvelope": envelope, "intentSignature": signature})
    print(json.dumps({"result": response["result"], **response["positionUpdate"]}, indent=2))


def positions():
    return call(f"/v1/yield/status?userAddress={wallet.address}")


vault = call("/v1/yield/discover", {"chain": "base", "asset": "USDC", "limit": 1})["vaults"][0]
position = {"chain": "base", "agentAddress": wallet.address, "vaultId": vault["vaultId"]}
call("/v1/testing/fund-wallet", {"chain": "base", "walletAddress": wallet.address, "usdcAmount": "50000000"})

deposit = {**position, "asset": "USDC", "amount": "25"}
prepared = call("/v1/yield/prepare", deposit)
if prepared["needsSetup"]:
    prepared = call("/v1/yield/gasless-setup", {**deposit, **sign_setup(prepared["gaslessSetup"])})
execute(prepared["execution"])
print(json.dumps(positions(), indent=2))

redeem = call("/v1/yield/prepare", {"operation": "redeem", **position, "percentage": 100})
execute(redeem["execution"])
print(json.dumps(positions(), indent=2))
