/// A text in the exposition format of Prometheus, version 0.0.4, read as strictly as its server
/// reads it, and with the conventions for names.
package struct PrometheusExposition: Sendable {
  package struct Problem: Error, Equatable, CustomStringConvertible {
    package let description: String
  }

  package struct Sample: Sendable {
    package let name: String
    package let labels: [String: String]
    package let value: Double
  }

  package struct Family: Sendable {
    package let name: String
    package let help: String
    package fileprivate(set) var type = ""
    package fileprivate(set) var samples: [Sample] = []
  }

  package private(set) var families: [Family] = []

  /// Reads a text.
  ///
  /// - Throws: `Problem` for what Prometheus would not read, or what its conventions forbid.
  package init(_ text: String) throws(Problem) {
    guard text.isEmpty || text.utf8.last == UInt8(ascii: "\n") else {
      throw Problem(description: "the last line has no end")
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      do throws(Problem) { try read(line) } catch {
        throw Problem(description: "\(error) in: \(line)")
      }
    }
    for family in families { try check(family) }
  }

  /// The value of one series; nil where there is none.
  package func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
    families.lazy.flatMap(\.samples).first { $0.name == name && $0.labels == labels }?.value
  }

  /// The values that are not 0 of a metric, by the values of its labels in the order of these.
  package func values(_ name: String, by labels: String...) -> [[String]: Double] {
    let samples = families.flatMap(\.samples).filter { $0.name == name && $0.value != 0 }
    return Dictionary(
      samples.map { sample in (labels.map { sample.labels[$0] ?? "" }, sample.value) },
      uniquingKeysWith: +)
  }

  // MARK: Lines

  private mutating func read(_ line: Substring) throws(Problem) {
    if line.hasPrefix("# HELP ") {
      let (name, text) = Self.word(line.dropFirst(7))
      guard Self.isName(name), !families.contains(where: { $0.name == name }) else {
        throw Problem(description: "no name, or one that was there before")
      }
      families.append(Family(name: name, help: try Self.unescaped(text, quotes: false)))
    } else if line.hasPrefix("# TYPE ") {
      let (name, type) = Self.word(line.dropFirst(7))
      guard let last = families.last, last.name == name, last.type.isEmpty else {
        throw Problem(description: "a type that does not follow its help")
      }
      guard ["counter", "gauge", "histogram"].contains(type) else {
        throw Problem(description: "an unknown type")
      }
      families[families.count - 1].type = String(type)
    } else {
      let sample = try Self.sample(line)
      guard let family = families.last, !family.type.isEmpty, family.names.contains(sample.name)
      else { throw Problem(description: "a sample that follows no type of its own") }
      guard
        !family.samples.contains(where: { $0.name == sample.name && $0.labels == sample.labels })
      else { throw Problem(description: "a series twice") }
      families[families.count - 1].samples.append(sample)
    }
  }

  private static func word(_ text: Substring) -> (String, Substring) {
    let word = text.prefix { $0 != " " }
    return (String(word), text.dropFirst(word.count + 1))
  }

  private static func isName(_ text: some StringProtocol) -> Bool {
    String(text).wholeMatch(of: /[a-zA-Z_:][a-zA-Z0-9_:]*/) != nil
  }

  private static func sample(_ line: Substring) throws(Problem) -> Sample {
    let name = line.prefix { $0 != "{" && $0 != " " }
    guard isName(name) else { throw Problem(description: "no name") }
    var rest = line.dropFirst(name.count)
    var labels: [String: String] = [:]
    if rest.first == "{" {
      rest.removeFirst()
      while true {
        let label = rest.prefix { $0 != "=" }
        guard String(label).wholeMatch(of: /[a-zA-Z_][a-zA-Z0-9_]*/) != nil,
          !label.hasPrefix("__"), labels[String(label)] == nil
        else { throw Problem(description: "no label, or one twice") }
        rest = rest.dropFirst(label.count)
        guard rest.hasPrefix("=\"") else { throw Problem(description: "a label without a value") }
        rest = rest.dropFirst(2)
        var value: Substring = ""
        while let next = rest.first, next != "\"" {
          value.append(rest.removeFirst())
          if next == "\\", let escaped = rest.first {
            value.append(escaped)
            rest.removeFirst()
          }
        }
        labels[String(label)] = try unescaped(value, quotes: true)
        guard rest.first == "\"" else { throw Problem(description: "a value without an end") }
        rest.removeFirst()
        if rest.first == "}" { break }
        guard rest.first == "," else { throw Problem(description: "no comma between labels") }
        rest.removeFirst()
      }
      rest.removeFirst()
    }
    guard rest.first == " " else { throw Problem(description: "no value") }
    return Sample(name: String(name), labels: labels, value: try number(rest.dropFirst()))
  }

  private static func number(_ text: Substring) throws(Problem) -> Double {
    switch text {
    case "+Inf": return .infinity
    case "-Inf": return -.infinity
    case "NaN": return .nan
    default:
      guard String(text).wholeMatch(of: /-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?/) != nil,
        let number = Double(text)
      else { throw Problem(description: "no number") }
      return number
    }
  }

  private static func unescaped(
    _ text: Substring, quotes: Bool
  ) throws(Problem) -> String {
    var result = ""
    var rest = text
    while let next = rest.popFirst() {
      guard next == "\\" else {
        result.append(next)
        continue
      }
      switch rest.popFirst() {
      case "\\": result.append("\\")
      case "n": result.append("\n")
      case "\"" where quotes: result.append("\"")
      default: throw Problem(description: "a backslash before something else")
      }
    }
    return result
  }

  // MARK: Families

  private func check(_ family: Family) throws(Problem) {
    func fail(_ text: String) throws(Problem) {
      throw Problem(description: "\(family.name): \(text)")
    }
    if family.type.isEmpty || family.help.isEmpty { try fail("no type or no help") }
    if family.name.hasSuffix("_total") != (family.type == "counter") {
      try fail("counters, and they alone, end in _total")
    }
    if family.type == "counter",
      family.samples.contains(where: { !($0.value >= 0) || $0.value.isInfinite })
    {
      try fail("a counter that is no count")
    }
    if family.type == "histogram" { try check(histogram: family) }
  }

  private func check(histogram family: Family) throws(Problem) {
    var buckets: [[String: String]: [(bound: Double, count: Double)]] = [:]
    for sample in family.samples where sample.name == family.name + "_bucket" {
      var labels = sample.labels
      guard let bound = labels.removeValue(forKey: "le") else {
        throw Problem(description: "\(family.name): a bucket without a bound")
      }
      buckets[labels, default: []].append((try Self.number(bound[...]), sample.value))
    }
    let sets = Set(family.samples.map { $0.labels.filter { $0.key != "le" } })
    for labels in sets {
      let all = buckets[labels] ?? []
      guard all.last?.bound == .infinity,
        zip(all, all.dropFirst()).allSatisfy({ $0.bound < $1.bound && $0.count <= $1.count })
      else { throw Problem(description: "\(family.name): buckets that do not ascend to +Inf") }
      guard let count = value(family.name + "_count", labels), count == all.last?.count,
        let sum = value(family.name + "_sum", labels), sum >= 0 || sum.isNaN
      else { throw Problem(description: "\(family.name): no sum, or another count") }
    }
  }
}

extension PrometheusExposition.Family {
  /// The names that its samples may have.
  fileprivate var names: [String] {
    type == "histogram" ? ["_bucket", "_sum", "_count"].map { name + $0 } : [name]
  }
}
