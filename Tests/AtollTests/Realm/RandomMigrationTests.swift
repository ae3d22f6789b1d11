import AtollObjects
import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// Random migrations of random files against a plain model.
@Suite(.computing) struct RandomMigrationTests {
  /// Promise: migrations.model, migrations.nothing.
  @Test(arguments: 0..<400 as Range<UInt64>)
  func aMigrationMakesWhatTheModelDoes(seed: UInt64) throws {
    try RandomMigration(seed: seed).run()
  }
}

private struct Given: Error, Equatable {}

/// One file, the classes of the next version, and a block.
private final class RandomMigration {
  private var maker: MigrationMaker
  private let seed: UInt64
  private let folder = TemporaryFolder()
  private var before = MigrationState()
  /// What is to be there in the end.
  private var state = MigrationState()
  /// The classes of the new version.
  private var wanted: [ClassSchema] = []
  /// The new names of properties, by the class and the old name.
  private var renamed: [String: [String: String]] = [:]
  private var dropped: Set<String> = []
  private var steps: [(Migration) -> Void] = []
  private var isToFail = false
  private var log: [String] = []

  init(seed: UInt64) {
    self.seed = seed
    maker = MigrationMaker(seed: seed)
  }

  private var path: String { folder.path(of: "a.realm") }

  func run() throws {
    try makeFile()
    plan()
    planBlock()
    finishModel()
    let result = migrate()
    let database = try Database.open(path, options: .init(mode: .readOnly))
    defer { try? database.close() }
    let snapshot = try database.snapshot()
    let found = try MigrationState(snapshot)
    #expect(try database.check().findings.isEmpty, "\(about)")
    switch result {
    case .success:
      #expect(!isToFail, "\(about)")
      compare(found.classes)
      for (name, objects) in state.objects {
        for (tag, values) in objects {
          let given = found.objects[name]?[tag]
          for (property, value) in values where given?[property] != value {
            Issue.record(
              "\(name) \(tag).\(property) is \(given?[property] as Any), not \(value); \(about)")
          }
        }
        #expect(found.objects[name]?.count == objects.count, "\(name): \(about)")
      }
    case .failure(let error):
      #expect(isToFail, "\(error) \(about)")
      #expect(found == before, "\(about)")
    }
  }

  private func compare(_ found: [String: ClassSchema]) {
    if found.keys.sorted() != state.classes.keys.sorted() {
      Issue.record("the classes are \(found.keys.sorted()); \(about)")
    }
    for (name, schema) in found {
      guard let wanted = state.classes[name], schema != wanted else { continue }
      let differences = Set(schema.properties).symmetricDifference(wanted.properties)
      Issue.record(
        "\(name): \(schema.primaryKey ?? "-") \(wanted.primaryKey ?? "-") \(differences); \(about)")
    }
  }

  private var about: String {
    "seed \(seed)\n\(before.classes.values)\n\(wanted)\n\(log.joined(separator: "\n"))"
  }

  // MARK: The file

  private func makeFile() throws {
    let database = try Database.open(path, options: .init(mode: .create))
    let classes = maker.classes()
    try database.write { transaction in
      try transaction.addClasses(classes)
      var keys: [Int: ObjectLink] = [:]
      var tags: [String: [Int]] = [:]
      for schema in classes {
        for _ in 0..<Int.random(in: 0...8, using: &maker.random) {
          let tag = maker.tag()
          var values: [String: Value] = ["tag": .int(Int64(tag))]
          if let key = schema.primaryKey, let type = schema[key]?.type {
            values[key] = maker.keyValue(type, tag)
          }
          let key = try transaction.create(schema.name, values)
          let table = try #require(transaction.schema.table(schema.name))
          keys[tag] = ObjectLink(table: table.id, key: key.rawValue)
          tags[schema.name, default: []].append(tag)
        }
      }
      for schema in classes {
        for tag in tags[schema.name] ?? [] {
          guard let link = keys[tag] else { continue }
          for property in schema.properties
          where property.name != "tag" && property.name != schema.primaryKey {
            let value = maker.value(property, property.linkTarget.flatMap { tags[$0] } ?? [])
            try transaction.set(
              schema.name, ObjectKey(rawValue: link.key), property.name, linked(value, keys))
          }
        }
      }
    }
    before = try MigrationState(database.snapshot())
    state = before
    try database.close()
  }

