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
  /// Whether it is to fail.
  private(set) var fails = false
  private var random: SplitMix64
  private var nextTag: Int

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

  private var old: [String: ObjectSchema] { Fleet.schemas[oldVersion] }
  private var new: [String: ObjectSchema] { Fleet.schemas[newVersion] }

  init(from oldVersion: Int, to newVersion: Int, _ before: FleetState, seed: UInt64, tag: Int) {
    self.oldVersion = oldVersion
    self.newVersion = newVersion
    self.before = before
    after = before
    random = SplitMix64(seed: seed)
    nextTag = tag
    prepare()
    planRenames()
    for name in new.keys.sorted() { planKeys(name) }
    for _ in 0..<Int.random(in: 0...4, using: &random) { planStep() }
    if Int.random(in: 0..<5, using: &random) == 0 {
      steps.insert(.fail, at: Int.random(in: 0...steps.count, using: &random))
      fails = true
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

  private static func isNullable(_ property: Property) -> Bool {
    property.isOptional || property.type == .object || property.type == .any
  }

  /// What a new object has in a property.
  private func unset(_ property: Property, _ className: String) -> FleetValue {
    if property.isArray { return .list([]) }
    if property.isSet { return .set([]) }
    if property.isMap { return .map([:]) }
    let object = Fleet.object(className, in: newVersion)
    return (try? FleetValue(object?[property.name])) ?? .null
  }

  private mutating func prepare() {
    for (name, schema) in new {
      guard let known = old[name] else {
        after.objects[name] = before.objects[name] ?? [:]
        continue
      }
      for property in schema.properties {
        for (tag, values) in before.objects[name] ?? [:] {
          if let same = known[property.name], isSame(same, property) {
            guard !Self.isNullable(property), let value = values[property.name] else { continue }
            after.objects[name]?[tag]?[property.name] = value.filled(with: .zero(property.type))
          } else {
            let value = unset(property, name)
            after.objects[name]?[tag]?[property.name] = value
          }
        }
      }
    }
  }

  private mutating func planRenames() {
    for (name, schema) in new.sorted(by: { $0.key < $1.key }) {
      guard let known = old[name] else { continue }
      for pair in Fleet.renames(name) {
        for (from, to) in [(pair[0], pair[1]), (pair[1], pair[0])] {
          guard let source = known[from], schema[from] == nil, let target = schema[to],
            known[to] == nil, isSame(source, target), Int.random(in: 0..<3, using: &random) > 0
          else { continue }
          steps.append(.rename(name, from: from, to: to))
          for (tag, values) in before.objects[name] ?? [:] {
            let value = values[from] ?? .null
            after.objects[name]?[tag]?[to] =
              Self.isNullable(target) ? value : value.filled(with: .zero(target.type))
          }
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
    guard let name = new.keys.sorted().randomElement(using: &random), let schema = new[name] else {
      return
    }
    switch Int.random(in: 0..<7, using: &random) {
    case 0:
      let rest = Int.random(in: 0..<3, using: &random)
      let tags = (before.objects[name] ?? [:]).keys.filter {
        $0 % 3 == rest && after.objects[name]?[$0] != nil
      }
      guard old[name] != nil else { return }
      steps.append(.delete(name, Set(tags)))
      for tag in tags { after.delete(name, tag) }
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
      after.objects[left] = nil
    default:
      guard old[name] != nil,
        let property = schema.properties.filter({
          $0.name != "tag" && $0.name != schema.primaryKeyProperty?.name
        }).randomElement(using: &random)
      else { return }
      let isRequired = !Self.isNullable(property)
      var values: [Int: FleetValue] = [:]
      for tag in (after.objects[name] ?? [:]).keys.sorted() {
        values[tag] = FleetMaker.value(
          property, after, isRequired: isRequired, &random)
      }
      plan(name, property.name, values)
    }
  }

  private mutating func finish() {
    for (name, schema) in new {
      var keys: Set<FleetValue> = []
      for (tag, values) in after.objects[name] ?? [:] {
        var kept: [String: FleetValue] = [:]
        for property in schema.properties {
          let value = values[property.name] ?? .null
          kept[property.name] =
            Self.isNullable(property) ? value : value.filled(with: .zero(property.type))
        }
        after.objects[name]?[tag] = kept
        if let key = schema.primaryKeyProperty?.name, !keys.insert(kept[key] ?? .null).inserted {
          fails = true
        }
      }
    }
    if fails { after = before }
  }

  // MARK: The block

  /// Does what the block is to do.
  func run(_ migration: Migration) {
    for step in steps {
      switch step {
      case .rename(let name, let from, let to):
        migration.renameProperty(onType: name, from: from, to: to)
      case .set(let name, let property, let values, let withOld):
        let target = new[name]?[property]?.objectClassName
        migration.enumerateObjects(ofType: name) { old, new in
          guard let new, let tag = new["tag"] as? Int, let value = values[tag] else { return }
          new[property] = value.swiftValue { tag in
            target.flatMap { target in
              (withOld ? Self.find(tag, target, old) : nil) ?? Self.find(tag, target, new)
            }
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

  private static func find(_ tag: Int, _ className: String, _ object: DynamicObject?)
    -> DynamicObject?
  {
    guard let realm = object?.realm, realm.schema[className] != nil || object != nil else {
      return nil
    }
    return realm.dynamicObjects(className).filter("tag = $0", tag).first
  }
}

/// Makes values.
enum FleetMaker {
  /// A value of a property, whose links lead to objects of a state.
  static func value(
    _ property: Property, _ state: FleetState, isRequired: Bool, _ random: inout SplitMix64
  ) -> FleetValue {
    let tags = property.objectClassName.flatMap { state.objects[$0]?.keys.sorted() } ?? []
    func element() -> FleetValue? {
      let number = Int.random(in: 0...5, using: &random)
      if property.type == .object { return tags.randomElement(using: &random).map { .link($0) } }
      if !isRequired, number == 0 { return .null }
      switch property.type {
      case .int: return .int(number - 2)
      case .double: return .double(Double(number) / 2)
      case .any: return number < 3 ? .int(number) : .string("any \(number)")
      default: return .string("text \(number)")
      }
    }
    let count = Int.random(in: 0...4, using: &random)
    if property.isArray { return .list((0..<count).compactMap { _ in element() }) }
    if property.isSet { return .set(Set((0..<count).compactMap { _ in element() })) }
    if property.isMap {
      var entries: [String: FleetValue] = [:]
      for index in 0..<count { entries["k\(index)"] = element() }
      return .map(entries)
    }
    return element() ?? .null
  }
}
