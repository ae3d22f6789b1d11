#!/usr/bin/env python3
"""Computes the expected answers of queries in the Realm Query Language over the GeoNames data.

An oracle that shares nothing with the engine under test: it does not parse query text. Beside every
query stands a lambda, written by hand from the language's rules, that says whether one row matches;
the pipeline of SORT, DISTINCT and LIMIT is a list of steps beside it. All rows are visited.

Usage:
    expected.py DATA_FOLDER OUTPUT            Continent.jsonl, Country.jsonl and City.jsonl
    expected.py --demo DemoData.swift OUTPUT  the extract, read from the Swift literals
    expected.py ... --table                   also prints each query with its number of answers

The fixtures `geonames-queries.jsonl` and `demo-queries.jsonl` are its outputs.

Schema the data is imported with (a name followed by `?` is optional):
    Continent  code String (primary key), name String, population Int, latitude Double,
               longitude Double
    Country    iso String (primary key), name String (indexed), iso3 String,
               continent -> Continent?, capital String?, areaKm2 Double, population Int,
               currencyCode String?, languages List<String>, neighbours List<Country>
    City       id Int (primary key), name String (indexed), country -> Country?, admin1 String?,
               population Int (indexed), latitude Double, longitude Double, timezone String,
               alternateNames List<String>

A line of the output:
    class, query   the class and the text of the query
    arguments      the values of $0, $1, ...: scalars or lists of scalars
    count          the number of answers
    keys           the primary keys of the first 50 answers
    ordered        true if the query has a SORT: the answers are in its order.
                   Otherwise they are sorted by primary key (strings by their UTF-8 bytes)
    sha256         of the primary keys of all answers, in the same order, joined by newlines

Rules that are easy to get wrong, as the lambdas apply them:
  - Logic has two values. NULL equals NULL and differs from every value. `<` and `>` with NULL are
    false; `<=` and `>=` are true only if both sides are NULL. NOT is the plain complement.
  - Strings compare by UTF-8 bytes. No Unicode normalisation: composed and decomposed forms differ.
    `?` of LIKE is one code point. [c] folds each character to its lower case, one for one.
  - A list without a quantifier means ANY, also before IN; list against list without a quantifier is
    compared position by position. ALL and NONE hold for an empty collection.
  - Links to-many flatten into one bag when a scalar follows, but a list of strings behind them is
    tested once per object reached (and once against the empty list when none is reached).
  - A count behind to-many links is one count per object reached; `@links.@count` is a sum.
  - Where implementations of the language disagree: `!=` between lists is the complement of `==`,
    numbers in IN compare by value, NULL is never below a string, an element picked by index is one
    value, and none if the index is out of range, `obj` with an unknown key matches nothing.

Sort keys are unique in every pipeline (checked here), so an answer has one possible order. In the
data every to-one link is set, so the order of null links in SORT is not covered.
"""
import functools
import hashlib
import json
import pathlib
import re
import sys
import unicodedata

# --- The data ---------------------------------------------------------------------------------


class Row:
    """One object: an attribute per property; links are rows, lists are lists, nothing is None."""

    def __init__(self, values):
        self.__dict__.update(values)


PROPERTIES = {
    "Continent": "code name population latitude longitude",
    "Country": "iso name iso3 continent capital areaKm2 population currencyCode languages"
    " neighbours",
    "City": "id name country admin1 population latitude longitude timezone alternateNames",
}
KEY = {"Continent": "code", "Country": "iso", "City": "id"}


def load(texts):
    """Rows by class from a text of JSON lines by class, with links resolved and inverted."""
    data = {}
    for name, properties in PROPERTIES.items():
        rows = [json.loads(line) for line in texts[name].split("\n") if line.strip()]
        data[name] = [Row({p: row.get(p) for p in properties.split()}) for row in rows]
    continents = {row.code: row for row in data["Continent"]}
    countries = {row.iso: row for row in data["Country"]}
    for row in data["Continent"]:
        row.countries = []  # @links.Country.continent
    for row in data["Country"]:
        row.cities = []  # @links.City.country
        row.neighbour_of = []  # @links.Country.neighbours
    for row in data["Country"]:
        row.continent = continents[row.continent]
        row.continent.countries.append(row)
        row.neighbours = [countries[iso] for iso in row.neighbours]
        for neighbour in row.neighbours:
            neighbour.neighbour_of.append(row)  # one entry per occurrence
    for row in data["City"]:
        row.country = countries[row.country]
        row.country.cities.append(row)
    return data


def load_folder(folder):
    files = {name: folder / f"{name}.jsonl" for name in PROPERTIES}
    return load({name: file.read_text(encoding="utf-8") for name, file in files.items()})


def load_swift(file):
    source = file.read_text(encoding="utf-8")
    texts = re.findall(r'#"""\n(.*?)\n *"""#', source, re.DOTALL)
    return load(dict(zip(PROPERTIES, texts, strict=True)))


# --- The operators ----------------------------------------------------------------------------


def utf8(string):
    return string.encode("utf-8")


def less(a, b):
    if a is None or b is None:
        return False
    return utf8(a) < utf8(b) if isinstance(a, str) else a < b


def greater(a, b):
    return less(b, a)


def less_or_equal(a, b):
    if a is None or b is None:
        return a is None and b is None
    return utf8(a) <= utf8(b) if isinstance(a, str) else a <= b


def greater_or_equal(a, b):
    return less_or_equal(b, a)


def between(value, low, high):
    return value is not None and low <= value <= high


def begins(text, pattern):
    return text is not None and utf8(text).startswith(utf8(pattern))


def ends(text, pattern):
    return text is not None and utf8(text).endswith(utf8(pattern))


def contains(text, pattern):
    return text is not None and utf8(pattern) in utf8(text)


def like(text, pattern):
    parts = {"*": ".*", "?": "."}
    expression = "".join(parts.get(character, re.escape(character)) for character in pattern)
    return text is not None and re.fullmatch(expression, text, re.DOTALL) is not None


def fold(text):
    """What [c] compares: the simple case folding of each character, here its lower case."""
    if text is None:
        return None
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def bare(text):
    """What [d] compares: the canonical decomposition without nonspacing marks."""
    parts = unicodedata.normalize("NFD", text)
    return "".join(c for c in parts if unicodedata.category(c) != "Mn")


def size(text):
    return None if text is None else len(utf8(text))


def none(tests):
    return not any(tests)


def pairwise(left, right, test):
    """List against list without a quantifier."""
    return len(left) == len(right) and all(test(a, b) for a, b in zip(left, right))


def equal(a, b):
    return a == b


def average(values):
    values = [value for value in values if value is not None]
    return sum(values) / len(values) if values else None


def largest(values):
    return max((value for value in values if value is not None), default=None)


