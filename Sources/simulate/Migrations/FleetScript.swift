internal import Atoll
internal import TestSupport

/// One migration: from which classes to which, what the block does, and what must come of it.
struct FleetScript {
  let oldVersion: Int
  let newVersion: Int
  /// What the file holds before.
  let before: FleetState
  /// What it holds after; as before where the migration fails.
  private(set) var after: FleetState
  private(set) var steps: [Step] = []
  /// Why it may fail; empty: it does not.
  private(set) var failures: Set<Failure> = []
  private var random: SplitMix64
  private var nextTag: Int
  /// Objects that deny a deletion, as long as they are there.
  private var denying: Set<Int> = []
  /// Of embedded classes the names before, by those now.
  private var embeddedRenames: [String: [String: String]] = [:]

  enum Step {
    case rename(String, from: String, to: String)
    /// Sets a property of each object that was there before, by its tag.
    case set(String, String, [Int: FleetValue], withOld: Bool)
    case delete(String, Set<Int>)
    case create(String, [String: FleetValue])
    case deleteData(String)
    case fail
  }

  struct Refusal: Error {}

  enum Failure { case refusal, key, notUnique, denied }

  var fails: Bool { !failures.isEmpty }

  private var old: [String: ObjectSchema] { Fleet.schemas[oldVersion] }
  private var new: [String: ObjectSchema] { Fleet.schemas[newVersion] }
  /// The classes of the new version whose objects are not embedded.
  private var newNames: [String] { new.filter { !$0.value.isEmbedded }.keys.sorted() }

  init(from oldVersion: Int, to newVersion: Int, _ before: FleetState, seed: UInt64, tag: Int) {
    self.oldVersion = oldVersion
    self.newVersion = newVersion
    self.before = before
    after = before
    random = SplitMix64(seed: seed)
    nextTag = tag
    planEmbeddedRenames()
    prepare()
    planRenames()
    for name in newNames { planKeys(name) }
    for _ in 0..<Int.random(in: 0...4, using: &random) { planStep() }
    planDistinct()
    if Int.random(in: 0..<5, using: &random) == 0 {
      steps.insert(.fail, at: Int.random(in: 0...steps.count, using: &random))
      failures.insert(.refusal)
    }
    finish()
  }

  /// The first tag that no object has.
  var endTag: Int { nextTag }

  // MARK: The model

  private func isSame(_ a: Property, _ b: Property) -> Bool {
    a.type == b.type && a.isArray == b.isArray && a.isSet == b.isSet && a.isMap == b.isMap
      && a.objectClassName == b.objectClassName
  }

  /// What a new object has in a property.
  private func unset(_ property: Property, _ className: String) -> FleetValue {
    if property.isArray { return .list([]) }
    if property.isSet { return .set([]) }
    if property.isMap { return .map([:]) }
    let object = Fleet.object(className, in: newVersion)
    return (try? FleetValue(object?[property.name])) ?? .null
  }

  private mutating func planEmbeddedRenames() {
    for (name, schema) in new.sorted(by: { $0.key < $1.key }) where schema.isEmbedded {
      guard let known = old[name] else { continue }
      for (from, to) in renames(name, known, schema) {
        steps.append(.rename(name, from: from, to: to))
        embeddedRenames[name, default: [:]][to] = from
      }
    }
  }

  private mutating func prepare() {
    for name in newNames {
      after.objects[name] = (before.objects[name] ?? [:]).mapValues { converted($0, name) }
    }
  }

  /// What becomes of the properties of an object that the new version has, too.
  private func converted(_ values: [String: FleetValue], _ className: String)
    -> [String: FleetValue]
  {
    guard let schema = new[className], let known = old[className] else { return values }
    var result = values
    for property in schema.properties {
      let source = embeddedRenames[className]?[property.name] ?? property.name
      guard let same = known[source], isSame(same, property) else {
        result[property.name] = unset(property, className)
        continue
      }
      var value = values[source] ?? .null
      if let target = property.objectClassName {
        value = value.replacingEmbedded { embedded in
          converted(embedded, target).filter { new[target]?[$0.key] != nil }
        }
      }
      result[property.name] =
        property.mayBeNull ? value : value.filled(with: .zero(property.type))
    }
    return result
  }