  private func linked(_ value: Value, _ keys: [Int: ObjectLink]) -> Value {
    switch value {
    case .list(let elements): .list(elements.map { linked($0, keys) })
    case .set(let elements): .set(elements.map { linked($0, keys) })
    case .map(let map):
      .map(ValueMap(map.entries.map { (key: $0.key, value: linked($0.value, keys)) }))
    default: MigrationState.tag(value).flatMap { keys[$0] }.map { .link($0) } ?? value
    }
  }

  // MARK: The new classes

  private func plan() {
    var names = before.classes.keys.sorted()
    for name in names where maker.chance(6) && names.count > 1 { names.removeAll { $0 == name } }
    if maker.chance(2) { names.append("D") }
    for name in names {
      guard let old = before.classes[name] else {
        wanted.append(
          ClassSchema(
            name,
            properties: [
              PropertySchema("tag", .int), maker.property("p0", names), maker.key("id"),
            ],
            primaryKey: "id"))
        continue
      }
      var properties: [PropertySchema] = []
      var key = old.primaryKey
      for property in old.properties {
        guard property.name != "tag" else {
          properties.append(property)
          continue
        }
        let isKey = property.name == key
        let isFit = property.linkTarget.map { names.contains($0) } ?? true
        switch Int.random(in: 0..<8, using: &maker.random) {
        case 0:
          if isKey { key = nil }
        case 1 where !isKey: properties.append(maker.property(property.name, names))
        case 1: properties.append(maker.key(property.name))
        case 2 where isFit:
          var other = property
          other.name = "r_\(property.name)"
          if other.type != .link, other.type != .mixed, maker.chance(2) {
            other.isOptional.toggle()
          }
          properties.append(other)
          if isKey { key = other.name }
          if !maker.chance(4) { renamed[name, default: [:]][property.name] = other.name }
        case 3 where isFit && property.type != .link && property.type != .mixed:
          var other = property
          other.isOptional.toggle()
          properties.append(other)
        case _ where isFit: properties.append(property)
        default: break
        }
      }
      if maker.chance(3) { properties.append(maker.property("n0", names)) }
      if key == nil, maker.chance(3) {
        properties.append(maker.key("k"))
        key = "k"
      }
      wanted.append(ClassSchema(name, properties: properties, primaryKey: key))
    }
    prepareModel()
  }

  /// What the model has when the block begins.
  private func prepareModel() {
    for schema in wanted {
      guard let old = before.classes[schema.name] else {
        state.classes[schema.name] = schema
        state.objects[schema.name] = [:]
        continue
      }
      var known = old
      for property in schema.properties {
        let same = old[property.name]
        let isSame = same.map { property.isOfType(of: $0) } ?? false
        for (tag, values) in before.objects[schema.name] ?? [:] {
          if !isSame {
            state.objects[schema.name]?[tag]?[property.name] = MigrationState.empty(property)
          } else if same?.isOptional == true, !property.isOptional, property.type != .link,
            let value = values[property.name]
          {
            state.objects[schema.name]?[tag]?[property.name] = MigrationState.required(
              value, property.type)
          }
        }
        known.properties.removeAll { $0.name == property.name }
        known.properties.append(property)
      }
      state.classes[schema.name] = known
    }
  }

  // MARK: The block

  private func planBlock() {
    for (name, names) in renamed.sorted(by: { $0.key < $1.key }) {
      for (old, new) in names.sorted(by: { $0.key < $1.key }) { rename(name, old, new) }
    }
    for schema in wanted where schema.primaryKey != nil { setKeys(schema) }
    for _ in 0..<Int.random(in: 0...5, using: &maker.random) {
      guard let schema = maker.one(wanted) else { break }
      switch Int.random(in: 0..<6, using: &maker.random) {
      case 0: delete(schema)
      case 1: create(schema)
      case 2: deleteData(maker.one(before.classes.keys.sorted()) ?? "A")
      default: setAll(schema)
      }
    }
    if maker.chance(5) {
      let place = Int.random(in: 0...steps.count, using: &maker.random)
      steps.insert({ $0.fail(Given()) }, at: place)
      log.append("fail at \(place)")
      isToFail = true
    }
  }

