import AtollObjects
import Testing

// Each operation is done by the transaction and by the model.

extension ModelRun {
  mutating func operate(_ transaction: Transaction) throws {
    switch random.int(0..<46) {
    case 42..<46: try changeElements(transaction)
    case 40..<42: try deleteSeveral(transaction)
    case 0..<11: try create(transaction)
    case 11..<15: try upsert(transaction)
    case 15..<23: try set(transaction)
    case 23..<27: try delete(transaction)
    case 27..<31: try createEmbedded(transaction)
    case 31..<36: try link(transaction)
    case 36..<38: try refuse(transaction)
    default: try changeSchema(transaction)
    }
  }

  mutating func create(_ transaction: Transaction) throws {
    let name = random.pick(model.classNames.filter { !model[$0].schema.isEmbedded })
    var values = self.values(of: name)
    if let primaryKey = model[name].schema.primaryKey {
      let value = self.primaryKey(of: name)
      values[primaryKey] = value
      if model.key(name, primaryKey: value) != nil {
        try refuse(
          transaction, .duplicatePrimaryKey(className: name, value: "\(value)")
        ) { try $0.create(name, values) }
        return
      }
    }
    let key = try transaction.create(name, values)
    let expected = model.create(name, values)
    try #require(key.rawValue == expected, "seed \(seed)")
  }

  /// Makes or deletes some hundred objects.
  mutating func doMany(_ transaction: Transaction) throws {
    switch random.int(0..<4) {
    case 0:
      for _ in 0..<120 { try create(transaction) }
    case 1:
      let name = random.pick(["Plain", "Numbered", "Part"])
      let keys = model[name].keys
      guard keys.count > 20 else { return }
      let start = random.int(0..<keys.count / 2)
      for key in keys[start..<(start + keys.count / 3)] where model[name].objects[key] != nil {
        try transaction.delete(name, ObjectKey(rawValue: key))
        model.delete(model.link(name, key))
      }
    default: return
    }
  }

  mutating func upsert(_ transaction: Transaction) throws {
    let name = random.pick(["Numbered", "Named"])
    let primaryKey = self.primaryKey(of: name)
    var values = self.values(of: name)
    let property = try #require(model[name].schema.primaryKey)
    values[property] = nil
    let (key, isNew) = try transaction.upsert(name, primaryKey: primaryKey, values)
    if let known = model.key(name, primaryKey: primaryKey) {
      #expect(!isNew && key.rawValue == known, "seed \(seed)")
      for property in model[name].schema.properties {
        if let value = values[property.name] { model.set(name, known, property.name, value) }
      }
    } else {
      values[property] = primaryKey
      #expect(isNew, "seed \(seed)")
      try #require(model.create(name, values) == key.rawValue, "seed \(seed)")
    }
  }

  mutating func set(_ transaction: Transaction) throws {
    guard let (name, key) = pickObject() else { return }
    let properties = model[name].schema.properties
      .filter { $0.name != model[name].schema.primaryKey }
    guard !properties.isEmpty else { return }
    let property = random.pick(properties)
    let value: Value
    if model.ownsTargets(property) {
      value = fewer(model.value(name, key, property.name) ?? .null)
    } else {
      value = self.value(of: property)
    }
    try transaction.set(name, ObjectKey(rawValue: key), property.name, value)
    model.set(name, key, property.name, value)
  }

