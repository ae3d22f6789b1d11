#!/usr/bin/env python3
"""Writes DemoData.swift: a small extract of the GeoNames data, for the demo and the tests.

Usage: extract.py DATA_FOLDER DemoData.swift

DATA_FOLDER holds Continent.jsonl, Country.jsonl and City.jsonl. The extract keeps

- every continent and every country, complete (so all neighbour lists resolve);
- the most populous cities, plus the ones of `CHOSEN`, which bring what the big ones lack: a missing
  admin1, a country without a capital, names outside ASCII, no alternate names, no inhabitants;
- at most three alternate names of a city, each in another script where possible, and a dozen
  for Munich.

Rows and names keep the order they have in the data. The result depends on the data alone.
"""
import json
import pathlib
import sys
import unicodedata

MOST_POPULOUS = 360

CHOSEN = {
    7304591,   # West Island: admin1 missing
    3513090,   # Willemstad: admin1 missing
    2377450,   # Nouakchott: admin1 missing
    6691831,   # Vatican City: admin1 missing, named as its country and capital
    1880252,   # Singapore: admin1 missing, named as its country and capital
    292862,    # Hatta, written with U+1E28
    147059,    # Ahmadbeyli, written with U+018F
    148565,    # Sirvan, written with U+015E
    3393768,   # Obidos, written with U+00D3
    3408166,   # Aguas Belas, written with U+00C1
    1193745,   # Nagar Naluakot: alternate names that are not in composed form
    273203,    # Byblos: the same, in Greek
    2818067,   # Uetersen: an alternate name in the Gothic script, beyond U+FFFF
    3893894,   # Concepcion: the same
    2452651,   # Nioro
    2453348,   # Mopti
    2984114,   # Reims
    2988507,   # Paris
    2643743,   # London
    6058560,   # London in Canada: the same name twice
    3093133,   # Lodz, whose first letter does not fold
    3042030,   # Vaduz
    3041563,   # Andorra la Vella
    2993458,   # Monaco
    3168070,   # San Marino
    3513563,   # Kralendijk: its country has no capital
    2867543,   # Muenster
    2886242,   # Koeln
    2661604,   # Basel
    3579132,   # Gustavia
    3426691,   # Stanley
    2729907,   # Longyearbyen
    3833367,   # Ushuaia
    3413829,   # Reykjavik
    2998632,   # L'Hay-les-Roses, written with U+00FF, which does not fold
    3578069,   # Plymouth in Montserrat: no inhabitants
    8063361,   # Ngerulmud: no inhabitants
    8224783,   # Stanley in England
}

MUNICH = 2867714
MUNICH_NAMES = {
    "MUC", "Monaco di Baviera", "Muenchen", "Munique", "Mùnich ëd Baviera", "München", "Münih",
    "mynkn", "Μόναχο", "Мюнхен", "म्यूनिख", "慕尼黑",
}

CLASSES = {"continents": "Continent", "countries": "Country", "cities": "City"}

HEAD = '''\
/// A small extract of the GeoNames gazetteer: what `atoll demo` shows and the query tests read.
///
/// Data: GeoNames (geonames.org), CC BY 4.0. Changed by us: a selection of rows and of alternate
/// names, otherwise as published.
///
/// Each text holds one JSON object a line, without a newline at its end: %(continents)d continents,
/// %(countries)d countries and %(cities)d cities, together %(bytes)d bytes.
///
/// A link is the primary key of its target (`code`, `iso`), and every link resolves inside the
/// extract. Rows are in the order of the source, which is not that of their keys.
///
/// Written by `extract.py`, beside the query fixtures; not edited by hand.
'''


def script(name):
    """The script of a name: the first word of the Unicode name of its first non-ASCII letter."""
    for character in name:
        if ord(character) > 127:
            return unicodedata.name(character, "OTHER").split(" ")[0].split("-")[0]
    return "ASCII"


def varied(city):
    """At most three alternate names, of three scripts where there are as many."""
    names = city["alternateNames"]
    if city["id"] == MUNICH:
        return [name for name in names if name in MUNICH_NAMES]
    if len(names) <= 3:
        return names

    def is_rare(name):
        return unicodedata.normalize("NFC", name) != name or any(ord(c) > 0xFFFF for c in name)

    by_script = {}
    for name in names:
        by_script.setdefault(script(name), []).append(name)
    chosen = [name for name in names if is_rare(name)][:1]
    if "LATIN" in by_script:
        chosen.append(by_script["LATIN"][city["id"] % len(by_script["LATIN"])])
    # The id turns the wheel, so that all scripts of the data occur in the extract.
    wheel = sorted(by_script)
    for step in range(2 * len(wheel)):
        if len(set(chosen)) >= 3:
            break
        group = by_script[wheel[(city["id"] + step) % len(wheel)]]
        chosen.append(group[(city["id"] // 7 + step) % len(group)])
    chosen = set(chosen[:3]) if len(set(chosen)) > 3 else set(chosen)
    return [name for name in names if name in chosen]


def main():
    folder, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])

    def rows(name):
        text = (folder / f"{name}.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.split("\n") if line]

    continents, countries, cities = rows("Continent"), rows("Country"), rows("City")
    ranked = sorted(cities, key=lambda city: (-city["population"], city["id"]))
    kept = {city["id"] for city in ranked[:MOST_POPULOUS]} | CHOSEN
    cities = [city | {"alternateNames": varied(city)} for city in cities if city["id"] in kept]

    codes, isos = {row["code"] for row in continents}, {row["iso"] for row in countries}
    missing = CHOSEN - {city["id"] for city in cities}
    assert not missing, missing
    assert all(row["continent"] in codes for row in countries)
    assert all(isos.issuperset(row["neighbours"]) for row in countries)
    assert all(city["country"] in isos for city in cities)

    texts = {
        name: "\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in part)
        for name, part in (("continents", continents), ("countries", countries), ("cities", cities))
    }
    byte_count = sum(len(text.encode()) for text in texts.values())
    assert byte_count < 150_000, byte_count
    assert not any('"""' in text or "\\" in text for text in texts.values())

    numbers = {"continents": len(continents), "countries": len(countries), "cities": len(cities)}
    lines = [HEAD % (numbers | {"bytes": byte_count}) + "package enum DemoData {"]
    for name, text in texts.items():
        lines += [f"  /// The {numbers[name]} rows of `{CLASSES[name]}`."]
        lines += [f'  package static let {name} = #"""']
        lines += ["    " + line for line in text.split("\n")]
        lines += ['    """#', ""]
    lines[-1] = "}"
    output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{numbers}, {byte_count} bytes of JSON")


main()