  private func rename(_ name: String, _ old: String, _ new: String) {
    log.append("rename \(name).\(old) to \(new)")
    steps.append { $0.renameProperty(onType: name, from: old, to: new) }
    guard var column = before.classes[name]?[old],
      let target = wanted.first(where: { $0.name == name })?[new]
    else { return }
    for (tag, values) in state.objects[name] ?? [:] {
      let value = values[old] ?? .null
      state.objects[name]?[tag]?[new] =
        column.isOptional && !target.isOptional && target.type != .link && target.type != .mixed
        ? MigrationState.required(value, target.type) : value
      state.objects[name]?[tag]?[old] = nil
    }
    column.name = new
    column.isOptional = target.isOptional
    state.classes[name]?.properties.removeAll { $0.name == new || $0.name == old }
    state.classes[name]?.properties.append(column)
  }

  /// Gives all objects distinct primary keys, or leaves them as they are.
  private func setKeys(_ schema: ClassSchema) {
    guard let key = schema.primaryKey, let property = schema[key] else { return }
    let isAsBefore =
      before.classes[schema.name]?.primaryKey == key
      && before.classes[schema.name]?[key].map { property.isOfType(of: $0) } ?? false
    if maker.chance(isAsBefore ? 2 : 6) { return }
    let shift = Int.random(in: 0...1, using: &maker.random) * 500
    log.append("keys of \(schema.name).\(key), shifted by \(shift)")
    for tag in (state.objects[schema.name] ?? [:]).keys {
      state.objects[schema.name]?[tag]?[key] = maker.keyValue(property.type, tag + shift)
    }
    let maker = maker
    steps.append { migration in
      migration.enumerateObjects(ofType: schema.name) { _, new in
        guard let new, let tag = new["tag"] as? Int else { return }
        new[key] = swiftValue(maker.keyValue(property.type, tag + shift), in: new)
      }
    }
  }

  private func setAll(_ schema: ClassSchema) {
    let properties = schema.properties.filter {
      $0.name != "tag" && $0.name != schema.primaryKey
    }
    guard let property = maker.one(properties), before.classes[schema.name] != nil else { return }
    let isNullable = property.isOptional
    var values: [Int: Value] = [:]
    for tag in (state.objects[schema.name] ?? [:]).keys.sorted() {
      let targets = property.linkTarget.flatMap { state.objects[$0] }?.keys.sorted() ?? []
      values[tag] = maker.value(property, targets, isNullable: isNullable)
    }
    // Those that the migration has made are not enumerated.
    let old = Set((before.objects[schema.name] ?? [:]).keys)
    log.append("set \(schema.name).\(property.name)")
    for (tag, value) in values where old.contains(tag) {
      state.objects[schema.name]?[tag]?[property.name] = value
    }
    let usesOld = maker.chance(2)
    steps.append { migration in
      migration.enumerateObjects(ofType: schema.name) { old, new in
        guard let new, let tag = new["tag"] as? Int, let value = values[tag] else { return }
        new[property.name] = swiftValue(
          value, property.linkTarget, in: usesOld ? old ?? new : new, or: new)
      }
    }
  }

  private func delete(_ schema: ClassSchema) {
    let rest = Int.random(in: 0..<3, using: &maker.random)
    log.append("delete \(schema.name) with tag % 3 = \(rest)")
    let old = Set((before.objects[schema.name] ?? [:]).keys)
    let tags = (state.objects[schema.name] ?? [:]).keys.filter { $0 % 3 == rest }
    for tag in tags where old.contains(tag) { state.delete(tag, of: schema.name) }
    guard before.classes[schema.name] != nil else { return }
    steps.append { migration in
      migration.enumerateObjects(ofType: schema.name) { _, new in
        guard let new, let tag = new["tag"] as? Int, tag % 3 == rest else { return }
        migration.delete(new)
      }
    }
  }