def smallest(values):
    return min((value for value in values if value is not None), default=None)


# --- The pipeline -----------------------------------------------------------------------------


def ascending(path):
    return path, False


def descending(path):
    return path, True


def order_key(value):
    """Null first, then numbers by value or strings by bytes."""
    if value is None:
        return (0,)
    return (1, utf8(value) if isinstance(value, str) else value)


def sort(*keys):
    def apply(rows):
        rows = list(rows)
        for path, is_descending in reversed(keys):
            rows.sort(key=lambda row: order_key(path(row)), reverse=is_descending)
        seen = {tuple(order_key(path(row)) for path, _ in keys) for row in rows}
        assert len(seen) == len(rows), "the sort keys do not decide the order"
        return rows

    apply.is_sort = True
    return apply


def distinct(*paths):
    def apply(rows):
        seen, kept = set(), []
        for row in rows:
            key = tuple(path(row) for path in paths)
            if key not in seen:
                seen.add(key)
                kept.append(row)
        return kept

    return apply


def limit(count):
    return lambda rows: rows[:count]


# --- The queries ------------------------------------------------------------------------------

QUERIES = []


def query(cls, text, matches, *steps, arguments=(), on=("full", "demo")):
    """Registers a query; `matches` takes a row and, if there are any, the arguments."""
    QUERIES.append((cls, text, matches, steps, list(arguments), on))


continent = functools.partial(query, "Continent")
country = functools.partial(query, "Country")
city = functools.partial(query, "City")
FULL, DEMO = ("full",), ("demo",)

# Numbers: Int and Double, literals of the other type, both spellings of an operator.

city("population > 10000000", lambda c: c.population > 10000000)
city("population => 0x989680", lambda c: c.population >= 0x989680)
city("population == 0", lambda c: c.population == 0)
city("population = 15324", lambda c: c.population == 15324)
city("population == 15324.0", lambda c: c.population == 15324)
city("population == 15324.5", lambda c: c.population == 15324.5)
city("population > 9418182.5", lambda c: c.population > 9418182.5)
city("population =< 2.5e3", lambda c: c.population <= 2500)
city("population BETWEEN {1000000, 1500000}", lambda c: 1000000 <= c.population <= 1500000)
city("population BETWEEN {1500000, 1000000}", lambda c: 1500000 <= c.population <= 1000000)
city("population between {$1, $0}", lambda c, high, low: low <= c.population <= high,
     arguments=[5000000, 4000000])
city("population >= 2000000 && population < 2100000", lambda c: 2000000 <= c.population < 2100000)
city("id == 2867714", lambda c: c.id == 2867714)
city("id == $0", lambda c, id: c.id == id, arguments=[2643743])
city("id IN {2643743, 2867714, 1, -5}", lambda c: c.id in (2643743, 2867714))
city("id IN $0", lambda c, ids: c.id in ids, arguments=[[6058560, 2643743, 0]])
city("id < 200000", lambda c: c.id < 200000)
city("latitude == 48.13743", lambda c: c.latitude == 48.13743)
city("latitude > 60", lambda c: c.latitude > 60)
city("latitude < -45.5 OR latitude >= 70.0", lambda c: c.latitude < -45.5 or c.latitude >= 70)
city("longitude BETWEEN {-0.5, 0.5}", lambda c: -0.5 <= c.longitude <= 0.5)
city("longitude <= -1.0e2", lambda c: c.longitude <= -100)
city("NOT longitude > $0", lambda c, limit: not c.longitude > limit, arguments=[-99.125])
country("areaKm2 == 468", lambda k: k.areaKm2 == 468)
country("areaKm2 IN {468, 102.0, 1.95}", lambda k: k.areaKm2 in (468, 102, 1.95))
country("areaKm2 < 1", lambda k: k.areaKm2 < 1)
country("population > areaKm2 AND areaKm2 > 1000000", lambda k: k.population > k.areaKm2 > 1000000)
country("areaKm2 > population AND population <> 0",
        lambda k: k.areaKm2 > k.population and k.population != 0)
continent("population >= 580000000", lambda n: n.population >= 580000000)
continent("latitude < 0 OR longitude < 0.0", lambda n: n.latitude < 0 or n.longitude < 0)
continent("code > 'EU'", lambda n: greater(n.code, "EU"))
continent("FALSEPREDICATE", lambda n: False)
country("TRUEPREDICATE", lambda k: True)

# Strings: equality, order by bytes, patterns, folding, sizes in bytes.

city("name == 'London'", lambda c: c.name == "London")
city("name == 'london'", lambda c: c.name == "london")
city("name ==[c] 'lONDON'", lambda c: fold(c.name) == "london")
city("name != 'London' AND name ==[c] 'LONDON'",
     lambda c: c.name != "London" and fold(c.name) == "london")
city("name ==[c] 'SÃO PAULO'", lambda c: fold(c.name) == "são paulo")
city("name ==[c] 'ŁóDŹ'", lambda c: fold(c.name) == "łódź")
city("name ==[c] 'ŁÓDź'", lambda c: fold(c.name) == "łódź")
city("name ==[c] 'łódź'", lambda c: fold(c.name) == "łódź")
city('name ==[c] "l\'haÿ-LES-rOSES"', lambda c: fold(c.name) == "l'haÿ-les-roses")
city('name ==[c] "L\'HAŸ-LES-ROSES"', lambda c: fold(c.name) == "l'haÿ-les-roses")
city("name !=[c] 'KÖLN' AND country.iso == 'DE' AND population > 300000",
     lambda c: fold(c.name) != "köln" and c.country.iso == "DE" and c.population > 300000)
city("name IN[c] {'MÜNSTER', 'basel', 'REIMS', 'köln'}",
     lambda c: fold(c.name) in ("münster", "basel", "reims", "köln"))
city("name BEGINSWITH 'San'", lambda c: begins(c.name, "San"))
city("name BEGINSWITH 'san'", lambda c: begins(c.name, "san"))
city("name ==[d] 'Sao Paulo'", lambda c: bare(c.name) == "Sao Paulo")
city("name BEGINSWITH[cd] 'SAO '", lambda c: begins(fold(bare(c.name)), "sao "))
city("name CONTAINS[d] 'ø'", lambda c: contains(bare(c.name), "ø"))
city("name BEGINSWITH[c] 'SAN'", lambda c: begins(fold(c.name), "san"))
city("name BEGINSWITH $0", lambda c, prefix: begins(c.name, prefix), arguments=["Ḩ"])
city("name BEGINSWITH[c] 'á'", lambda c: begins(fold(c.name), "á"))
city("name BEGINSWITH 'á'", lambda c: begins(c.name, "á"))
city("name BEGINSWITH[c] 'ş'", lambda c: begins(fold(c.name), "ş"))
city("name BEGINSWITH[c] 'Ş'", lambda c: begins(fold(c.name), "ş"))
city("name BEGINSWITH ''", lambda c: begins(c.name, ""))
city("name beginsWith 'St' AND population BETWEEN {1000, 2000000}",
     lambda c: begins(c.name, "St") and 1000 <= c.population <= 2000000)
