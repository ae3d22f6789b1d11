#if Sync
package import AtollObjects
package import AtollSync

extension ServerConfiguration {
  /// The rules, checked against the classes of the store.
  ///
  /// - Throws: `ConfigurationError` with the line of a rule that cannot be: it names a class or a
  ///   property that is not there, its condition does not fit, or it never allows or applies.
  package func serverRules(in schema: Schema) throws(ConfigurationError) -> ServerRules {
    let userClass = try userClass(in: schema)
    if let partition = rules.partition,
      !schema.classes.contains(where: { $0[partition.value] != nil })
    {
      throw error(partition.line, "indexedQueryable: no class has a '\(partition.value)'")
    }
    let known = schema.classes.filter { !$0.isEmbedded && $0.primaryKey != nil && !$0.isHidden }
    try checkNames(known)
    let others = rules.roles.first { $0.className == RuleTexts.everyClass }
    var classes: [ExactText: ClassRules] = [:]
    for target in known {
      let own = rules.roles.first { $0.className.hasSameBytes(as: target.name) } ?? others
      classes[ExactText(target.name)] = ClassRules(
        roles: try roles(own, on: target, in: schema, userClass),
        queryable: try queryable(target))
    }
    return ServerRules(
      classes: classes, userClass: userClass, partition: rules.partition?.value)
  }

  private func error(_ line: Int, _ text: String) -> ConfigurationError {
    ConfigurationError(path: path, line: line, text)
  }

  private func checkNames(_ known: [ClassSchema]) throws(ConfigurationError) {
    let names = known.map(\.name)
    let used =
      rules.roles.map { ($0.className, $0.line) }
      + (rules.queryable ?? []).map { ($0.className, $0.line) }
    for (name, line) in used where name != RuleTexts.everyClass && !names.contains(name) {
      let nearest = NearestName.find(name, among: names)
      throw error(
        line,
        "there is no class '\(name)' with a key; "
          + (nearest.map { "did you mean '\($0)'?" } ?? "declare it under 'classes'"))
    }
  }

  private func userClass(in schema: Schema) throws(ConfigurationError) -> String? {
    guard let (name, line) = rules.userData else { return nil }
    guard let found = schema[name] else { throw error(line, "userData: no class '\(name)'") }
    let type = found.primaryKey.flatMap { found[$0] }?.type
    guard type == .string || type == .objectID else {
      throw error(
        line, "userData: the key of '\(name)' is the id of a user, a string or an objectId")
    }
    return name
  }

  private func queryable(_ target: ClassSchema) throws(ConfigurationError) -> Set<ExactText>? {
    guard let lists = rules.queryable else { return nil }
    var names: Set<ExactText> = []
    for list in lists {
      let isForAll = list.className == RuleTexts.everyClass
      guard isForAll || list.className.hasSameBytes(as: target.name) else { continue }
      for (name, line) in list.properties {
        if target[name] != nil {
          names.insert(ExactText(name))
        } else if !isForAll {
          throw error(line, missing(name, target))
        }
      }
    }
    if let partition = rules.partition?.value, target[partition] != nil {
      names.insert(ExactText(partition))
    }
    return names
  }

  private func missing(_ name: String, _ target: ClassSchema) -> String {
    let nearest = NearestName.find(name, among: target.properties.map(\.name))
    return "class '\(target.name)' has no property '\(name)'"
      + (nearest.map { "; did you mean '\($0)'?" } ?? "")
  }

  // MARK: Roles

  private func roles(
    _ texts: RuleTexts.ClassRoles?, on target: ClassSchema, in schema: Schema,
    _ userClass: String?
  ) throws(ConfigurationError) -> [Role] {
    var roles: [Role] = []
    for text in texts?.roles ?? [] {
      let what = "role '\(text.name)' of '\(target.name)'"
      if roles.contains(where: { $0.name == text.name }) {
        throw error(text.line, "\(what) is there twice")
      }
      if let last = roles.last, case .everybody = last.application {
        throw error(
          text.line,
          "\(what) never applies: '\(last.name)' before it is everybody's; put it first, or give "
            + "'\(last.name)' a 'when'")
      }
      roles.append(try role(text, what, on: target, in: schema, userClass))
    }
    return roles
  }

  private func role(
    _ text: RuleTexts.Role, _ what: String, on target: ClassSchema, in schema: Schema,
    _ userClass: String?
  ) throws(ConfigurationError) -> Role {
    func condition(
      _ text: (value: String, line: Int), on className: String
    ) throws(ConfigurationError) -> RuleCondition {
      do throws(RuleProblem) {
        return try RuleCondition(text.value, on: className, in: schema, userClass: userClass)
      } catch { throw self.error(text.line, "\(what): \(error.text)") }
    }
    func permission(
      _ text: RuleTexts.Permission
    ) throws(ConfigurationError) -> Role.Permission {
      if let text = text.condition { return .matching(try condition(text, on: target.name)) }
      return text.isAllowed == true ? .all : .none
    }
    var application = Role.Application.everybody
    if let when = text.when {
      guard let userClass else {
        throw error(
          when.line, "\(what): 'when' asks the user's data; name its class as userData")
      }
      application = .when(try condition(when, on: userClass))
    } else if let users = text.users {
      application = .users(Set(users.map { ExactText($0) }))
    }
    let (read, write) = (try permission(text.read), try permission(text.write))
    if read == .none, write != .none {
      throw error(
        text.write.line, "\(what) writes nothing, as only what is read can be written; add 'read'")
    }
    for (name, rule) in [("insert", text.insert), ("delete", text.delete)]
    where write == .none && !target.isAsymmetric
      && (rule.isAllowed == true || rule.condition != nil)
    {
      throw error(rule.line, "\(what): '\(name)' needs 'write', which is missing")
    }
    return Role(
      text.name, application: application, read: read, write: write,
      insert: try permission(text.insert), delete: try permission(text.delete),
      properties: try properties(text, what, of: target))
  }

  private func properties(
    _ text: RuleTexts.Role, _ what: String, of target: ClassSchema
  ) throws(ConfigurationError) -> PropertyRights {
    var named: [ExactText: PropertyRights.Right] = [:]
    for (name, right, line) in text.properties {
      guard target[name] != nil else {
        throw error(line, "\(what): \(missing(name, target))")
      }
      guard target.primaryKey?.hasSameBytes(as: name) != true else {
        throw error(
          line, "\(what): '\(name)' is the key, which is read with its object and never changes")
      }
      named[ExactText(name)] = right
    }
    return PropertyRights(named: named, others: text.otherProperties)
  }
}
#endif
