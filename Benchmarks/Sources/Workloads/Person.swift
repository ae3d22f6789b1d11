/// One object of the data set, every value prepared before a clock starts.
package struct Person: Sendable {
  /// The primary key.
  package let id: Int
  /// Indexed; about five objects in a million share a name.
  package let name: String
  /// Unique.
  package let email: String
  /// One of 100 values, not indexed.
  package let city: String
  /// Years, 0 to 99.
  package var age: Int
  package let isActive: Bool
  /// 0 to 1000.
  package let score: Double
  /// Whole seconds since 1970.
  package let createdAt: Int
  /// The key of the linked object: always an earlier one, nil for the first.
  package var friend: Int?

  /// Draws the object with key `id`: three numbers, and a fourth for `friend`.
  ///
  /// - Parameters:
  ///   - id: the primary key; also part of the email address.
  ///   - random: the generator, which advances by three or four draws.
  ///   - isLinked: whether to draw a friend among the objects before `id`.
  init(id: Int, random: inout SplitMix64, isLinked: Bool) {
    let a = random.next()
    let b = random.next()
    let c = random.next()
    self.id = id
    self.name = Self.name(drawn: a)
    self.email = "u\(id)@example\((a >> 40) % 1000).com"
    self.city = "City\(b % 100)"
    self.age = Int((b >> 16) % 100)
    self.isActive = (b >> 32) & 1 == 1
    self.score = Double(c >> 11) / 9_007_199_254_740_992 * 1000  // 2^53
    self.createdAt = 1_600_000_000 + Int((c >> 3) % 100_000_000)
    self.friend = isLinked && id > 0 ? random.nextKey(below: id) : nil
  }

  /// Builds a name of the data set from one draw.
  static func name(drawn a: UInt64) -> String {
    "First\(a % 200) Last\((a >> 16) % 1000)"
  }

  /// Generates the objects 0 ..< `rows` with their links, about 200 bytes of memory each.
  static func population(seed: UInt64, rows: Int) -> [Person] {
    var random = SplitMix64(state: seed)
    return (0..<rows).map { Person(id: $0, random: &random, isLinked: true) }
  }

  /// Generates `count` objects without links, with keys from `firstKey` up.
  static func newcomers(seed: UInt64, firstKey: Int, count: Int) -> [Person] {
    var random = SplitMix64(state: seed)
    return (firstKey..<firstKey + count).map { Person(id: $0, random: &random, isLinked: false) }
  }
}