city("name BEGINSWITH 'Kö' OR name BEGINSWITH 'Mü'",
     lambda c: begins(c.name, "Kö") or begins(c.name, "Mü"))
city("name ENDSWITH 'burg'", lambda c: ends(c.name, "burg"))
city("name endswith[c] 'ÃO'", lambda c: ends(fold(c.name), "ão"))
city("name CONTAINS 'ü'", lambda c: contains(c.name, "ü"))
city("name contains[c] 'Ü'", lambda c: contains(fold(c.name), "ü"))
city('name CONTAINS "\'"', lambda c: contains(c.name, "'"))
city("name LIKE 'M?nster'", lambda c: like(c.name, "M?nster"))
city("name LIKE '?irvan'", lambda c: like(c.name, "?irvan"))
city("name LIKE 'ond'", lambda c: like(c.name, "ond"))
city("name LIKE '*on*on'", lambda c: like(c.name, "*on*on"))
city("name LIKE[c] '*ÁGUA?*'", lambda c: like(fold(c.name), "*água?*"))
city("name LIKE '????'", lambda c: like(c.name, "????"))
city("name.@size == 4", lambda c: size(c.name) == 4)
city("name LIKE '????' AND name.@size > 4", lambda c: like(c.name, "????") and size(c.name) > 4)
city("name.@count > 20", lambda c: size(c.name) > 20)
city("country.name.@size > 20 AND population > 1000000",
     lambda c: size(c.country.name) > 20 and c.population > 1000000)
city("name > 'z'", lambda c: greater(c.name, "z"))
city("name < 'Ac'", lambda c: less(c.name, "Ac"))
city("name >= 'Zh' AND name <= 'Ä'",
     lambda c: greater_or_equal(c.name, "Zh") and less_or_equal(c.name, "Ä"))
city("name >= 'Ä'", lambda c: greater_or_equal(c.name, "Ä"))
city("'Londonderry' BEGINSWITH name", lambda c: begins("Londonderry", c.name))
city("timezone BEGINSWITH 'America/' AND latitude < -20",
     lambda c: begins(c.timezone, "America/") and c.latitude < -20)
country("name ENDSWITH ' '", lambda k: ends(k.name, " "))
country("name LIKE '* and *' OR name LIKE '*land?'",
        lambda k: like(k.name, "* and *") or like(k.name, "*land?"))
country("iso3 BEGINSWITH iso", lambda k: begins(k.iso3, k.iso))
country("NOT iso3 BEGINSWITH[c] 'm' AND name BEGINSWITH[c] 'M'",
        lambda k: not begins(fold(k.iso3), "m") and begins(fold(k.name), "m"))
continent("name CONTAINS 'America'", lambda n: contains(n.name, "America"))

# Null: capital, currencyCode and admin1 are missing in some rows.

country("capital == NULL", lambda k: k.capital is None)
country("capital != nil", lambda k: k.capital is not None)
country("capital != 'Paris'", lambda k: k.capital != "Paris")
country("NOT capital == 'Paris'", lambda k: k.capital != "Paris")
country("capital != 'Paris' AND capital != NULL", lambda k: k.capital not in ("Paris", None))
country("capital BEGINSWITH ''", lambda k: begins(k.capital, ""))
country("NOT capital LIKE '*a*'", lambda k: not like(k.capital, "*a*"))
country("capital > NULL", lambda k: greater(k.capital, None))
country("capital >= NULL", lambda k: greater_or_equal(k.capital, None))
country("capital < 'B'", lambda k: less(k.capital, "B"))
country("NOT capital >= 'C'", lambda k: not greater_or_equal(k.capital, "C"))
country("capital IN {NULL, 'Paris', 3}", lambda k: k.capital in (None, "Paris"))
country("capital == $0", lambda k, value: k.capital == value, arguments=[None])
country("currencyCode == NULL OR currencyCode IN $0",
        lambda k, codes: k.currencyCode is None or k.currencyCode in codes,
        arguments=[["CHF", "NOK"]])
country("NOT currencyCode IN {'EUR', 'USD', 'XOF', 'XCD', 'GBP', 'AUD'} AND population < 1000000",
        lambda k: k.currencyCode not in ("EUR", "USD", "XOF", "XCD", "GBP", "AUD")
        and k.population < 1000000)
country("capital.@size == NULL", lambda k: size(k.capital) is None)
country("capital.@size > 15", lambda k: greater(size(k.capital), 15))
country("NOT capital.@size > 4", lambda k: not greater(size(k.capital), 4))
country("continent == NULL", lambda k: k.continent is None)
country("continent != NULL AND capital == NULL", lambda k: k.capital is None)
city("admin1 == NULL", lambda c: c.admin1 is None)
city("admin1 != '00' AND population < 30000",
     lambda c: c.admin1 != "00" and c.population < 30000)
city("admin1 < '02'", lambda c: less(c.admin1, "02"))
city("country.capital == NULL", lambda c: c.country.capital is None)
city("country.capital != 'Paris' AND country.currencyCode == 'EUR'",
     lambda c: c.country.capital != "Paris" and c.country.currencyCode == "EUR")
city("NOT country.capital > 'B' AND population < 3000000",
     lambda c: not greater(c.country.capital, "B") and c.population < 3000000)

# AND before OR, NOT takes one test.

city("country.iso == 'DE' OR country.iso == 'FR' AND population > 1000000",
     lambda c: c.country.iso == "DE" or (c.country.iso == "FR" and c.population > 1000000))
city("(country.iso == 'DE' or country.iso == 'FR') and population > 1000000",
     lambda c: c.country.iso in ("DE", "FR") and c.population > 1000000)
city("NOT country.iso == 'CN' AND population > 5000000",
     lambda c: c.country.iso != "CN" and c.population > 5000000)
city("!(country.iso == 'CN' || population < 5000000)",
     lambda c: not (c.country.iso == "CN" or c.population < 5000000))
city("NOT NOT population > 10000000 AND not name BEGINSWITH 'S'",
     lambda c: c.population > 10000000 and not begins(c.name, "S"))
country("NOT continent.code IN {'EU', 'AS', 'AF'}",
        lambda k: k.continent.code not in ("EU", "AS", "AF"))
country("NOT (population > 1000000 OR areaKm2 > 10000) AND NOT continent.code == 'OC'",
        lambda k: not (k.population > 1000000 or k.areaKm2 > 10000) and k.continent.code != "OC")
