package import AtollObjects

/// A value that made its property a string, while nearly all others could have a narrower type.
package struct OddValue: Equatable {
  package let property: String
  /// The type that the others could have.
  package let type: ValueType
  package let position: SourcePosition
  package let text: String
  /// How many such values there are, and of how many in all.
  package let count: Int
  package let totalCount: Int

  /// At most one value in so many is odd.
  private static let rarity = 10

  /// Nil when the property is no string, or many of its values are nothing but text.
  init?(_ observation: PropertyObservation, as description: PropertySchema) {
    guard description.type == .string, description.collection == .none else { return nil }
    let values = observation.values
    let totalCount = values.count(of: .strings)
    for (type, kinds) in [
      (ValueType.int, DataKindSet.ints), (.double, .numbers), (.bool, .bools), (.date, .dates),
    ] {
      let fittingCount = values.count(of: kinds)
      let count = totalCount - fittingCount
      guard count > 0, count * Self.rarity <= totalCount,
        let odd = values.earliest(outside: kinds)
      else { continue }
      switch odd.value {
      case .string(let text), .text(let text): self.text = text
      default: return nil
      }
      property = description.name
      self.type = type
      position = odd.position
      self.count = count
      self.totalCount = totalCount
      return
    }
    return nil
  }
}
