import AtollObjects
import AtollStorage

// The parts of sets and maps that change one by one.

extension RecordedValue {
  /// An entry of a map or a member of a set: its key, and what its unit holds.
  package struct Part: Hashable, Sendable {
    /// Of a map's entry a string; a member is its own key.
    package var key: RecordedValue
    package var value: UnitValue
  }

  /// The members of a set, or the entries of a map, in their order; of other values none.
  package var parts: [Part] {
    switch self {
    case .set(let members): members.map { Part(key: $0, value: .exists) }
    case .map(let entries):
      entries.map { Part(key: .string($0.key), value: .value($0.value)) }
    default: []
    }
  }

  /// A set of members, in their order, each once.
  package init(members: some Sequence<RecordedValue>) {
    self = .set(Self.sortedMembers(Array(members)))
  }

  /// A map of entries by their keys, which are strings.
  package init(entries: some Sequence<(key: RecordedValue, value: RecordedValue)>) {
    var sorted: [RecordedEntry] = []
    for (key, value) in entries {
      guard case .string(let key) = key else { continue }
      sorted.append(RecordedEntry(key: key, value: value))
    }
    sorted.sort { Ordering(utf8: $0.key, $1.key) == .less }
    self = .map(sorted)
  }

  /// The set or map with other members or entries; nil: without.
  func replacing(_ parts: [RecordedValue: UnitValue?]) -> RecordedValue {
    var whole: [RecordedValue: UnitValue] = [:]
    for part in self.parts { whole[part.key] = part.value }
    for (key, value) in parts { whole[key] = value }
    guard case .map = self else { return RecordedValue(members: whole.keys) }
    return RecordedValue(
      entries: whole.map { key, value in
        guard case .value(let value) = value else { return (key, .null) }
        return (key, value)
      })
  }

  /// The bytes of the value on its own: those of members give the order of a set.
  package var standaloneBytes: [UInt8] {
    var writer = RecordedWriter()
    writer.append(self)
    return writer.bytes
  }

  /// The value as a part of a tree's key: no such part begins with another.
  ///
  /// Short values are there as they are; of long ones the SHA-256 is, so that no two that a peer
  /// could find are alike. What a key like this leads to says the value in full.
  package var treeKey: [UInt8] {
    let bytes = standaloneBytes
    guard bytes.count > Self.plainKeyLimit else { return [UInt8(bytes.count)] + bytes }
    return [0xFF] + Checksum.sha256(bytes)
  }

  /// The longest value, in bytes, that is in a key as it is.
  private static let plainKeyLimit = 96
}