country("population < 1000 OR population > 100000000 AND NOT continent.code == 'AS' OR iso == 'LI'",
        lambda k: k.population < 1000 or (k.population > 100000000 and k.continent.code != "AS")
        or k.iso == "LI")

# Lists of constants.

city("country.iso IN {'AD', 'LI', 'SM', 'VA', 'XX'}",
     lambda c: c.country.iso in ("AD", "LI", "SM", "VA"))
city("country.iso IN $0 AND population > $1",
     lambda c, isos, limit: c.country.iso in isos and c.population > limit,
     arguments=[["FR", "DE", "GB"], 900000])
city("country.iso IN[c] {'ad', 'Li'}", lambda c: fold(c.country.iso) in ("ad", "li"))
city("country.iso == NONE $0 AND population > 7000000",
     lambda c, isos: c.country.iso not in isos and c.population > 7000000,
     arguments=[["CN", "IN", "BR"]])
city("population IN {}", lambda c: c.population in ())
city("population == ALL {}", lambda c: all(c.population == e for e in ()))
city("population == NONE {}", lambda c: none(c.population == e for e in ()))
country("population != {0, 77006}", lambda k: any(k.population != e for e in (0, 77006)))
country("NOT population IN {0, 77006} AND population < 1000",
        lambda k: k.population not in (0, 77006) and k.population < 1000)
country("population == {0, 77006}", lambda k: k.population in (0, 77006))
city("population > {8000000, 20000000}",
     lambda c: any(c.population > e for e in (8000000, 20000000)))
city("population > ALL {8000000, $0}",
     lambda c, other: c.population > 8000000 and c.population > other,
     arguments=[20000000])
continent("code IN {$0, 'AN', $1}", lambda n, a, b: n.code in (a, "AN", b), arguments=["EU", "OC"])
continent("name BEGINSWITH {'A', 'E'}", lambda n: begins(n.name, "A") or begins(n.name, "E"))

# To-one links, one and two deep, and property against property.

city("country.name == 'Germany'", lambda c: c.country.name == "Germany")
city("country.continent.code == 'EU' AND population > 1000000 SORT(population DESC) LIMIT(5)",
     lambda c: c.country.continent.code == "EU" and c.population > 1000000,
     sort(descending(lambda c: c.population)), limit(5))
city("country.continent.name ==[c] 'south america' AND country.areaKm2 < 500000",
     lambda c: c.country.continent.name == "South America" and c.country.areaKm2 < 500000)
city("country.continent.population BETWEEN {1, 100000000}",
     lambda c: between(c.country.continent.population, 1, 100000000))
city("name == country.capital AND population > 5000000",
     lambda c: c.name == c.country.capital and c.population > 5000000)
city("name ==[c] country.name", lambda c: fold(c.name) == fold(c.country.name))
city("country.name BEGINSWITH name", lambda c: begins(c.country.name, c.name))
city("country.capital CONTAINS name AND country.capital != name",
     lambda c: contains(c.country.capital, c.name) and c.country.capital != c.name)
city("population > country.population", lambda c: c.population > c.country.population)
city("country == obj('Country', 'LI')", lambda c: c.country.iso == "LI")
city("country IN {obj('Country', 'AD'), obj('Country', $0)}",
     lambda c, iso: c.country.iso in ("AD", iso),
     arguments=["MC"])
city("country == obj('Country', 'ZZ')", lambda c: c.country.iso == "ZZ")
country("continent == obj('Continent', $0) AND population > 40000000",
        lambda k, code: k.continent.code == code and k.population > 40000000, arguments=["EU"])
country("continent.@count == 1 AND population == 0", lambda k: k.population == 0)
country("continent.latitude < 0 AND NOT continent.longitude > 100",
        lambda k: k.continent.latitude < 0 and not k.continent.longitude > 100)

# Lists of strings.

city("ANY alternateNames ==[c] 'münchen'",
     lambda c: any(fold(a) == "münchen" for a in c.alternateNames))
city("ANY alternateNames == 'münchen'", lambda c: "münchen" in c.alternateNames)
city("alternateNames ==[c] 'МЮНХЕН'", lambda c: any(fold(a) == "мюнхен" for a in c.alternateNames))
city("alternateNames == 'Мюнхен'", lambda c: "Мюнхен" in c.alternateNames)
city("SOME alternateNames BEGINSWITH 'Mun' OR alternateNames CONTAINS[c] 'ÜN'",
     lambda c: any(begins(a, "Mun") or contains(fold(a), "ün") for a in c.alternateNames))
city("ANY alternateNames LIKE '??' AND population > 3000000",
     lambda c: any(like(a, "??") for a in c.alternateNames) and c.population > 3000000)
city("ANY alternateNames LIKE '?????????'",
     lambda c: any(like(a, "?????????") for a in c.alternateNames))
city("ANY alternateNames CONTAINS 'য\u09bc'",
     lambda c: any("য\u09bc" in a for a in c.alternateNames))
city("ANY alternateNames CONTAINS '\u09df'",
     lambda c: any("\u09df" in a for a in c.alternateNames))
# The same word composed, then as it is stored.
city("ANY alternateNames == 'β\u03cdβλος'", lambda c: "β\u03cdβλος" in c.alternateNames)
city("ANY alternateNames == 'β\u1f7bβλος'",
     lambda c: "β\u1f7bβλος" in c.alternateNames)
city("ANY alternateNames BEGINSWITH '𐌺' OR ANY alternateNames LIKE '*𐌿?𐌰*'",
     lambda c: any(begins(a, "𐌺") or like(a, "*𐌿?𐌰*") for a in c.alternateNames))
city("ALL alternateNames BEGINSWITH 'M'", lambda c: all(begins(a, "M") for a in c.alternateNames))
city("ALL alternateNames CONTAINS[c] 'a' AND alternateNames.@count > 0",
     lambda c: c.alternateNames and all(contains(fold(a), "a") for a in c.alternateNames))
city("NONE alternateNames > '~' AND population > 2000000",
     lambda c: not any(greater(a, "~") for a in c.alternateNames) and c.population > 2000000)
city("alternateNames.@count == 0 AND population > 500000",
     lambda c: len(c.alternateNames) == 0 and c.population > 500000)
city("alternateNames == {}", lambda c: c.alternateNames == [])
city("alternateNames.@size > 3", lambda c: len(c.alternateNames) > 3, on=DEMO)
city("alternateNames.@size > 150", lambda c: len(c.alternateNames) > 150, on=FULL)
city("alternateNames[SIZE] == 1", lambda c: len(c.alternateNames) == 1, on=DEMO)
city("alternateNames[SIZE] == 100", lambda c: len(c.alternateNames) == 100, on=FULL)
city("name IN alternateNames AND population < 1000000",
     lambda c: c.name in c.alternateNames and c.population < 1000000, on=DEMO)
