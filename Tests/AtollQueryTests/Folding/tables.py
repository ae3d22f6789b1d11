"""Writes FoldingTables.swift from the Unicode Character Database (CaseFolding.txt, UnicodeData.txt).

Run in the package's folder: python3 Tests/AtollQueryTests/Folding/tables.py /usr/share/unicode
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
for line in open(f"{folder}/UnicodeData.txt"):
    fields = line.split(";")
    scalar = int(fields[0], 16)
    if fields[2] == "Mn":
        marks.add(scalar)
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


with open("Sources/AtollQuery/Execution/FoldingTables.swift", "w") as file:
    file.write(f"""/// What folding does to the characters beyond ASCII, from Unicode {version}.
///
/// Written by Tests/AtollQueryTests/Folding/tables.py.
enum FoldingTables {{
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