  /// Some of the properties of a class that may be renamed.
  private mutating func renames(
    _ className: String, _ known: ObjectSchema, _ schema: ObjectSchema
  ) -> [(from: String, to: String)] {
    var chosen: [(from: String, to: String)] = []
    for pair in Fleet.renames(className) {
      for (from, to) in [(pair[0], pair[1]), (pair[1], pair[0])] {
        guard let source = known[from], schema[from] == nil, let target = schema[to],
          known[to] == nil, isSame(source, target), Int.random(in: 0..<3, using: &random) > 0
        else { continue }
        chosen.append((from, to))
      }
    }
    return chosen
  }

  private mutating func planRenames() {
    for name in newNames {
      guard let known = old[name], let schema = new[name] else { continue }
      for (from, to) in renames(name, known, schema) {
        guard let target = schema[to] else { continue }
        steps.append(.rename(name, from: from, to: to))
        for (tag, values) in before.objects[name] ?? [:] {
          let value = values[from] ?? .null
          after.objects[name]?[tag]?[to] =
            target.mayBeNull ? value : value.filled(with: .zero(target.type))
        }
      }
    }
  }

  /// Gives each object a primary key of its own, mostly.
  private mutating func planKeys(_ name: String) {
    guard let schema = new[name], let key = schema.primaryKeyProperty, old[name] != nil else {
      return
    }
    let isAsBefore =
      old[name]?.primaryKeyProperty?.name == key.name
      && old[name]?[key.name].map { isSame($0, key) } ?? false
    guard Int.random(in: 0..<6, using: &random) > (isAsBefore ? 3 : 0) else { return }
    let shift = Int.random(in: 0...1, using: &random) * 100_000
    var values: [Int: FleetValue] = [:]
    for tag in (after.objects[name] ?? [:]).keys { values[tag] = Self.key(key, tag + shift) }
    plan(name, key.name, values)
  }

  private static func key(_ property: Property, _ tag: Int) -> FleetValue {
    property.type == .int ? .int(5_000 - 3 * tag) : .string("key \(tag)")
  }

  private mutating func plan(_ name: String, _ property: String, _ values: [Int: FleetValue]) {
    steps.append(.set(name, property, values, withOld: Bool.random(using: &random)))
    for (tag, value) in values where before.objects[name]?[tag] != nil {
      if after.objects[name]?[tag] != nil { after.objects[name]?[tag]?[property] = value }
    }
  }

  private mutating func planStep() {
    guard let name = newNames.randomElement(using: &random), let schema = new[name] else { return }
    switch Int.random(in: 0..<7, using: &random) {
    case 0:
      let rest = Int.random(in: 0..<3, using: &random)
      let tags = (before.objects[name] ?? [:]).keys.filter {
        $0 % 3 == rest && after.objects[name]?[$0] != nil
      }
      guard old[name] != nil else { return }
      steps.append(.delete(name, Set(tags)))
      for tag in tags where after.contains(tag) { delete(name, tag) }
    case 1, 2:
      var values: [String: FleetValue] = ["tag": .int(nextTag)]
      if let key = schema.primaryKeyProperty { values[key.name] = Self.key(key, nextTag + 50_000) }
      steps.append(.create(name, values))
      for property in schema.properties where values[property.name] == nil {
        values[property.name] = unset(property, name)
      }
      after.objects[name]?[nextTag] = values
      nextTag += 1
    case 3:
      guard let left = before.objects.keys.filter({ new[$0] == nil }).min() else { return }
      steps.append(.deleteData(left))
      for tag in (after.objects[left] ?? [:]).keys { delete(left, tag) }
      after.objects[left] = nil
    default:
      guard old[name] != nil,
        let property = schema.properties.filter({
          $0.name != "tag" && $0.name != schema.primaryKeyProperty?.name
        }).randomElement(using: &random)
      else { return }
      var values: [Int: FleetValue] = [:]
      for tag in (after.objects[name] ?? [:]).keys.sorted() {
        values[tag] = FleetMaker.value(property, after, newVersion, &random)
      }
      plan(name, property.name, values)
    }
  }

