internal import AtollCapture
internal import AtollObjects

/// A view of a measured server: one of six forms, with a constant of its own.
struct InterestForm: Hashable {
  enum Kind: Int, CaseIterable {
    case equal, oneOf, range, prefix, both, either
  }

  let kind: Kind
  let number: Int64

  init(_ index: Int) {
    kind = Kind.allCases[index % Kind.allCases.count]
    number = Int64(index / Kind.allCases.count)
  }

  static let schema = ClassSchema(
    "Item",
    properties: [
      PropertySchema("_id", .int), PropertySchema("equal", .int), PropertySchema("oneOf", .int),
      PropertySchema("range", .int), PropertySchema("prefix", .string),
      PropertySchema("both", .int), PropertySchema("state", .string),
      PropertySchema("either", .int), PropertySchema("other", .int),
    ], primaryKey: "_id")

  /// The query of the view.
  var text: String {
    switch kind {
    case .equal: "equal == \(number)"
    case .oneOf: "oneOf IN {\(3 * number), \(3 * number + 2)}"
    case .range: "range >= \(10 * number) AND range < \(10 * number + 7)"
    case .prefix: "prefix BEGINSWITH '\(number)-'"
    case .both: "state == 'open' AND both == \(number)"
    case .either: "either == \(number) OR other == \(number)"
    }
  }

  /// The property that a change sets for an object to enter the view.
  var property: String { "\(kind)" }

  /// A value with which an object is in the view.
  var value: RecordedValue {
    switch kind {
    case .equal, .both, .either: .int(number)
    case .oneOf: .int(3 * number + 2)
    case .range: .int(10 * number + 6)
    case .prefix: .string("\(number)-end")
    }
  }

  /// A value of a property with which an object is in no view.
  static func nothing(of kind: Kind) -> RecordedValue {
    kind == .prefix ? .string("none") : .int(-1)
  }

  /// Whether an object with these values is in the view: a plain reading of `text`.
  func holds(_ values: [Kind: RecordedValue]) -> Bool {
    guard let value = values[kind] else { return false }
    switch (kind, value) {
    case (.equal, .int(let found)), (.both, .int(let found)), (.either, .int(let found)):
      return found == number
    case (.oneOf, .int(let found)): return found == 3 * number || found == 3 * number + 2
    case (.range, .int(let found)): return found >= 10 * number && found < 10 * number + 7
    case (.prefix, .string(let found)): return found.hasPrefix("\(number)-")
    default: return false
    }
  }
}
