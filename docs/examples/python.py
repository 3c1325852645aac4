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
from eth_utils import keccak

URL = os.environ.get("YIELD_VAULT_URL", "http://127.0.0.1:3000")
wallet = Account.from_key(os.environ["PRIVATE_KEY"]) if "PRIVATE_KEY" in os.environ else Account.create()

# From docs/addresses.md, not from the service. Each operator has its own paymaster; this is the local one.
CHAIN_ID = 8453
ENTRY_POINT = "0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108"
ACCOUNT = "0xb4389045AaCB96F0290A400f8b561EC830E25AA3"
VALIDATOR = "0xa7a891bE7f0b2913bA483b7356CF8dF130bC276D"
USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
PAYMASTER = os.environ.get("PAYMASTER", "0x35CF13F5B00aAeAA13cc34f5F81533b95c277001")
MAX_GAS_USDC = 5_000_000  # base units
# Vaults that you trust, by their issuers or your own research. These two are local.
TRUSTED_VAULTS = [
    "0x233a8f7DB283e566A82D9A3a7C2Ea234cfbfF0b6",
    "0x4791cb70E233BD6120b81e1dB416589E38B1843C",
]


def call(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    for attempt in range(1, 61):
        request = urllib.request.Request(URL + path, data, {"content-type": "application/json"} if data else {})
        try:
            with urllib.request.urlopen(request) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            result = json.load(error)
            if not result.get("retryable") or attempt == 60:
                raise SystemExit(f"{result['code']}: {result.get('detail')} {result.get('nextAction')}")
            time.sleep(max(1, int(error.headers.get("retry-after", 1))))


def read(node, contract, selector, *words):
    data = "0x" + selector + b"".join(map(word, words)).hex()
    body = {"jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": [{"to": contract, "data": data}, "latest"]}
    request = urllib.request.Request(node, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request) as response:
        return int(json.load(response)["result"], 16)


def word(value):
    return (int(value, 16) if isinstance(value, str) else value).to_bytes(32, "big")


def from_hex(value):
    return bytes.fromhex(value.removeprefix("0x"))


def choose(vaults):
    for vault in vaults:
        if vault["vaultAddress"] in TRUSTED_VAULTS:
            return vault
    raise ValueError("Discover returns no vault of TRUSTED_VAULTS.")


def check(envelope, hook, vault, amount, minimum, nonce):
    """Rebuild the operation from what you expect, as docs/bytes.md says, and refuse an envelope with another root."""
    expiry, operation = envelope["expiry"], envelope["userOps"][0]["userOperation"]
    min_out = int.from_bytes(from_hex(operation["callData"])[141:173], "big")
    paymaster_data = from_hex(operation["paymasterAndData"])
    grant = int.from_bytes(paymaster_data[76:88], "big")
    if min_out < minimum or grant > MAX_GAS_USDC or expiry > time.time() + 900:
        raise ValueError(f"Do not sign: minimum {min_out}, gas {grant} or expiry {expiry} is out of bounds.")

    record = bytes([hook]) + from_hex(vault) + from_hex(USDC) + word(amount) + word(min_out)
    call_data = from_hex("ec105a40") + word(32) + word(len(record)) + record + bytes(-len(record) % 32)
    grant_data = from_hex("e3d5260b") + from_hex(USDC) + grant.to_bytes(12, "big")
    init_code = from_hex(ACCOUNT) if envelope["userOps"][0].get("eip7702Auth") else b""
    gas = {name: int(value) for name, value in operation.items() if name.endswith(("Gas", "GasLimit"))}
    struct = [
        keccak(
            text="PackedUserOperation(address sender,uint256 nonce,bytes initCode,bytes callData,"
            "bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData)"
        ),
        word(wallet.address),
        word(nonce),
        keccak(init_code),
        keccak(call_data),
        word(gas["verificationGasLimit"] << 128 | gas["callGasLimit"]),
        word(gas["preVerificationGas"]),
        word(gas["maxPriorityFeePerGas"] << 128 | gas["maxFeePerGas"]),
        keccak(from_hex(PAYMASTER) + paymaster_data[20:52] + grant_data),
    ]
    domain = [
        keccak(text="EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
        keccak(text="ERC4337"),
        keccak(text="1"),
        word(CHAIN_ID),
        word(ENTRY_POINT),
    ]
    user_op_hash = keccak(b"\x19\x01" + keccak(b"".join(domain)) + keccak(b"".join(struct)))
    root = keccak(keccak(user_op_hash + word(expiry) + word(0) + word(VALIDATOR)))
    if root != from_hex(envelope["merkleRoot"]):
        raise ValueError("Do not sign: the envelope is not the requested operation.")
    return {"merkleRoot": root, "chainId": CHAIN_ID, "expiry": expiry, "validAfter": 0}


def sign(message):
    domain = {"name": "YieldVaultIntent", "version": "1", "chainId": CHAIN_ID, "verifyingContract": VALIDATOR}
    types = {"merkleRoot": "bytes32", "chainId": "uint256", "expiry": "uint48", "validAfter": "uint48"}
    intent = {"Intent": [{"name": name, "type": kind} for name, kind in types.items()]}
    return "0x" + bytes(wallet.sign_message(encode_typed_data(domain, intent, message)).signature).hex()


def sign_authorization(setup):
    tuple_ = {"chainId": CHAIN_ID, "address": ACCOUNT, "nonce": setup["authorization"]["nonce"]}
    signed = wallet.sign_authorization(tuple_)
    r, s = (f"0x{value:064x}" for value in (signed.r, signed.s))
    return {"authorization": {**tuple_, "yParity": signed.y_parity, "r": r, "s": s}}


def execute(node, execution, **expected):
    envelope = execution["intentEnvelope"]
    # From your node: of two intents with one nonce, the chain executes one. The call is getNonce(address,uint192).
    nonce = read(node, ENTRY_POINT, "35567e1a", wallet.address, int(VALIDATOR, 16) << 32)
    signature = sign(check(envelope, **expected, nonce=nonce))
    print(execution["summary"])
    response = call("/v1/yield/execute", {"intentEnvelope": envelope, "intentSignature": signature})
    print(json.dumps({"result": response["result"], **response["positionUpdate"]}, indent=2))


def positions():
    return call(f"/v1/yield/status?userAddress={wallet.address}")


def main():
    # The node is your own. Test forks have a public one.
    node = os.environ.get("BASE_RPC_URL") or next(
        fork["rpcUrl"] for fork in call("/v1/testing/fork-status")["primaryForks"] if fork["chain"] == "base"
    )
    vault = choose(call("/v1/yield/discover", {"chain": "base", "asset": "USDC"})["vaults"])
    address = vault["vaultAddress"]
    position = {"chain": "base", "agentAddress": wallet.address, "vaultId": vault["vaultId"]}
    call("/v1/testing/fund-wallet", {"chain": "base", "walletAddress": wallet.address, "usdcAmount": "50000000"})

    # previewDeposit(uint256)
    shares = read(node, address, "ef8b30f7", 25_000_000)
    deposit = {**position, "asset": "USDC", "amount": "25"}
    prepared = call("/v1/yield/prepare", deposit)
    if prepared["needsSetup"]:
        prepared = call("/v1/yield/gasless-setup", {**deposit, **sign_authorization(prepared["gaslessSetup"])})
    execute(node, prepared["execution"], hook=0x81, vault=address, amount=25_000_000, minimum=shares * 99 // 100)
    print(json.dumps(positions(), indent=2))

    redeem = call("/v1/yield/prepare", {"operation": "redeem", **position, "percentage": 100})
    execute(node, redeem["execution"], hook=0x02, vault=address, amount=2**256 - 1, minimum=24_000_000)
    print(json.dumps(positions(), indent=2))


if __name__ == "__main__":
    main()