city("NOT name IN alternateNames AND alternateNames.@count > 60",
     lambda c: c.name not in c.alternateNames and len(c.alternateNames) > 60, on=FULL)
city("name IN NONE alternateNames AND alternateNames.@count > 1 AND population > 4000000",
     lambda c: c.name not in c.alternateNames and len(c.alternateNames) > 1
     and c.population > 4000000)
country("languages == {'nl-BE', 'fr-BE', 'de-BE'}",
        lambda k: k.languages == ["nl-BE", "fr-BE", "de-BE"])
country("languages == {'fr-BE', 'nl-BE', 'de-BE'}",
        lambda k: k.languages == ["fr-BE", "nl-BE", "de-BE"])
country("languages ==[c] {'NL-be', 'FR-be', 'DE-be'}",
        lambda k: pairwise(k.languages, ["nl-be", "fr-be", "de-be"], lambda a, b: fold(a) == b))
country("languages BEGINSWITH {'de', 'fr', 'it', 'rm'}",
        lambda k: pairwise(k.languages, ["de", "fr", "it", "rm"], begins))
country("languages > {'fr', 'e'}", lambda k: pairwise(k.languages, ["fr", "e"], greater))
country("languages != {'fr'} AND languages.@count == 1 AND continent.code == 'AF'",
        lambda k: k.languages != ["fr"] and len(k.languages) == 1 and k.continent.code == "AF")
country("NOT languages == {'es-CU', 'pap'} AND languages CONTAINS {'-', 'p'}",
        lambda k: k.languages != ["es-CU", "pap"] and pairwise(k.languages, ["-", "p"], contains))
country("{'fr'} IN languages", lambda k: "fr" in k.languages)
country("ANY {'fr', 'pap'} IN languages", lambda k: "fr" in k.languages or "pap" in k.languages)
country("languages == $0", lambda k, list: k.languages == list, arguments=[["nl", "pap", "en"]])
country("ANY languages == $0", lambda k, list: any(a in list for a in k.languages),
        arguments=[["nl", "pap", "gl"]])
country("ANY languages == {'de-LI', 'de-CH'}",
        lambda k: any(a in ("de-LI", "de-CH") for a in k.languages))
country("'de' IN languages", lambda k: "de" in k.languages)
country("$0 IN languages AND NOT 'en' IN languages",
        lambda k, code: code in k.languages and "en" not in k.languages, arguments=["fr"])
country("languages != 'en' AND languages == 'en'",
        lambda k: "en" in k.languages and any(a != "en" for a in k.languages))
country("ALL languages IN {'fr', 'nl', 'en', 'pap'}",
        lambda k: all(a in ("fr", "nl", "en", "pap") for a in k.languages))
country("ALL languages BEGINSWITH 'es' AND languages.@count > 0",
        lambda k: k.languages and all(begins(a, "es") for a in k.languages))
country("NONE languages LIKE '*-*' AND continent.code == 'EU'",
        lambda k: none(like(a, "*-*") for a in k.languages) and k.continent.code == "EU")
country("ANY languages > ALL {'tt', 'tn', $0}",
        lambda k, code: any(greater(a, max("tt", "tn", code)) for a in k.languages),
        arguments=["uz"])
country("languages.@count == 0 OR languages.@count > 8",
        lambda k: len(k.languages) == 0 or len(k.languages) > 8)
country("languages[FIRST] == 'en'", lambda k: bool(k.languages) and k.languages[0] == "en")
country("languages[1] IN {'en', 'fr'}",
        lambda k: len(k.languages) > 1 and k.languages[1] in ("en", "fr"))

# Links to many.

country("ANY neighbours.name BEGINSWITH 'S' AND @links.City.country.@count > 100",
        lambda k: any(begins(b.name, "S") for b in k.neighbours) and len(k.cities) > 100)
country("ANY neighbours.name BEGINSWITH 'S' AND @links.City.country.@count > 10",
        lambda k: any(begins(b.name, "S") for b in k.neighbours) and len(k.cities) > 10, on=DEMO)
country("neighbours.iso == 'DE'", lambda k: any(b.iso == "DE" for b in k.neighbours))
country("neighbours == obj('Country', 'DE') AND areaKm2 < 50000",
        lambda k: any(b.iso == "DE" for b in k.neighbours) and k.areaKm2 < 50000)
country("neighbours != obj('Country', 'FR') AND neighbours == obj('Country', 'FR')",
        lambda k: any(b.iso != "FR" for b in k.neighbours)
        and any(b.iso == "FR" for b in k.neighbours))
country("ALL neighbours == obj('Country', 'FR') AND neighbours.@count > 0",
        lambda k: k.neighbours and all(b.iso == "FR" for b in k.neighbours))
country("ALL neighbours == obj('Country', 'FR') AND continent.code == 'EU'",
        lambda k: all(b.iso == "FR" for b in k.neighbours) and k.continent.code == "EU")
country("NONE neighbours == obj('Country', 'RU') AND neighbours.@count > 6",
        lambda k: none(b.iso == "RU" for b in k.neighbours) and len(k.neighbours) > 6)
country("obj('Country', $0) IN neighbours", lambda k, iso: any(b.iso == iso for b in k.neighbours),
        arguments=["ZA"])
country("ALL neighbours.population > 50000000",
        lambda k: all(b.population > 50000000 for b in k.neighbours))
country("ALL neighbours.population > 50000000 AND neighbours.@count > 0",
        lambda k: k.neighbours and all(b.population > 50000000 for b in k.neighbours))
country("ALL neighbours.population < population AND neighbours.@count >= 3",
        lambda k: all(b.population < k.population for b in k.neighbours) and len(k.neighbours) >= 3)
country("NONE neighbours.continent.code == 'EU' AND continent.code == 'EU'",
        lambda k: none(b.continent.code == "EU" for b in k.neighbours) and k.continent.code == "EU")
country("ANY neighbours.continent.code != continent.code",
        lambda k: any(b.continent.code != k.continent.code for b in k.neighbours))
country("NONE neighbours.continent.name IN {'Africa', 'Asia'} AND neighbours.@count == 5",
        lambda k: none(b.continent.name in ("Africa", "Asia") for b in k.neighbours)
        and len(k.neighbours) == 5)
country("neighbours.name != 'Germany' AND NOT neighbours.name == 'Germany' "
        "AND continent.code == 'EU'",
        lambda k: any(b.name != "Germany" for b in k.neighbours)
        and not any(b.name == "Germany" for b in k.neighbours) and k.continent.code == "EU")
country("neighbours.name BEGINSWITH name",
        lambda k: any(begins(b.name, k.name) for b in k.neighbours))
