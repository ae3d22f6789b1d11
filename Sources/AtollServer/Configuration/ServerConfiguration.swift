#if Sync
package import AtollObjects
package import AtollSync
package import AtollTransport

/// A server's configuration file: YAML, as `atoll serve --print-config` explains it line by line.
package struct ServerConfiguration: Sendable {
  /// Who may log in, and how.
  package struct Login: Equatable, Sendable {
    /// Users without a name.
    package var isAnonymousAllowed = true
    /// Users with an e-mail address and a password.
    package var isPasswordAllowed = true
    /// Whether any user can register an account.
    package var isRegistrationOpen = true
    /// The service whose tokens log users in.
    package var issuer: TokenIssuer?
    /// The keys of programs.
    package var keys: [APIKey] = []

    package init() {}
  }

  package let path: String
  /// The id of the app; nil: the one that the server has.
  package let app: String?
  package let login: Login
  package let classes: [ClassSchema]
  /// The limits of one user.
  package let limits: UserLimits
  /// What all users together may take.
  package let bounds: ServerBounds
  /// Which connections are accepted, and whose they are.
  package let network: SyncListener.Settings
  let rules: RuleTexts
  /// Where the classes and their properties stand.
  private let lines: [SchemaConflict.Place: Int]

  /// Whether anyone may do anything: without roles all is denied.
  package var hasRoles: Bool { !rules.roles.isEmpty }

  /// Reads a configuration.
  ///
  /// - Throws: `ConfigurationError` with the line, for a text that is no configuration. Whether
  ///   rules fit the classes is checked by `serverRules`.
  package init(yaml: String, path: String) throws(ConfigurationError) {
    self.path = path
    let file = try ConfigurationNode(yaml: yaml, path: path)
    let values = try file.values(
      of: "a configuration",
      [
        "app", "login", "limits", "server", "trustedProxies", "proxyHeader", "classes", "userData",
        "queryable", "indexedQueryable", "roles",
      ])
    guard !values.isEmpty else {
      throw file.error(
        "the configuration is empty, which would deny all data and allow every log-in; "
          + "'atoll serve --dir DIR --print-config' prints one to begin with")
    }
    app = try values["app"].map { node throws(ConfigurationError) in
      let id = try node.text("app").value
      // It is a part of the path of each request.
      guard !id.isEmpty, LoginClient.pathComponent(id) != nil else {
        throw node.error(
          "'\(id)' is no id of an app: letters, digits, '-', '_' and '.', at most 128")
      }
      return id
    }
    login = try Self.login(values["login"], folder: Self.folder(of: path))
    let entries = try values["classes"]?.entries(of: "classes") ?? []
    classes = try entries.map(Self.schema)
    lines = try Self.lines(of: entries)
    limits = try Self.limits(values["limits"])
    let server = try values["server"]?.values(
      of: "server", ["connectionsPerHost"] + Self.boundNames)
    bounds = try Self.bounds(server)
    network = try Self.network(values, server: server)
    rules = try RuleTexts(values)
  }

  /// Returns what is told of a class or property that the server's store refuses.
  func error(of conflict: SchemaConflict) -> ConfigurationError {
    var text = conflict.text
    // A name that is no type is read as that of a class.
    if let name = conflict.unknownClass, let type = PropertySchema.typeName(meantBy: name) {
      text = "'\(name)' is no type of a property and no class; did you mean '\(type)'?"
    }
    return ConfigurationError(path: path, line: conflict.place.flatMap { lines[$0] }, text)
  }

  private static func lines(
    of classes: [ConfigurationNode.Entry]
  ) throws(ConfigurationError) -> [SchemaConflict.Place: Int] {
    var lines: [SchemaConflict.Place: Int] = [:]
    for entry in classes {
      var place = SchemaConflict.Place(className: entry.name)
      lines[place] = entry.value.line
      for property in try entry.properties() {
        place.property = property.name
        lines[place] = property.value.line
      }
    }
    return lines
  }

  private static func schema(
    _ entry: ConfigurationNode.Entry
  ) throws(ConfigurationError) -> ClassSchema {
    let what = entry.what
    let values = try entry.classValues()
    let isEmbedded = try values["embedded"]?.flag("\(what), embedded") ?? false
    let isAsymmetric = try values["asymmetric"]?.flag("\(what), asymmetric") ?? false
    if isEmbedded, isAsymmetric {
      throw entry.value.error("\(what) cannot be both embedded and asymmetric")
    }
    let properties = try entry.properties().map { property throws(ConfigurationError) in
      let text = try property.value.text("\(what), '\(property.name)'").value
      guard let schema = PropertySchema(property.name, typeText: text) else {
        throw property.value.error(
          "'\(text)' is no type of a property; types are bool, int, float, double, decimal128, "
            + "string, data, date, objectId, uuid, mixed, the name of a class, each with '?' when "
            + "it may be null, and list<…>, set<…>, map<…>")
      }
      return schema
    }
    let key = try values["key"].map { node throws(ConfigurationError) in
      try node.text("\(what), key").value
    }
    if let key, !properties.contains(where: { $0.name == key }) {
      throw (values["key"] ?? entry.value).error("\(what) has no property '\(key)' for its key")
    }
    guard isEmbedded == (key == nil) else {
      throw entry.value.error(
        isEmbedded
          ? "\(what): an embedded class has no key"
          : "\(what) needs a key: the property that tells its objects apart")
    }
    return ClassSchema(
      entry.name, properties: properties, primaryKey: key, isEmbedded: isEmbedded,
      isAsymmetric: isAsymmetric)
  }
}

/// An entry of `classes`.
extension ConfigurationNode.Entry {
  fileprivate var what: String { "class '\(name)'" }

  fileprivate func classValues() throws(ConfigurationError) -> [String: ConfigurationNode] {
    try value.values(of: what, ["key", "embedded", "asymmetric", "properties"])
  }

  fileprivate func properties() throws(ConfigurationError) -> [ConfigurationNode.Entry] {
    try classValues()["properties"]?.entries(of: "\(what), properties") ?? []
  }
}
#endif
