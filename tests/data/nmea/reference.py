"""Writes down what pyais reads in the AIS logs of this folder: `pip install pyais==3.3.1; python reference.py [FOLDER]`.

Beside LOG.gz, LOG.pyais.gz holds a line for each message: the line of its last part, its type, and its fields as pyais
gives them. The codes that ITU-R M.1371-5 has for "not available" (pyais gives them as numbers) are written as `-`, and
numbers with as many decimals as are sent.
"""

import gzip
import pathlib
import re
import sys

from pyais import decode

SENTENCE = re.compile(rb"!..VD[MO],[^*!]*\*[0-9A-Fa-f]{2}")


def number(value, decimals, bad):
    return "-" if bad(value) else f"{value:.{decimals}f}"


def lat(m):
    return number(m.lat, 6, lambda v: abs(v) > 90)


def lon(m):
    return number(m.lon, 6, lambda v: abs(v) > 180)


def angle(value, decimals):
    return number(value, decimals, lambda v: v >= 360)


def text(value):
    return (value or "").rstrip().replace(" ", "_") or "-"


def flag(value):
    return str(int(value))


def turn(value):
    # ±127 and -128 stand for themselves; no other rate rounds to them, 53 on the indicator is 125 and 54 is 130.
    return "-" if abs(float(value)) in (127, 128) else f"{float(value):.0f}"


def dims(m):
    return f"{m.to_bow} {m.to_stern} {m.to_port} {m.to_starboard}"


def fields(m):
    t = m.msg_type
    if t in (1, 2, 3):
        speed = number(m.speed, 1, lambda v: v > 102.25)
        return [int(m.status), turn(m.turn), speed, flag(m.accuracy), lon(m), lat(m), angle(m.course, 1),
                angle(m.heading, 0), m.second, flag(m.raim)]
    if t in (4, 11):
        ok = 0 < m.month < 13 and m.day and m.hour < 24 and m.minute < 60 and m.second < 60 and m.year
        when = f"{m.year:04}-{m.month:02}-{m.day:02}T{m.hour:02}:{m.minute:02}:{m.second:02}.000Z" if ok else "-"
        return [when, flag(m.accuracy), lon(m), lat(m), int(m.epfd), flag(m.raim)]
    if t == 5:
        eta = f"{m.month} {m.day} {m.hour} {m.minute}"
        return [m.imo or "-", text(m.callsign), text(m.shipname), int(m.ship_type), dims(m), int(m.epfd), eta,
                number(m.draught, 1, lambda v: v == 0), text(m.destination)]
    if t == 9:
        return [number(m.alt, 0, lambda v: v == 4095), number(m.speed, 0, lambda v: v == 1023), flag(m.accuracy),
                lon(m), lat(m), angle(m.course, 1), m.second, flag(m.raim)]
    if t in (18, 19):
        speed = number(m.speed, 1, lambda v: v > 102.25)
        out = [speed, flag(m.accuracy), lon(m), lat(m), angle(m.course, 1), angle(m.heading, 0), m.second, flag(m.raim)]
        return out + [text(m.shipname), int(m.ship_type), dims(m), int(m.epfd)] if t == 19 else out
    if t == 21:
        return [int(m.aid_type), text(m.name) + ("|" + text(m.name_ext) if m.name_ext else ""), flag(m.accuracy), lon(m), lat(m), dims(m),
                int(m.epfd), m.second, flag(m.off_position), flag(m.raim), flag(m.virtual_aid)]
    if t == 24 and m.partno == 0:
        return ["A", text(m.shipname)]
    if t == 24:
        tail = m.mothership_mmsi if str(m.mmsi).startswith("98") else dims(m)
        return ["B", int(m.ship_type), text(m.vendorid), text(m.callsign), tail]
    if t == 27:
        return [int(m.status), number(m.speed, 0, lambda v: v == 63), flag(m.accuracy), lon(m), lat(m),
                angle(m.course, 0), flag(m.raim)]
    return []


def messages(log):
    waiting = {}
    for line, content in enumerate(log.split(b"\n"), 1):
        for sentence in SENTENCE.findall(content):
            address, total, part, sequence, channel, _ = sentence.split(b",", 5)
            sentence = b"!AIVDM" + sentence[6:]
            if total == b"1":
                yield line, [sentence]
                continue
            key = (address, total, sequence, channel)
            parts = waiting.setdefault(key, {})
            parts[part] = sentence
            if len(parts) == int(total):
                yield line, [parts[number] for number in sorted(parts)]
                del waiting[key]


def main(folder):
    for path in sorted(folder.glob("*.n*.gz")):
        if path.name.endswith(".pyais.gz"):
            continue
        out = []
        for line, parts in messages(gzip.decompress(path.read_bytes())):
            m = decode(*parts)
            out.append(" ".join(map(str, [line, m.msg_type, m.repeat, m.mmsi, *fields(m)])) + "\n")
        beside = path.with_name(path.name.removesuffix(".gz") + ".pyais.gz")
        beside.write_bytes(gzip.compress("".join(out).encode(), 9, mtime=0))
        print(path.name, len(out))


main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
