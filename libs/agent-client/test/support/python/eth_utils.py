"""Keccak-256 in plain Python, where eth-utils is not installed."""

MASK = 2**64 - 1


def rotate(lane, count):
    return (lane << count % 64 | lane >> 64 - count % 64) & MASK


def permute(lanes):
    register = 1
    for _ in range(24):
        parity = [lanes[x][0] ^ lanes[x][1] ^ lanes[x][2] ^ lanes[x][3] ^ lanes[x][4] for x in range(5)]
        mix = [parity[x - 1] ^ rotate(parity[(x + 1) % 5], 1) for x in range(5)]
        lanes = [[lane ^ mix[x] for lane in lanes[x]] for x in range(5)]
        x, y, current = 1, 0, lanes[1][0]
        for step in range(24):
            x, y = y, (2 * x + 3 * y) % 5
            current, lanes[x][y] = lanes[x][y], rotate(current, (step + 1) * (step + 2) // 2)
        for y in range(5):
            row = [lanes[x][y] for x in range(5)]
            for x in range(5):
                lanes[x][y] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5])
        for bit in range(7):
            register = (register << 1 ^ (register >> 7) * 0x71) % 256
            if register & 2:
                lanes[0][0] ^= 1 << ((1 << bit) - 1)
    return lanes


def keccak(primitive=b"", text=None):
    data = text.encode() if text is not None else primitive
    padded = bytearray(data + b"\x01" + bytes(-(len(data) + 1) % 136))
    padded[-1] ^= 0x80
    lanes = [[0] * 5 for _ in range(5)]
    for start in range(0, len(padded), 136):
        for index in range(17):
            offset = start + 8 * index
            lanes[index % 5][index // 5] ^= int.from_bytes(padded[offset : offset + 8], "little")
        lanes = permute(lanes)
    return b"".join(lanes[index % 5][index // 5].to_bytes(8, "little") for index in range(4))
