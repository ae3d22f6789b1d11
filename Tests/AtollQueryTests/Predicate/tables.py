"""Writes FoldingTables.swift and WordTables.swift from the Unicode Character Database
(CaseFolding.txt, UnicodeData.txt).

Run in the package's folder: python3 Tests/AtollQueryTests/Predicate/tables.py /usr/share/unicode
"""

import re
import sys

folder = sys.argv[1]

# Simple case folding: statuses C and S.
folds = {}
version = ""
for line in open(f"{folder}/CaseFolding.txt"):
    if line.startswith("# CaseFolding-"):
        version = re.search(r"[\d.]+\d", line).group()
    fields = [field.strip() for field in line.split("#")[0].split(";")]
    if len(fields) > 2 and fields[1] in "CS":
        folds[int(fields[0], 16)] = int(fields[2], 16)

ranges = []
scalars = sorted(folds)
place = 0
while place < len(scalars):
    first = scalars[place]
    delta = folds[first] - first
    best = (first, 1)
    for step in (1, 2):
        last = first
        while folds.get(last + step, -1) - (last + step) == delta and (
                step == 1 or last + 1 not in folds):
            last += step
        if last > best[0]:
            best = (last, step)
    ranges.append((first, best[0], best[1], delta))
    while place < len(scalars) and scalars[place] <= best[0]:
        place += 1

# Canonical decompositions without nonspacing marks; ideographs for compatibility are left out.
parts, marks = {}, set()
# What full-text search takes for parts of words, and what it passes over.
words, dropped = set(range(0x20000, 0x40000)), {0xAD, 0x640, 0x200C, 0x200D}
dropping = [
    (0, 0x6FF), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xFE00, 0xFE2F),
    (0xE0100, 0xE01EF)]
first_of_range = 0
for line in open(f"{folder}/UnicodeData.txt"):
    fields = line.split(";")
    scalar = int(fields[0], 16)
    if fields[2] == "Mn":
        marks.add(scalar)
    if fields[1].endswith("First>"):
        first_of_range = scalar
    if fields[2][0] in "LMN":
        is_range = fields[1].endswith("Last>")
        words.update(range(first_of_range if is_range else scalar, scalar + 1))
    if fields[2][0] == "M" and any(first <= scalar <= last for first, last in dropping):
        dropped.add(scalar)
    if fields[5] and not fields[5].startswith("<"):
        parts[scalar] = [int(part, 16) for part in fields[5].split()]


def decomposed(scalar):
    if scalar not in parts:
        return [scalar]
    return [inner for part in parts[scalar] for inner in decomposed(part)]


bases = []
for scalar in sorted(parts):
    if 0xF900 <= scalar <= 0xFAFF or 0x2F800 <= scalar <= 0x2FA1F or scalar in marks:
        continue
    base = [part for part in decomposed(scalar) if part not in marks]
    if base != [scalar]:
        bases += [(scalar, part) for part in base]


def rows(items, width):
    out, row = [], "   "
    for item in items:
        if len(row) + len(item) + 2 > width:
            out.append(row)
            row = "   "
        row += f" {item},"
    return "\n".join(out + [row])


def spans(scalars):
    spans = []
    for scalar in sorted(scalars):
        if spans and spans[-1][1] == scalar - 1:
            spans[-1][1] = scalar
        else:
            spans.append([scalar, scalar])
    return [f"0x{first:X}, 0x{last:X}" for first, last in spans]


folder = "Sources/AtollObjects/TextSearch"
with open(f"{folder}/WordTables.swift", "w") as file:
    file.write(f"""/// Which characters are parts of words, from Unicode {version}.
///
/// Written by Tests/AtollQueryTests/Predicate/tables.py. Ranges, by their first and last characters.
enum WordTables {{
  /// Letters, marks and numbers, and all of the planes 2 and 3.
  static let words: [UInt32] = [
{rows(spans(words - dropped), 100)}
  ]

  /// The marks of the scripts from Latin to Arabic and those for all scripts, joiners, the soft
  /// hyphen and the tatweel.
  static let dropped: [UInt32] = [
{rows(spans(dropped), 100)}
  ]
}}
""")
with open(f"{folder}/FoldingTables.swift", "w") as file:
    file.write(f"""/// What folding does to the characters beyond ASCII, from Unicode {version}.
///
/// Written by Tests/AtollQueryTests/Predicate/tables.py.
package enum FoldingTables {{
  /// Simple case folding: the first and the last character of a range, and what is added to each.
  ///
  /// A first number with bit 31 set stands for every second character of the range.
  static let cases: [(first: UInt32, last: UInt32, delta: Int32)] = [
{rows([f"({f'0x{first | (0x80000000 if step == 2 else 0):X}'}, 0x{last:X}, {delta})" for first, last, step, delta in ranges], 100)}
  ]

  /// Characters in the upper half, and what is left of their canonical decompositions without
  /// nonspacing marks in the lower one: an entry for each character that is left.
  static let bases: [UInt64] = [
{rows([f"0x{scalar:X}_{base:08X}" for scalar, base in bases], 100)}
  ]
}}
""")
