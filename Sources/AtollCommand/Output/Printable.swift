/// Text that cannot move the cursor or reorder the line: control characters, line separators and
/// controls of writing direction are shown as escapes.
///
/// Data may hold terminal commands; they must not be obeyed when a table is printed.
func printable(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: isUnprintable) else { return text }
  var result = ""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\n": result += "\\n"
    case "\r": result += "\\r"
    case "\t": result += "\\t"
    case _ where isUnprintable(scalar):
      result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}

private func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
  default: false
  }
}