  private func create(_ schema: ClassSchema) {
    let tag = maker.tag()
    log.append("create \(schema.name) \(tag)")
    var values: [String: Value] = [:]
    for property in state.classes[schema.name]?.properties ?? [] {
      values[property.name] = MigrationState.empty(property)
    }
    var given: [String: Value] = ["tag": .int(Int64(tag))]
    if let key = schema.primaryKey, let type = schema[key]?.type {
      given[key] = maker.keyValue(type, tag + 1_000)
    }
    values.merge(given) { $1 }
    state.objects[schema.name, default: [:]][tag] = values
    steps.append { migration in
      let object = migration.create(
        schema.name, value: given.compactMapValues { swiftValue($0, in: nil) })
      if object["tag"] as? Int != tag { Issue.record("an object was not made") }
    }
  }

  private func deleteData(_ name: String) {
    log.append("delete the data of \(name)")
    steps.append { $0.deleteData(forType: name) }
    for tag in (state.objects[name] ?? [:]).keys { state.delete(tag, of: name) }
    if !wanted.contains(where: { $0.name == name }) { dropped.insert(name) }
  }

  // MARK: After the block

  private func finishModel() {
    for schema in wanted {
      for (tag, values) in state.objects[schema.name] ?? [:] {
        var kept: [String: Value] = [:]
        for property in schema.properties {
          let value = values[property.name] ?? MigrationState.empty(property)
          let isNullable =
            property.isOptional || property.type == .link || property.type == .mixed
          kept[property.name] =
            isNullable ? value : MigrationState.required(value, property.type)
        }
        state.objects[schema.name]?[tag] = kept
      }
      state.classes[schema.name] = schema.comparable
      guard let key = schema.primaryKey else { continue }
      var seen: Set<Value> = []
      for values in (state.objects[schema.name] ?? [:]).values
      where !seen.insert(values[key] ?? .null).inserted { isToFail = true }
    }
    // A class that something still links to cannot go, nor those that it links to.
    var kept = state.classes.values.filter { !dropped.contains($0.name) }
    while let next = kept.popLast() {
      for target in next.properties.compactMap(\.linkTarget) where dropped.remove(target) != nil {
        kept += [state.classes[target]].compactMap { $0 }
      }
    }
    for name in dropped {
      state.classes[name] = nil
      state.objects[name] = nil
    }
  }

  // MARK: The migration

  private func migrate() -> Result<Void, any Error> {
    Result {
      let configuration = Realm.Configuration(
        fileURL: URL(filePath: path), schemaVersion: 2, objectTypes: [])
      let model = try Database.inMemory()
      try model.write { try $0.addClasses(wanted) }
      let schema = try model.snapshot().schema
      let descriptors = wanted.compactMap { schema.table($0.name) }.map {
        ClassDescriptor($0, in: schema)
      }
      let file = try SharedFile.open(configuration)
      let context = _RealmContext(
        file: file, configuration: configuration, confinement: .current,
        version: ReadVersion(try file.database.snapshot()))
      nonisolated(unsafe) let steps = steps
      try context.migrate({ migration, _ in for step in steps { step(migration) } }, descriptors)
    }
  }
}

/// A value as a program has it; `object`: one in whose realm the targets of links are looked for.
private func swiftValue(
  _ value: Value, _ target: String? = nil, in object: MigrationObject?,
  or other: MigrationObject? = nil
) -> Any? {
  switch value {
  case .list(let elements), .set(let elements):
    elements.map { swiftValue($0, target, in: object, or: other) ?? NSNull() }
  case .map(let map):
    Dictionary(
      uniqueKeysWithValues: map.entries.map {
        ($0.key, swiftValue($0.value, target, in: object, or: other) ?? NSNull())
      })
  default:
    if let target, let tag = MigrationState.tag(value) {
      found(target, tag, object) ?? found(target, tag, other)
    } else {
      AnyRealmValue.plain(value).content
    }
  }
}

private func found(_ className: String, _ tag: Int, _ object: MigrationObject?) -> MigrationObject?
{
  guard let realm = object?.realm, realm.context.schema[className] != nil else { return nil }
  return realm.dynamicObjects(className).filter("tag = $0", tag).first
}
