internal import AtollObjects

// What a class declares of several properties, or of links. Its functions may use key paths of the
// class, which can be read only when the descriptor is there.

extension ClassDescriptor {
  /// The stored properties as the file is to know them, with the rules of deletion.
  var propertySchemas: [PropertySchema] {
    var rules: [String: DeletionRule] = [:]
    for rule in type.deleteRules() {
      if let name = property(rule.propertyName)?.columnName { rules[name] = rule.kind.stored }
    }
    return properties.filter { !$0.isComputed }.map { property in
      var schema = property.schema
      schema.deletionRule = rules[schema.name] ?? .nullify
      return schema
    }
  }

  /// The indexes of several properties, and the unique ones, as the file is to know them.
  var indexSchemas: [IndexSchema] {
    type.indexes().map { index in
      IndexSchema(
        index.propertyNames.map { property($0)?.columnName ?? $0 }, isUnique: index.isUnique)
    }
  }

  /// What is wrong with the rules of deletion, in sentences.
  var problemsOfRules: [String] {
    var problems: [String] = []
    var named: Set<String> = []
    for rule in type.deleteRules() {
      let propertyName = rule.propertyName
      guard let property = property(propertyName), !property.isComputed, property.target != nil
      else {
        problems.append(
          "class '\(name)' has a rule of deletion for '\(propertyName)', which is no property of it "
            + "that holds objects")
        continue
      }
      if !named.insert(property.columnName).inserted {
        problems.append("class '\(name)' has two rules of deletion for '\(propertyName)'")
      }
    }
    return problems
  }
}