  /// Changes a list element by element, some hundred times where nothing goes with the elements.
  private mutating func changeElements(_ transaction: Transaction) throws {
    guard let (name, key) = pickObject() else { return }
    let lists = model[name].schema.properties.filter { $0.collection == .list }
    guard !lists.isEmpty else { return }
    let property = random.pick(lists)
    let isOfLinks = property.type == .link
    let object = ObjectKey(rawValue: key)
    for _ in 0..<random.pick(isOfLinks ? [1, 3] : [1, 5, 40, flavour == .largeValues ? 200 : 2]) {
      guard case .list(let elements)? = model.value(name, key, property.name) else { return }
      var drawn: [Value] = []
      if case .list(let values) = value(of: property) { drawn = Array(values.prefix(1)) }
      let index = random.int(0..<elements.count + 1)
      if let element = drawn.first, random.chance(2) || index == elements.count {
        if index < elements.count, random.chance(3) {
          try transaction.set(name, object, property.name, at: index, element)
          model.replace(name, key, property.name, index..<index + 1, with: [element])
        } else if index == elements.count {
          try transaction.append(name, object, property.name, element)
          model.replace(name, key, property.name, index..<index, with: [element])
        } else {
          try transaction.insert(name, object, property.name, at: index, element)
          model.replace(name, key, property.name, index..<index, with: [element])
        }
      } else if index < elements.count {
        try transaction.remove(name, object, property.name, at: index)
        model.replace(name, key, property.name, index..<index + 1, with: [])
      }
    }
  }

  mutating func delete(_ transaction: Transaction) throws {
    guard let (name, key) = pickObject() else { return }
    try transaction.delete(name, ObjectKey(rawValue: key))
    model.delete(model.link(name, key))
  }

