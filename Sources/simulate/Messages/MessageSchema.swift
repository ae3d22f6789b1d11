internal import AtollCapture
internal import AtollObjects
internal import AtollSync

/// The classes of the worlds in which a peer is hostile, and their rules: users read everything,
/// and write their own objects.
enum MessageSchema {
  static let classes = [
    ClassSchema(
      "Item",
      properties: [
        PropertySchema("_id", .string), PropertySchema("owner", .string),
        PropertySchema("n", .int), PropertySchema("text", .string, isOptional: true),
        PropertySchema("tags", .string, collection: .list),
        PropertySchema("marks", .string, collection: .set),
        PropertySchema("scores", .int, collection: .map),
        PropertySchema("any", .mixed, isOptional: true), PropertySchema("next", linkTo: "Item"),
        PropertySchema("part", linkTo: "Part"),
      ], primaryKey: "_id", isSynced: true),
    ClassSchema(
      "Part",
      properties: [PropertySchema("x", .int), PropertySchema("text", .string, isOptional: true)],
      isEmbedded: true),
  ]

  /// Returns whether items have a property in every world.
  static func isProperty(_ name: String) -> Bool {
    classes[0].properties.contains { $0.name.hasSameBytes(as: name) }
  }

  /// Users that keep to the protocol; no other user may change what is theirs.
  static let honestUsers = ["ann", "bob"]
  static let hostileUser = "mallory"
  static let users = honestUsers + [hostileUser]

  static func rules(in schema: Schema) throws(RuleProblem) -> ServerRules {
    let own = Role.Permission.matching(
      try RuleCondition("owner == $user.id", on: "Item", in: schema, userClass: nil))
    let member = Role("member", read: .all, write: own, insert: own, delete: own)
    return ServerRules(classes: ["Item": ClassRules(roles: [member])])
  }

  /// The keys of the objects that a user may make.
  static func keys(of user: String) -> [String] { (0..<4).map { "\(user) \($0)" } }

  static func item(_ key: String) -> ObjectAddress {
    ObjectAddress(className: "Item", primaryKey: .string(key))
  }
}
