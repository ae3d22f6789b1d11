internal import AtollCapture
internal import AtollObjects

/// The classes of the simulated app, and subscriptions as anyone would evaluate them.
enum SyncSchema {
  /// `isIndexed`: whether the device has an index of the texts, which must not mind long ones
  /// (R11).
  static func classes(isIndexed: Bool) -> [ClassSchema] {
    [item(isIndexed: isIndexed), depth, detail, note, event]
  }

  private static func item(isIndexed: Bool) -> ClassSchema {
    ClassSchema(
      "Item",
      properties: [
        PropertySchema("_id", .string), PropertySchema("a", .int), PropertySchema("b", .int),
        PropertySchema("text", .string, isOptional: true, isIndexed: isIndexed),
        PropertySchema("count", .int, isOptional: true),
        PropertySchema("other", linkTo: "Item"), PropertySchema("detail", linkTo: "Detail"),
        PropertySchema("numbers", .int, collection: .list),
        PropertySchema("steps", linkTo: "Detail", collection: .list),
        PropertySchema("rooms", linkTo: "Detail", collection: .map),
        PropertySchema("friends", linkTo: "Item", collection: .list),
        PropertySchema("marks", .string, collection: .set),
        PropertySchema("fans", linkTo: "Item", collection: .set),
        PropertySchema("scores", .int, collection: .map, isOptional: true),
        PropertySchema("peers", linkTo: "Item", collection: .map),
        PropertySchema("any", .mixed, isOptional: true),
        PropertySchema("anys", .mixed, collection: .list, isOptional: true),
      ], primaryKey: "_id", isSynced: true)
  }

  private static let detail = ClassSchema(
    "Detail",
    properties: [
      PropertySchema("x", .int), PropertySchema("y", .int, isOptional: true),
      PropertySchema("text", .string, isOptional: true),
      PropertySchema("any", .mixed, isOptional: true), PropertySchema("inner", linkTo: "Depth"),
      PropertySchema("numbers", .int, collection: .list),
    ], isEmbedded: true)

  private static let depth = ClassSchema(
    "Depth", properties: [PropertySchema("z", .int), PropertySchema("item", linkTo: "Item")],
    isEmbedded: true)

  private static let event = ClassSchema(
    "Event",
    properties: [
      PropertySchema("_id", .string), PropertySchema("kind", .int),
      PropertySchema("about", linkTo: "Item"), PropertySchema("detail", linkTo: "Detail"),
      PropertySchema("numbers", .int, collection: .list),
    ], primaryKey: "_id", isSynced: true, isAsymmetric: true)

  private static let note = ClassSchema(
    "Note",
    properties: [
      PropertySchema("_id", .int), PropertySchema("one", linkTo: "Item"),
      PropertySchema("many", linkTo: "Item", collection: .list),
    ], primaryKey: "_id")

  static let keys = ["k0", "k1", "k2", "k3", "k4"]

  static func item(_ key: String) -> ObjectAddress {
    ObjectAddress(className: "Item", primaryKey: .string(key))
  }

  /// Whether an object is stored by the server and never on a device.
  static func isEvent(_ object: ObjectAddress) -> Bool { object.className == "Event" }

  /// Members of sets and keys of maps: one is longer than what a tree's key takes.
  static let names = ["", "x", "y", "a long name " + String(repeating: "n", count: 200)]

  /// The properties of an object that was just made.
  static func defaults(of className: String) -> [UnitPath: UnitValue] {
    if className == "Event" {
      return [
        .property("kind"): .value(.int(0)), .property("about"): .value(.null),
        .property("detail"): .value(.null),
      ]
    }
    guard className == "Item" else { return [:] }
    return [
      .property("a"): .value(.int(0)), .property("b"): .value(.int(0)),
      .property("text"): .value(.null), .property("count"): .value(.null),
      .property("other"): .value(.null), .property("detail"): .value(.null),
      .property("any"): .value(.null),
    ]
  }

  /// What a property of an embedded object holds that was not set; nil for an entry of a map.
  static func defaultValue(at place: InnerPlace) -> RecordedValue? {
    guard place.incarnation != nil, !place.names.dropLast().contains("any") else { return nil }
    return ["x", "z"].contains(place.names.last) ? .int(0) : .null
  }
}

/// A subscription of the simulated app to the class `Item`.
enum SyncSubscription: Hashable, CaseIterable {
  case all, a0, a1, a2, b0, b1, a0OrB1

  /// As the app writes it.
  var query: String {
    switch self {
    case .all: "TRUEPREDICATE"
    case .a0: "a == 0"
    case .a1: "a == 1"
    case .a2: "a == 2"
    case .b0: "b == 0"
    case .b1: "b == 1"
    case .a0OrB1: "a == 0 OR b == 1"
    }
  }

  func matches(_ units: [UnitPath: UnitValue]) -> Bool {
    func holds(_ property: String, _ value: Int64) -> Bool {
      units[.property(property)] == .value(.int(value))
    }
    return switch self {
    case .all: true
    case .a0: holds("a", 0)
    case .a1: holds("a", 1)
    case .a2: holds("a", 2)
    case .b0: holds("b", 0)
    case .b1: holds("b", 1)
    case .a0OrB1: holds("a", 0) || holds("b", 1)
    }
  }

  /// A value that puts an object into view; nil where every object is.
  var term: (property: String, value: Int64)? {
    switch self {
    case .all: nil
    case .a0, .a0OrB1: ("a", 0)
    case .a1: ("a", 1)
    case .a2: ("a", 2)
    case .b0: ("b", 0)
    case .b1: ("b", 1)
    }
  }
}