country("neighbours.areaKm2 > 3000000 AND neighbours.population < 3000000",
        lambda k: any(b.areaKm2 > 3000000 for b in k.neighbours)
        and any(b.population < 3000000 for b in k.neighbours))
country("neighbours.capital IN {'Vaduz', 'Bern'}",
        lambda k: any(b.capital in ("Vaduz", "Bern") for b in k.neighbours))
country("neighbours.iso == $0", lambda k, isos: [b.iso for b in k.neighbours] == isos,
        arguments=[["ES", "FR"]])
country("ANY neighbours.capital IN {'Bern', 'Vienna'}",
        lambda k: any(b.capital in ("Bern", "Vienna") for b in k.neighbours))
country("neighbours.neighbours.iso == 'LI'",
        lambda k: any(d.iso == "LI" for b in k.neighbours for d in b.neighbours))
country("NONE neighbours.neighbours.iso == 'FR' AND continent.code == 'EU' "
        "AND neighbours.@count > 0",
        lambda k: none(d.iso == "FR" for b in k.neighbours for d in b.neighbours)
        and k.continent.code == "EU" and k.neighbours)
country("ALL neighbours.neighbours.continent.code == 'AF' AND neighbours.@count > 4",
        lambda k: all(d.continent.code == "AF" for b in k.neighbours for d in b.neighbours)
        and len(k.neighbours) > 4)
country("neighbours.languages == 'fr' AND continent.code != 'AF'",
        lambda k: any("fr" in b.languages for b in k.neighbours) and k.continent.code != "AF")
country("NONE neighbours.languages BEGINSWITH 'fr' AND continent.code == 'EU'",
        lambda k: any(none(begins(a, "fr") for a in languages)
                      for languages in [b.languages for b in k.neighbours] or [[]])
        and k.continent.code == "EU")
country("ALL neighbours.languages BEGINSWITH 'fr' AND neighbours.@count > 0",
        lambda k: any(all(begins(a, "fr") for a in b.languages) for b in k.neighbours))
country("ALL neighbours.languages == 'xx'",
        lambda k: any(all(a == "xx" for a in languages)
                      for languages in [b.languages for b in k.neighbours] or [[]]))
country("neighbours.languages == {'de-LI'}",
        lambda k: any(b.languages == ["de-LI"] for b in k.neighbours))
country("neighbours.@count == 0 AND areaKm2 > 100000",
        lambda k: len(k.neighbours) == 0 and k.areaKm2 > 100000)
country("neighbours.@count > 8", lambda k: len(k.neighbours) > 8)
country("neighbours.@size == 1", lambda k: len(k.neighbours) == 1)
country("neighbours.@count == languages.@count AND neighbours.@count > 2",
        lambda k: len(k.neighbours) == len(k.languages) > 2)
country("neighbours.neighbours.@count > 12",
        lambda k: any(len(b.neighbours) > 12 for b in k.neighbours))
country("ALL neighbours.neighbours.@count > 6 AND neighbours.@count > 0",
        lambda k: k.neighbours and all(len(b.neighbours) > 6 for b in k.neighbours))
country("neighbours.name.@size > 22", lambda k: any(size(b.name) > 22 for b in k.neighbours))
country("neighbours[0].iso == 'DE'", lambda k: bool(k.neighbours) and k.neighbours[0].iso == "DE")
country("neighbours[LAST].name BEGINSWITH 'S'",
        lambda k: bool(k.neighbours) and begins(k.neighbours[-1].name, "S"))
country("neighbours[9].name != 'x'", lambda k: len(k.neighbours) > 9)
city("country.neighbours.name == 'Germany' AND population > 800000",
     lambda c: any(b.name == "Germany" for b in c.country.neighbours) and c.population > 800000)
city("country.neighbours.@count == 0 AND population > 2000000",
     lambda c: len(c.country.neighbours) == 0 and c.population > 2000000)
city("country.languages == 'de-CH' OR 'is' IN country.languages",
     lambda c: "de-CH" in c.country.languages or "is" in c.country.languages)

# Aggregates over lists of links and over backlinks.

country("neighbours.@max.population > 1000000000",
        lambda k: greater(largest(b.population for b in k.neighbours), 1000000000))
country("neighbours.@min.areaKm2 < 10",
        lambda k: less(smallest(b.areaKm2 for b in k.neighbours), 10))
country("neighbours.@avg.population > 300000000.5",
        lambda k: greater(average([b.population for b in k.neighbours]), 300000000.5))
country("neighbours.@sum.population >= 1500000000",
        lambda k: sum(b.population for b in k.neighbours) >= 1500000000)
country("neighbours.@sum.population == 0 AND population > 20000000",
        lambda k: sum(b.population for b in k.neighbours) == 0 and k.population > 20000000)
country("neighbours.@avg.areaKm2 == NULL AND continent.code == 'EU'",
        lambda k: not k.neighbours and k.continent.code == "EU")
country("neighbours.@max.population != NULL AND neighbours.@max.population < 1000000",
        lambda k: k.neighbours and max(b.population for b in k.neighbours) < 1000000)
country("NOT neighbours.@max.population >= population AND population > 100000000",
        lambda k: not greater_or_equal(largest(b.population for b in k.neighbours), k.population)
        and k.population > 100000000)
country("neighbours.@min.population > population AND neighbours.@count > 3",
        lambda k: greater(smallest(b.population for b in k.neighbours), k.population)
        and len(k.neighbours) > 3)
country("neighbours.@sum.areaKm2 BETWEEN {20000000, 60000000}",
        lambda k: 20000000 <= sum(b.areaKm2 for b in k.neighbours) <= 60000000)
country("@links.City.country.@max.population > 10000000",
        lambda k: greater(largest(c.population for c in k.cities), 10000000))
country("@links.City.country.@max.population == NULL AND population > 20000000",
        lambda k: not k.cities and k.population > 20000000, on=DEMO)
country("@links.City.country.@max.longitude == NULL", lambda k: not k.cities)
country("@links.City.country.@sum.population > population",
        lambda k: sum(c.population for c in k.cities) > k.population)
country("@links.City.country.@avg.population BETWEEN {2000000, 3000000}",
        lambda k: between(average([c.population for c in k.cities]), 2000000, 3000000), on=DEMO)
country("@links.City.country.@avg.population BETWEEN {100000, 200000}",
        lambda k: between(average([c.population for c in k.cities]), 100000, 200000), on=FULL)
country("@links.City.country.@min.latitude < -45.0",
        lambda k: less(smallest(c.latitude for c in k.cities), -45))
continent("@links.Country.continent.@sum.population > 1000000000",
          lambda n: sum(k.population for k in n.countries) > 1000000000)
continent("@links.Country.continent.@avg.areaKm2 < 600000",
          lambda n: less(average([k.areaKm2 for k in n.countries]), 600000))
