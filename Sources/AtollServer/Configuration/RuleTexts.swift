#if Sync
internal import AtollObjects
internal import AtollSync

/// The rules of a configuration as they were written, before they meet the classes of the store.
struct RuleTexts: Sendable {
  typealias Text = ConfigurationNode.Text

  struct Permission: Sendable {
    var isAllowed: Bool?
    var condition: (value: String, line: Int)?
    var line: Int
  }

  struct Role: Sendable {
    var name: String
    var line: Int
    var when: (value: String, line: Int)?
    var users: [String]?
    var read: Permission
    var write: Permission
    var insert: Permission
    var delete: Permission
    var properties: [(name: String, right: PropertyRights.Right, line: Int)]
    var otherProperties: PropertyRights.Right
  }

  /// Of one class, or of all others: `*`.
  struct ClassRoles: Sendable {
    var className: String
    var line: Int
    var roles: [Role]
  }

  /// The properties of one class that subscriptions may name, or of every class: `*`.
  struct Queryable: Sendable {
    var className: String
    var line: Int
    var properties: [(name: String, line: Int)]
  }

  static let everyClass = "*"

  private(set) var userData: (value: String, line: Int)?
  private(set) var partition: (value: String, line: Int)?
  /// Nil: all properties are queryable.
  private(set) var queryable: [Queryable]?
  private(set) var roles: [ClassRoles] = []

  init(_ values: [String: ConfigurationNode]) throws(ConfigurationError) {
    if let text = try values["userData"]?.text("userData") { userData = (text.value, text.line) }
    if let text = try values["indexedQueryable"]?.text("indexedQueryable") {
      partition = (text.value, text.line)
    }
    if let node = values["queryable"] {
      var all: [Queryable] = []
      for entry in try node.entries(of: "queryable") {
        let names = try entry.value.texts("queryable, '\(entry.name)'")
        all.append(
          Queryable(
            className: entry.name, line: entry.value.line,
            properties: names.map { ($0.value, $0.line) }))
      }
      queryable = all
    }
    for entry in try values["roles"]?.entries(of: "roles") ?? [] {
      var roles: [Role] = []
      for node in try entry.value.list("the roles of '\(entry.name)'") {
        roles.append(try Self.role(node, of: entry.name))
      }
      self.roles.append(
        ClassRoles(className: entry.name, line: entry.value.line, roles: roles))
    }
  }

  private static func role(
    _ node: ConfigurationNode, of className: String
  ) throws(ConfigurationError) -> Role {
    let what = "a role of '\(className)'"
    let values = try node.values(
      of: what,
      [
        "name", "when", "users", "read", "write", "insert", "delete", "properties",
        "otherProperties",
      ])
    guard let name = try values["name"]?.text("\(what), name").value else {
      throw node.error("\(what) needs a name, which refusals tell")
    }
    let own = "role '\(name)' of '\(className)'"
    let when = try values["when"]?.text("\(own), when")
    let users = try values["users"]?.texts("\(own), users")
    if let node = values["users"], when != nil {
      throw node.error("\(own) has 'when' and 'users'; make it two roles")
    }
    func permission(_ key: String) throws(ConfigurationError) -> Permission {
      guard let value = values[key] else {
        return Permission(isAllowed: false, condition: nil, line: node.line)
      }
      let (flag, text) = try value.flagOrText("\(own), \(key)")
      return Permission(
        isAllowed: flag, condition: text.map { ($0.value, $0.line) }, line: value.line)
    }
    var properties: [(name: String, right: PropertyRights.Right, line: Int)] = []
    for entry in try values["properties"]?.entries(of: "\(own), properties") ?? [] {
      properties.append(
        (entry.name, try right(entry.value, "\(own), '\(entry.name)'"), entry.value.line))
    }
    let others = try values["otherProperties"].map { node throws(ConfigurationError) in
      try right(node, "\(own), otherProperties")
    }
    return Role(
      name: name, line: node.line, when: when.map { ($0.value, $0.line) },
      users: users?.map(\.value), read: try permission("read"), write: try permission("write"),
      insert: try permission("insert"), delete: try permission("delete"),
      properties: properties, otherProperties: others ?? .write)
  }

  private static func right(
    _ node: ConfigurationNode, _ what: String
  ) throws(ConfigurationError) -> PropertyRights.Right {
    switch try node.text(what).value {
    case "none": return .none
    case "read": return .read
    case "write": return .write
    default: throw node.error("\(what): none, read or write is expected; write is reading too")
    }
  }
}
#endif
