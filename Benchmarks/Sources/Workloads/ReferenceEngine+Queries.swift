extension ReferenceEngine: QueryEngine {
  package func count(_ query: CountQuery) -> Int {
    switch query {
    case .int: count { $0.age >= 90 }
    case .double: count { $0.score < 100 }
    case .and: count { $0.age >= 50 && $0.isActive && $0.score < 500 }
    case .or: count { $0.age == 1 || $0.age == 50 || $0.city == "City7" }
    case .in: count { [1, 5, 7, 11, 13].contains($0.age) }
    case .date: count { $0.createdAt > 1_690_000_000 }
    case .stringEquality: count { $0.city == "City42" }
    case .stringCaseInsensitive: count { $0.city.lowercased() == "city42" }
    case .stringContains: count { contains($0.email, "example77") }
    case .like: count { matchesLikePattern($0.email) }
    case .link: count { $0.friend.flatMap(person)?.age ?? 0 > 90 }
    case .backlinkCount: backlinkCounts().values.count { $0 > 3 }
    case .indexPrefix: count { $0.name.hasPrefix("First19 Last9") }
    }
  }

  package func countEach(name names: [String]) -> Int {
    var counts: [String: Int] = [:]
    for person in all { counts[person.name, default: 0] += 1 }
    return names.reduce(0) { $0 + (counts[$1] ?? 0) }
  }

  package func firstKey(sortedBy field: SortField) -> Int {
    let first =
      switch field {
      case .score: all.min { $0.score < $1.score }
      case .email: all.min { $0.email < $1.email }
      }
    return first?.id ?? -1
  }

  package func keysOfHighestScores(limit: Int) -> [Int] {
    all.sorted { $0.score > $1.score }.prefix(limit).map(\.id)
  }

  package func distinctCityCount() -> Int {
    Set(all.map(\.city)).count
  }

  package func aggregate() -> Double {
    let ages = all.map(\.age)
    let scoreSum = all.reduce(0) { $0 + $1.score }
    return Double(ages.reduce(0, +)) + scoreSum + Double(ages.max() ?? 0)
  }

  private func count(_ matches: (Person) -> Bool) -> Int {
    all.reduce(0) { $0 + (matches($1) ? 1 : 0) }
  }

  private func backlinkCounts() -> [Int: Int] {
    var counts: [Int: Int] = [:]
    for person in all {
      if let friend = person.friend { counts[friend, default: 0] += 1 }
    }
    return counts
  }

  /// Whether the bytes of `part` occur in `text`.
  private func contains(_ text: String, _ part: String) -> Bool {
    var rest = text.utf8[...]
    while rest.count >= part.utf8.count {
      if rest.starts(with: part.utf8) { return true }
      rest.removeFirst()
    }
    return false
  }

  /// Whether `text` matches the one pattern of the workloads, `*9@example7?.com`.
  private func matchesLikePattern(_ text: String) -> Bool {
    let pattern = "9@example7?.com".utf8
    let tail = text.utf8.suffix(pattern.count)
    return tail.count == pattern.count
      && zip(tail, pattern).allSatisfy { $0 == $1 || $1 == UInt8(ascii: "?") }
  }
}