continent("@links.Country.continent.@min.population == 0",
          lambda n: smallest(k.population for k in n.countries) == 0)
city("country.@links.City.country.@max.population == population AND country.continent.code == 'EU'",
     lambda c: largest(d.population for d in c.country.cities) == c.population
     and c.country.continent.code == "EU")

# Backlinks.

country("@links.City.country.@count == 0", lambda k: not k.cities)
country("@links.City.country.@count > 100", lambda k: len(k.cities) > 100, on=FULL)
country("@links.City.country.@count BETWEEN {5, 10}", lambda k: 5 <= len(k.cities) <= 10)
country("@links.@count > 30", lambda k: len(k.cities) + len(k.neighbour_of) > 30)
country("@links.Country.neighbours.@count > 9", lambda k: len(k.neighbour_of) > 9)
country("@links.Country.neighbours.@count > neighbours.@count",
        lambda k: len(k.neighbour_of) > len(k.neighbours))
country("@links.Country.neighbours.iso == 'CS'",
        lambda k: any(b.iso == "CS" for b in k.neighbour_of))
country("@links.City.country.population > 9000000",
        lambda k: any(c.population > 9000000 for c in k.cities))
country("ANY @links.City.country.name == 'London'",
        lambda k: any(c.name == "London" for c in k.cities))
country("ALL @links.City.country.population > 4000000 AND @links.City.country.@count > 0",
        lambda k: k.cities and all(c.population > 4000000 for c in k.cities), on=DEMO)
country("ALL @links.City.country.population > 20000 AND @links.City.country.@count > 0",
        lambda k: k.cities and all(c.population > 20000 for c in k.cities), on=FULL)
country("ALL @links.City.country.population < 10000 AND population > 10000",
        lambda k: all(c.population < 10000 for c in k.cities) and k.population > 10000)
country("NONE @links.City.country.name CONTAINS 'a' AND @links.City.country.@count > 0",
        lambda k: k.cities and none(contains(c.name, "a") for c in k.cities))
country("ANY @links.City.country.admin1 == NULL", lambda k: any(c.admin1 is None for c in k.cities))
country("@links.City.country.alternateNames == 'MUC'",
        lambda k: any("MUC" in c.alternateNames for c in k.cities))
country("@links.City.country.latitude < 0 AND @links.City.country.latitude > 0",
        lambda k: any(c.latitude < 0 for c in k.cities) and any(c.latitude > 0 for c in k.cities))
country("@links.City.country.timezone BEGINSWITH 'Asia/' AND NOT continent.code == 'AS'",
        lambda k: any(begins(c.timezone, "Asia/") for c in k.cities) and k.continent.code != "AS")
country("capital IN @links.City.country.name AND population > 100000000",
        lambda k: any(c.name == k.capital for c in k.cities) and k.population > 100000000)
country("NOT capital IN @links.City.country.name AND population > 5000000",
        lambda k: none(c.name == k.capital for c in k.cities) and k.population > 5000000)
country("continent.@links.Country.continent.@count < 20",
        lambda k: len(k.continent.countries) < 20)
country("neighbours.@links.City.country.@count > 50",
        lambda k: any(len(b.cities) > 50 for b in k.neighbours), on=DEMO)
country("neighbours.@links.City.country.@count > 2000",
        lambda k: any(len(b.cities) > 2000 for b in k.neighbours), on=FULL)
country("neighbours.@links.@count > 150",
        lambda k: sum(len(b.cities) + len(b.neighbour_of) for b in k.neighbours) > 150, on=DEMO)
country("neighbours.@links.@count > 5000",
        lambda k: sum(len(b.cities) + len(b.neighbour_of) for b in k.neighbours) > 5000, on=FULL)
continent("@links.@count > 50", lambda n: len(n.countries) > 50)
continent("@links.Country.continent.name BEGINSWITH 'Z'",
          lambda n: any(begins(k.name, "Z") for k in n.countries))
continent("@links.Country.continent.@links.City.country.population > 15000000",
          lambda n: any(c.population > 15000000 for k in n.countries for c in k.cities))
continent("NONE @links.Country.continent.@links.City.country.latitude < 0",
          lambda n: none(c.latitude < 0 for k in n.countries for c in k.cities))
continent("@links.Country.continent.@links.City.country.@count > 20",
          lambda n: any(len(k.cities) > 20 for k in n.countries), on=DEMO)
continent("@links.Country.continent.@links.City.country.@count > 3000",
          lambda n: any(len(k.cities) > 3000 for k in n.countries), on=FULL)
city("country.@links.City.country.@count < 2", lambda c: len(c.country.cities) < 2)
city("country.@links.Country.neighbours.name == 'Austria' AND population > 300000",
     lambda c: any(b.name == "Austria" for b in c.country.neighbour_of) and c.population > 300000)
city("country.continent.@links.Country.continent.iso == 'AU'",
     lambda c: c.country.continent.code == "OC")

# SORT, DISTINCT and LIMIT, as a pipeline. A later SORT is the primary one.

by_id = ascending(lambda c: c.id)
by_iso = ascending(lambda k: k.iso)

continent("TRUEPREDICATE SORT(latitude ASC)", lambda n: True, sort(ascending(lambda n: n.latitude)))
continent("population > 1000000 SORT(name DESCENDING)", lambda n: n.population > 1000000,
          sort(descending(lambda n: n.name)))
city("TRUEPREDICATE SORT(population DESC, id ASC) LIMIT(25)", lambda c: True,
     sort(descending(lambda c: c.population), by_id), limit(25))
city("TRUEPREDICATE sort(name ascending, id ASC) limit(40)", lambda c: True,
     sort(ascending(lambda c: c.name), by_id), limit(40))
city("name > 'Z' SORT(name DESC, id ASC)", lambda c: greater(c.name, "Z"),
     sort(descending(lambda c: c.name), by_id))
city("latitude < -30.0 SORT(latitude DESC, longitude ASC, id ASC)", lambda c: c.latitude < -30,
     sort(descending(lambda c: c.latitude), ascending(lambda c: c.longitude), by_id))
city("TRUEPREDICATE SORT(admin1 ASC, id ASC) LIMIT(35)", lambda c: True,
     sort(ascending(lambda c: c.admin1), by_id), limit(35))
city("population < 100000 SORT(admin1 DESC, id DESC)", lambda c: c.population < 100000,
     sort(descending(lambda c: c.admin1), descending(lambda c: c.id)))
city("population > 3000000 SORT(country.name ASC, population DESC, id ASC)",
     lambda c: c.population > 3000000,
     sort(ascending(lambda c: c.country.name), descending(lambda c: c.population), by_id))
