internal import AtollCapture
internal import AtollObjects
internal import AtollSync

/// The classes of the worlds, and rules that hide some objects and some properties.
enum LeakSchema {
  static let classes = [
    ClassSchema(
      "Item",
      properties: [
        PropertySchema("_id", .string), PropertySchema("a", .int), PropertySchema("text", .string),
        PropertySchema("tags", .string, collection: .list),
        PropertySchema("marks", .string, collection: .set),
        PropertySchema("secret", .string), PropertySchema("notes", .string, collection: .list),
        PropertySchema("scores", .int, collection: .map), PropertySchema("next", linkTo: "Item"),
        PropertySchema("vaults", linkTo: "Vault", collection: .list),
        PropertySchema("keys", linkTo: "Vault", collection: .set),
        PropertySchema("one", .mixed), PropertySchema("anys", .mixed, collection: .set),
      ], primaryKey: "_id"),
    // What links lead to, and the spy may not read; which of them there are is a secret.
    ClassSchema(
      "Vault", properties: [PropertySchema("_id", .string), PropertySchema("hoard", .string)],
      primaryKey: "_id"),
    ClassSchema(
      "Member", properties: [PropertySchema("_id", .string), PropertySchema("a", .int)],
      primaryKey: "_id"),
  ]

  /// The properties of an item that the spy may not read.
  static let hiddenProperties = ["secret", "notes", "scores"]
  /// Items that the spy may read while their `a` is what the rules say.
  static let openKeys = ["o0", "o1", "o2", "o3"]
  /// Items that the spy may never read.
  static let hiddenKeys = ["h0", "h1", "h2", "h3"]
  /// The keys of objects that links of items lead to.
  static let vaultKeys = ["v0", "v1", "v2", "h0"]
  /// The value of `a` that no user has.
  static let hiddenNumber: Int64 = 9

  static func rules(in schema: Schema) throws(RuleProblem) -> ServerRules {
    let own = Role.Permission.matching(
      try RuleCondition(
        "a == $user.data.a AND NOT text == 'hidden'", on: "Item", in: schema, userClass: "Member"))
    let root = Role(
      "root", application: .users(["root"]), read: .all, write: .all, insert: .all, delete: .all)
    let spy = Role(
      "spy", read: own, write: own, insert: .all,
      properties: PropertyRights(
        named: Dictionary(uniqueKeysWithValues: hiddenProperties.map { (ExactText($0), .none) })))
    return ServerRules(
      classes: [
        "Item": ClassRules(roles: [root, spy]), "Member": ClassRules(roles: [root]),
        "Vault": ClassRules(roles: [root]),
      ], userClass: "Member")
  }

  static func item(_ key: String) -> ObjectAddress {
    ObjectAddress(className: "Item", primaryKey: .string(key))
  }

  static func vault(_ key: String) -> ObjectAddress {
    ObjectAddress(className: "Vault", primaryKey: .string(key))
  }

  static func member(_ user: String) -> ObjectAddress {
    ObjectAddress(className: "Member", primaryKey: .string(user))
  }
}
