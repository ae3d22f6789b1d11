import AtollObjects
import AtollStorage

/// Compares what a snapshot or transaction shows with the model, in every way there is to read it.
///
/// Collects sentences, so that a test reports all that differs at once.
final class ModelComparison {
  private(set) var differences: [String] = []
  private let model: ObjectModel

  /// Compares everything: classes, objects, primary keys, backlinks, indexes.
  static func differences(_ source: any ObjectSource, _ model: ObjectModel) throws -> [String] {
    let comparison = ModelComparison(model)
    try comparison.compareTables(source)
    if let source = source as? any TreeSource { try comparison.compareIndexes(source) }
    return Array(comparison.differences.prefix(8))
  }

  /// Compares what a transaction says of each object by itself.
  static func differences(byValueIn transaction: Transaction, _ model: ObjectModel) throws
    -> [String]
  {
    let comparison = ModelComparison(model)
    try comparison.compareValues(transaction)
    return Array(comparison.differences.prefix(8))
  }

  private init(_ model: ObjectModel) { self.model = model }

  private func expect(_ holds: Bool, _ sentence: @autoclosure () -> String) {
    if !holds { differences.append(sentence()) }
  }

  // MARK: Tables

  private func compareTables(_ source: any ObjectSource) throws {
    let found = source.schema.classes.map(\.name)
    expect(found == model.classNames, "the classes are \(found), not \(model.classNames)")
    for name in model.classNames {
      let expected = model[name]
      expect(
        source.schema[name] == expected.schema,
        "\(name) is \(String(describing: source.schema[name])), not \(expected.schema)")
      let table = try source.table(name)
      let keys = expected.keys
      expect(table.count == keys.count, "\(name) counts \(table.count), not \(keys.count)")
      var visited: [UInt64] = []
      try table.forEach { object in
        visited.append(object.key.rawValue)
        try compare(object, expected)
      }
      expect(visited == keys, "\(name) has the keys \(visited), not \(keys)")
      for key in keys {
        let object = try table.object(ObjectKey(rawValue: key))
        expect(object?.key.rawValue == key, "\(name) \(key) is not found by its key")
        if let primaryKey = expected.schema.primaryKey,
          let value = expected.objects[key]?.values[primaryKey]
        {
          let byPrimaryKey = try table.object(primaryKey: value)?.key.rawValue
          expect(
            byPrimaryKey == key,
            "\(name) \(value.brief) leads to \(String(describing: byPrimaryKey))")
        }
      }
      try compareBacklinks(to: name, table, source)
      for absent in [0, 999_999, UInt64.max] where expected.objects[absent] == nil {
        let ghost = try table.object(ObjectKey(rawValue: absent))
        expect(ghost == nil, "\(name) shows an object \(absent)")
      }
      expect(
        try table.object(primaryKey: .string("nobody has this key")) == nil,
        "\(name) shows an object for a primary key that none has")
    }
  }

  private func compare(_ object: Object, _ expected: ObjectModel.Class) throws {
    let values = expected.objects[object.key.rawValue]?.values ?? [:]
    for property in expected.schema.properties {
      let found = try object[property.name]
      let wanted = values[property.name] ?? .null
      expect(
        isExactly(found, wanted),
        "\(expected.schema.name) \(object.key.rawValue).\(property.name) is \(found.brief), "
          + "not \(wanted.brief)"
      )
      if case .link(let link) = wanted, property.collection == .none {
        let target = try object.linked(object.table.column(property.name))
        expect(target?.link == link, "\(property.name) does not lead to \(link)")
      }
    }
  }

  private func compareBacklinks(
    to name: String, _ table: Table, _ source: any ObjectSource
  ) throws {
    for origin in model.classNames {
      for property in model[origin].schema.properties where property.linkTarget == name {
        let column = try source.table(origin).column(property.name)
        let sources = model.backlinks(from: origin, property.name)
        try table.forEach { object in
          let found = try object.backlinks(column)
          let wanted = sources[object.link] ?? []
          expect(
            found == wanted,
            "\(name) \(object.key.rawValue) has the backlinks \(found) "
              + "from \(origin).\(property.name), not \(wanted)"
          )
        }
      }
    }
  }

  // MARK: Indexes

  private func compareIndexes(_ source: any TreeSource) throws {
    for name in model.classNames {
      let expected = model[name]
      for property in expected.schema.properties where property.isIndexed {
        let column = try source.table(name).column(property.name)
        guard let index = try source.index(column) else {
          expect(
            expected.isKeyedByPrimaryKey && property.name == expected.schema.primaryKey,
            "\(name).\(property.name) has no index")
          continue
        }
        var keys: [[UInt8]: [UInt64]] = [:]
        for key in expected.keys {
          let value = expected.objects[key]?.values[property.name] ?? .null
          keys[Index.bytes(of: value) ?? [], default: []].append(key)
        }
        for (bytes, wanted) in keys {
          let found = try index.keys(.equal(to: bytes))
          expect(
            found == wanted, "the index of \(name).\(property.name) gives \(found), not \(wanted)")
        }
      }
    }
  }

  // MARK: Values in a transaction

  private func compareValues(_ transaction: Transaction) throws {
    for name in model.classNames {
      let expected = model[name]
      for (key, object) in expected.objects {
        let key = ObjectKey(rawValue: key)
        expect(try transaction.contains(name, key), "\(name) \(key) is missing")
        for property in expected.schema.properties {
          let found = try transaction.value(name, key, property.name)
          let wanted = object.values[property.name] ?? .null
          expect(
            isExactly(found, wanted),
            "\(name) \(key.rawValue).\(property.name) is \(found.brief), "
              + "not \(wanted.brief) in the transaction"
          )
        }
        if let primaryKey = expected.schema.primaryKey,
          let value = object.values[primaryKey]
        {
          let found = try transaction.key(name, primaryKey: value)
          expect(found == key, "\(name) \(value.brief) leads to \(String(describing: found))")
        }
      }
    }
  }
}