city("population < 1500000 SORT(country.capital ASC, id ASC) LIMIT(20)",
     lambda c: c.population < 1500000,
     sort(ascending(lambda c: c.country.capital), by_id), limit(20))
city("country.iso IN {'BQ', 'FR'} SORT(country.capital DESC, name ASC, id ASC)",
     lambda c: c.country.iso in ("BQ", "FR"),
     sort(descending(lambda c: c.country.capital), ascending(lambda c: c.name), by_id))
city("population > 2000000 SORT(country.continent.name DESC, country.name ASC, name DESC, id ASC)",
     lambda c: c.population > 2000000,
     sort(descending(lambda c: c.country.continent.name), ascending(lambda c: c.country.name),
          descending(lambda c: c.name), by_id))
city("population > 5000000 SORT(name ASC, id ASC) SORT(country.iso DESC)",
     lambda c: c.population > 5000000,
     sort(descending(lambda c: c.country.iso), ascending(lambda c: c.name), by_id))
city("TRUEPREDICATE SORT(population DESC, id ASC) LIMIT(20) SORT(name ASC, id ASC)", lambda c: True,
     sort(descending(lambda c: c.population), by_id), limit(20),
     sort(ascending(lambda c: c.name), by_id))
city("population > 1000000 SORT(population DESC, id ASC) DISTINCT(country.iso)",
     lambda c: c.population > 1000000,
     sort(descending(lambda c: c.population), by_id), distinct(lambda c: c.country.iso))
city("population > 1000000 SORT(population DESC, id ASC) DISTINCT(country.iso) LIMIT(10)",
     lambda c: c.population > 1000000,
     sort(descending(lambda c: c.population), by_id), distinct(lambda c: c.country.iso), limit(10))
city("population > 1000000 SORT(population DESC, id ASC) LIMIT(10) DISTINCT(country.iso)",
     lambda c: c.population > 1000000,
     sort(descending(lambda c: c.population), by_id), limit(10), distinct(lambda c: c.country.iso))
city("TRUEPREDICATE SORT(population ASC, id ASC) "
     "DISTINCT(country.continent.code, admin1) LIMIT(45)",
     lambda c: True, sort(ascending(lambda c: c.population), by_id),
     distinct(lambda c: c.country.continent.code, lambda c: c.admin1), limit(45))
city("TRUEPREDICATE SORT(population DESC, id ASC) "
     "DISTINCT(admin1) DISTINCT(country.continent.code)",
     lambda c: True, sort(descending(lambda c: c.population), by_id),
     distinct(lambda c: c.admin1), distinct(lambda c: c.country.continent.code))
city("TRUEPREDICATE SORT(population DESC, id ASC) DISTINCT(country.continent.code) SORT(name DESC)",
     lambda c: True, sort(descending(lambda c: c.population), by_id),
     distinct(lambda c: c.country.continent.code), sort(descending(lambda c: c.name)))
city("name BEGINSWITH 'L' SORT(name ASC, population DESC) DISTINCT(name)",
     lambda c: begins(c.name, "L"),
     sort(ascending(lambda c: c.name), descending(lambda c: c.population)),
     distinct(lambda c: c.name))
city("population > 1000000 SORT(population ASC, id ASC) LIMIT(30) LIMIT(3)",
     lambda c: c.population > 1000000,
     sort(ascending(lambda c: c.population), by_id), limit(30), limit(3))
city("TRUEPREDICATE SORT(id DESC) LIMIT(0)",
     lambda c: True, sort(descending(lambda c: c.id)), limit(0))
country("TRUEPREDICATE SORT(capital ASC, iso ASC) LIMIT(12)", lambda k: True,
        sort(ascending(lambda k: k.capital), by_iso), limit(12))
country("TRUEPREDICATE SORT(capital DESC, iso ASC)", lambda k: True,
        sort(descending(lambda k: k.capital), by_iso))
country("TRUEPREDICATE SORT(continent.name DESC, population DESC, iso ASC)", lambda k: True,
        sort(descending(lambda k: k.continent.name), descending(lambda k: k.population), by_iso))
country("TRUEPREDICATE SORT(currencyCode ASC, iso DESC) DISTINCT(currencyCode)", lambda k: True,
        sort(ascending(lambda k: k.currencyCode), descending(lambda k: k.iso)),
        distinct(lambda k: k.currencyCode))
country("population > 0 SORT(areaKm2 DESC, iso ASC) "
        "DISTINCT(continent.code, currencyCode) LIMIT(30)",
        lambda k: k.population > 0, sort(descending(lambda k: k.areaKm2), by_iso),
        distinct(lambda k: k.continent.code, lambda k: k.currencyCode), limit(30))
country("neighbours.@count > 5 SORT(areaKm2 ASC) DISTINCT(continent.code) SORT(iso DESC)",
        lambda k: len(k.neighbours) > 5, sort(ascending(lambda k: k.areaKm2)),
        distinct(lambda k: k.continent.code), sort(descending(lambda k: k.iso)))
country("ANY languages == 'fr' SORT(name ASC)", lambda k: "fr" in k.languages,
        sort(ascending(lambda k: k.name)))


# --- The answers ------------------------------------------------------------------------------


def answer(data, cls, text, matches, steps, arguments):
    rows = [row for row in data[cls] if matches(row, *arguments)]
    key = KEY[cls]
    is_ordered = any(getattr(step, "is_sort", False) for step in steps)
    if is_ordered:
        for step in steps:
            rows = step(rows)
    else:
        assert not steps, "without SORT the row that DISTINCT or LIMIT keeps is not defined"
        rows.sort(key=lambda row: order_key(getattr(row, key)))
    keys = [getattr(row, key) for row in rows]
    return {
        "class": cls,
        "query": text,
        "arguments": arguments,
        "count": len(keys),
        "keys": keys[:50],
        "ordered": is_ordered,
        "sha256": hashlib.sha256("\n".join(map(str, keys)).encode("utf-8")).hexdigest(),
    }


def main(arguments):
    print_table = "--table" in arguments
    is_demo = "--demo" in arguments
    source, output = map(pathlib.Path, (a for a in arguments if not a.startswith("--")))
    data = load_swift(source) if is_demo else load_folder(source)
    scope = "demo" if is_demo else "full"
    answers = [answer(data, *entry[:5]) for entry in QUERIES if scope in entry[5]]
    texts = [(a["class"], a["query"], json.dumps(a["arguments"])) for a in answers]
    assert len(set(texts)) == len(texts), "a query is written twice"
    lines = [json.dumps(a, ensure_ascii=False) for a in answers]
    output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if print_table:
        for a in answers:
            print(f'{a["count"]:6} of {len(data[a["class"]]):5}  {a["class"]}: {a["query"]}')
    print(f"{len(answers)} queries")


if __name__ == "__main__":
    main(sys.argv[1:])