  /// Deletes objects and looks at them and others in between, makes some again, sets others.
  private mutating func deleteSeveral(_ transaction: Transaction) throws {
    for _ in 0..<random.pick([2, 5, 12]) {
      guard let (name, raw) = pickObject() else { return }
      let key = ObjectKey(rawValue: raw)
      let old = try #require(model[name].objects[raw]).values
      let primaryKey = model[name].schema.primaryKey
      let writer = try transaction.objectWriter(name)
      if random.chance(3) { #expect(try writer.select(key), "seed \(seed)") }
      try transaction.delete(name, key)
      model.delete(model.link(name, raw))
      switch random.int(0..<10) {
      case 0:
        #expect(try !transaction.contains(name, key), "seed \(seed)")
        #expect(try !writer.select(key), "seed \(seed)")
        #expect(throws: ObjectError.noSuchObject(className: name)) {
          try transaction.delete(name, key)
        }
        let property = random.pick(model[name].schema.properties).name
        #expect(throws: ObjectError.noSuchObject(className: name)) {
          _ = try transaction.value(name, key, property)
        }
        if let value = primaryKey.flatMap({ old[$0] }) {
          #expect(try transaction.key(name, primaryKey: value) == nil, "seed \(seed)")
        }
      case 1:
        #expect(try transaction.table(name).count == model[name].objects.count, "seed \(seed)")
      case 2 where primaryKey != nil:
        var values = self.values(of: name)
        values[primaryKey ?? ""] = old[primaryKey ?? ""]
        let made = try transaction.create(name, values)
        try #require(made.rawValue == model.create(name, values), "seed \(seed)")
      case 3: try set(transaction)
      case 4: try link(transaction)
      case 5: try createEmbedded(transaction)
      case 6:
        #expect(ExpectedChanges.all(transaction.changes) == model.changes, "seed \(seed)")
      default: break
      }
    }
  }

  mutating func createEmbedded(_ transaction: Transaction) throws {
    guard let (name, key) = pickObject() else { return }
    let owning = model[name].schema.properties.filter { model.ownsTargets($0) }
    guard !owning.isEmpty else { return }
    let property = random.pick(owning)
    let target = try #require(property.linkTarget)
    let mapKey = property.collection == .map ? random.key(random.int(0..<3)) : nil
    let values = self.values(of: target)
    let child = try transaction.createEmbedded(
      in: name, ObjectKey(rawValue: key), property.name, mapKey: mapKey, values)
    let expected = model.create(target, values)
    try #require(child.rawValue == expected, "seed \(seed)")
    let link = Value.link(model.link(target, expected))
    switch model.value(name, key, property.name) {
    case .list(let elements): model.set(name, key, property.name, .list(elements + [link]))
    case .set(let elements): model.set(name, key, property.name, .ordered(elements + [link]))
    case .map(var map):
      map[mapKey ?? ""] = link
      model.set(name, key, property.name, .map(map))
    default: model.set(name, key, property.name, link)
    }
  }

  mutating func link(_ transaction: Transaction) throws {
    guard let (name, key) = pickObject() else { return }
    let properties = model[name].schema.properties.filter { property in
      property.collection != .map
        && property.linkTarget.map { ["Numbered", "Named"].contains($0) } ?? false
    }
    guard !properties.isEmpty else { return }
    let property = random.pick(properties)
    let target = try #require(property.linkTarget)
    let count = property.collection == .none ? random.int(0..<2) : random.int(0..<6)
    let targets = (0..<count).map { _ in primaryKey(of: target) }
    let waiting = try transaction.link(
      name, ObjectKey(rawValue: key), property.name, toPrimaryKeys: targets)
    #expect(waiting == targets.count { model.key(target, primaryKey: $0) == nil }, "seed \(seed)")
    model.link(name, key, property, toPrimaryKeys: targets)
  }

  mutating func changeSchema(_ transaction: Transaction) throws {
    let name = random.pick(model.classNames)
    let primaryKey = model[name].schema.primaryKey
    let properties = model[name].schema.properties
      .filter { $0.type != .link && $0.name != primaryKey }
    switch random.int(0..<12) {
    case 7, 8: try removeProperty(transaction, of: name)
    case 9: try removeClass(transaction)
    case 10: try changePrimaryKey(transaction, of: name)
    case 11: try changeEmbedding(transaction, of: name)
    case 0, 1:
      guard model[name].schema.properties.count < 14 else { return }
      propertyCount += 1
      let property =
        random.chance(3)
        ? random.linkProperty("n\(propertyCount)", model.classNames)
        : random.scalarProperty("n\(propertyCount)")
      try transaction.addProperty(property, to: name)
      model.add(property, to: name)
    case 2, 3:
      let candidates = properties.filter { $0.collection == .none && $0.type != .mixed }
      guard !candidates.isEmpty else { return }
      let property = random.pick(candidates).name
      for key in model[name].keys {
        guard case .string(let text)? = model.value(name, key, property),
          Self.isTooLong(.string(text))
        else { continue }
        return try refuse(
          transaction,
          .valueTooLarge(
            className: name, property: property,
            byteCount: Index.excessByteCount(of: .string(text)) ?? 0, limit: 65_533)
        ) { try $0.addIndex(on: property, of: name) }
      }
      try transaction.addIndex(on: property, of: name)
      model.change(property, of: name) { $0.isIndexed = true }
    case 4:
      let strings = properties.filter { $0.collection == .none && $0.type == .string }
      guard !strings.isEmpty else { return }
      let property = random.pick(strings)
      if property.isFullTextIndexed {
        try transaction.removeFullTextIndex(on: property.name, of: name)
      } else {
        try transaction.addFullTextIndex(on: property.name, of: name)
      }
      model.change(property.name, of: name) { $0.isFullTextIndexed.toggle() }
    case 5:
      guard !properties.isEmpty else { return }
      let property = random.pick(properties)
      if property.isOptional, property.type != .mixed {
        try transaction.makeRequired(property.name, of: name)
        model.require(property, of: name)
      } else {
        try transaction.makeOptional(property.name, of: name)
        model.change(property.name, of: name) { $0.isOptional = true }
      }
    default:
      guard model.classNames.count < 7 else { return }
      propertyCount += 1
      let added = ClassSchema(
        "Added\(propertyCount)",
        properties: [random.scalarProperty("p0"), random.linkProperty("l0", model.classNames)])
      try transaction.addClass(added)
      model.add(added, id: try #require(transaction.schema.table(added.name)).id)
    }
  }
}
