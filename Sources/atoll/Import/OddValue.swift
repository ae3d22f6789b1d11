import AtollObjects

/// A value that made its property a string, while nearly all others could have a narrower type.
struct OddValue: Equatable {
  let property: String
  /// The type that the others could have.
  let type: ValueType
  let position: SourcePosition
  let text: String
  /// How many such values there are, and of how many in all.
  let count: Int
  let totalCount: Int

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

  /// What to say of it, `name` being the data file.
  func description(name: String) -> String {
    var text = "'\(property)' is imported as string: \(name):\(position): '\(shortened)' is no "
    text += type.queryName
    if count > 1 { text += ", nor are \(Quantity.count(count - 1)) more" }
    text += " of \(Quantity.count(totalCount, "value", "values"))"
    return text + "; with --type \(property)=\(type.queryName) that is an error"
  }

  private var shortened: String {
    text.count <= 40 ? text : "\(text.prefix(40))…"
  }
}
