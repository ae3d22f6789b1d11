#if Sync
/// Sizes and times, as a person writes them.
extension ConfigurationNode {
  /// The units of sizes, the largest first.
  private static let sizes: [(name: String, byteCount: Int)] = [
    ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10),
    ("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000), ("B", 1),
  ]
  private static let times: [(name: String, milliseconds: Int)] = [("s", 1_000), ("ms", 1)]

  /// Reads a number of bytes, with or without a unit.
  ///
  /// - Throws: `ConfigurationError` for what is no size, or less than `least`.
  func byteCount(_ what: String, least: Int) throws(ConfigurationError) -> Int {
    let form = "\(what): a size is expected, as '512 MiB' or '2 GB'"
    let text = try text(what).value
    // A number without a unit is read as YAML has it.
    let count =
      (try? number(what))
      ?? Self.split(text).flatMap { parts in
        Self.sizes.first { $0.name == parts.unit }
          .flatMap { Self.product(parts.number, $0.byteCount) }
      }
    guard let count else {
      throw error("\(form); units are \(Self.sizes.map(\.name).joined(separator: ", "))")
    }
    guard count >= least else {
      throw error("\(what): at least \(Self.sizeText(least)) is expected")
    }
    return count
  }

  /// Reads a time of whole milliseconds, with its unit.
  ///
  /// - Throws: `ConfigurationError` for what is no time, or not in `range`.
  func milliseconds(_ what: String, in range: ClosedRange<Int>) throws(ConfigurationError) -> Int {
    let parts = Self.split(try text(what).value)
    let unit = Self.times.first { $0.name == parts?.unit }
    guard let parts, let unit, let count = Self.product(parts.number, unit.milliseconds) else {
      throw error("\(what): a time with its unit is expected, as '30 ms' or '1 s'")
    }
    guard range ~= count else {
      throw error(
        "\(what): a time from \(range.lowerBound) ms to \(range.upperBound) ms is expected")
    }
    return count
  }

  private static func split(_ text: String) -> (number: Int, unit: String)? {
    let digits = text.prefix { "0"..."9" ~= $0 }
    guard let number = Int(digits) else { return nil }
    return (number, String(text.dropFirst(digits.count).drop { $0 == " " }))
  }

  private static func product(_ number: Int, _ factor: Int) -> Int? {
    let (product, isTooLarge) = number.multipliedReportingOverflow(by: factor)
    return isTooLarge ? nil : product
  }

  private static func sizeText(_ byteCount: Int) -> String {
    let unit = sizes.first { byteCount >= $0.byteCount && byteCount % $0.byteCount == 0 }
    return unit.map { "\(byteCount / $0.byteCount) \($0.name)" } ?? "\(byteCount) B"
  }
}
#endif