  private mutating func delete(_ className: String, _ tag: Int) {
    denying.formUnion(after.delete(className, tag, Fleet.rules[newVersion]))
  }

  /// Makes objects distinct that a unique index would refuse, mostly.
  private mutating func planDistinct() {
    for case .unique(let name, let properties) in Fleet.rules[newVersion] {
      guard after.equals(name, properties) != nil, Int.random(in: 0..<6, using: &random) > 0,
        let property = properties.first(where: { new[name]?[$0]?.type == .string })
      else { continue }
      var values: [Int: FleetValue] = [:]
      for tag in (before.objects[name] ?? [:]).keys { values[tag] = .string("only \(tag)") }
      plan(name, property, values)
    }
  }

  private mutating func finish() {
    for name in newNames {
      guard let schema = new[name] else { continue }
      for (tag, values) in after.objects[name] ?? [:] {
        var kept: [String: FleetValue] = [:]
        for property in schema.properties {
          let value = values[property.name] ?? .null
          kept[property.name] =
            property.mayBeNull ? value : value.filled(with: .zero(property.type))
        }
        after.objects[name]?[tag] = kept
      }
      guard let key = schema.primaryKeyProperty?.name else { continue }
      let keys = (after.objects[name] ?? [:]).values.map { $0[key] ?? .null }
      if Set(keys).count < keys.count { failures.insert(.key) }
    }
    for case .unique(let name, let properties) in Fleet.rules[newVersion] {
      if after.equals(name, properties) != nil { failures.insert(.notUnique) }
    }
    if denying.contains(where: after.contains) { failures.insert(.denied) }
    if fails { after = before }
  }

  /// Whether an error is one that the migration may fail with.
  func expects(_ error: any Error) -> Bool {
    switch error {
    case is Refusal: failures.contains(.refusal)
    case Realm.Error.schemaMismatch: failures.contains(.key)
    case Realm.Error.notUnique: failures.contains(.notUnique)
    case Realm.Error.deletionDenied: failures.contains(.denied)
    default: false
    }
  }

  // MARK: The block

  /// Does what the block is to do.
  func run(_ migration: Migration) {
    for step in steps {
      switch step {
      case .rename(let name, let from, let to):
        migration.renameProperty(onType: name, from: from, to: to)
      case .set(let name, let property, let values, let withOld):
        migration.enumerateObjects(ofType: name) { old, new in
          guard let new, let tag = new["tag"] as? Int, let value = values[tag] else { return }
          new[property] = value.swiftValue { tag in
            (withOld ? find(tag, in: self.old, old) : nil) ?? find(tag, in: self.new, new)
          }
        }
      case .delete(let name, let tags):
        migration.enumerateObjects(ofType: name) { _, new in
          if let new, let tag = new["tag"] as? Int, tags.contains(tag) { migration.delete(new) }
        }
      case .create(let name, let values):
        migration.create(name, value: values.compactMapValues { $0.swiftValue { _ in nil } })
      case .deleteData(let name): migration.deleteData(forType: name)
      case .fail: migration.fail(Refusal())
      }
    }
  }

  /// The object with a tag, of one of some classes, in the realm of another one.
  private func find(_ tag: Int, in schemas: [String: ObjectSchema], _ object: DynamicObject?)
    -> DynamicObject?
  {
    guard let realm = object?.realm else { return nil }
    for (name, schema) in schemas where !schema.isEmbedded {
      if let found = realm.dynamicObjects(name).filter("tag = $0", tag).first { return found }
    }
    return nil
  }
}
