import AtollObjects

/// What a database should hold, as plain dictionaries: the other opinion in all model tests.
///
/// A value, so that a copy is a version and giving up a change is keeping the copy.
struct ObjectModel {
  struct Object {
    var values: [String: Value]
    /// The places of properties in which links wait for their targets, in order.
    var places: [String: [Place]] = [:]
  }

  /// One element of a list, set or to-one link.
  enum Place {
    case target(Value)
    /// Waits for an object with this primary key.
    case waiting(Value)
  }

  struct Class {
    var id: UInt32
    var schema: ClassSchema
    var objects: [UInt64: Object] = [:]
    var nextKey: UInt64 = 1

    var isKeyedByPrimaryKey: Bool {
      guard let name = schema.primaryKey, let property = schema[name] else { return false }
      return property.type == .int && !property.isOptional
    }

    /// The keys in ascending order.
    var keys: [UInt64] { objects.keys.sorted() }
  }

  private(set) var classes: [String: Class] = [:]
  private(set) var classNames: [String] = []
  /// What happened since `beginChanges`.
  private var log = ModelChanges()

  mutating func beginChanges() { log = ModelChanges() }

  var changes: [String: ExpectedChanges] { log.summary(self) }

  subscript(_ name: String) -> Class {
    guard let found = classes[name] else { preconditionFailure("the model has the class \(name)") }
    return found
  }

  func name(_ table: UInt32) -> String {
    guard let name = classNames.first(where: { classes[$0]?.id == table }) else {
      preconditionFailure("links lead to classes of the model")
    }
    return name
  }

  func contains(_ link: ObjectLink) -> Bool { self[name(link.table)].objects[link.key] != nil }

  func value(_ className: String, _ key: UInt64, _ property: String) -> Value? {
    self[className].objects[key]?.values[property]
  }

  func key(_ className: String, primaryKey: Value) -> UInt64? {
    guard let property = self[className].schema.primaryKey else { return nil }
    return self[className].objects.first {
      isExactly($0.value.values[property] ?? .null, primaryKey)
    }?
    .key
  }

  func link(_ className: String, _ key: UInt64) -> ObjectLink {
    ObjectLink(table: self[className].id, key: key)
  }

  /// Whether objects of the class that `property` links to belong to their owners.
  func ownsTargets(_ property: PropertySchema) -> Bool {
    property.linkTarget.map { self[$0].schema.isEmbedded } ?? false
  }

  /// The links that wait for their targets.
  var waitingCount: Int {
    classes.values.flatMap { $0.objects.values }.flatMap { $0.places.values.joined() }
      .count { if case .waiting = $0 { true } else { false } }
  }

  // MARK: Schema

  mutating func add(_ schema: ClassSchema, id: UInt32) {
    var schema = schema
    for index in schema.properties.indices where schema.properties[index].name == schema.primaryKey
    {
      schema.properties[index].isIndexed = true
    }
    classes[schema.name] = Class(id: id, schema: schema)
    classNames.append(schema.name)
  }

  mutating func add(_ property: PropertySchema, to className: String) {
    classes[className]?.schema.properties.append(property)
    for key in self[className].keys {
      classes[className]?.objects[key]?.values[property.name] = .initial(property)
    }
  }

  mutating func change(
    _ property: String, of className: String, _ body: (inout PropertySchema) -> Void
  ) {
    guard let index = self[className].schema.properties.firstIndex(where: { $0.name == property })
    else { return }
    var changed = self[className].schema.properties[index]
    body(&changed)
    classes[className]?.schema.properties[index] = changed
  }

  /// Links of other classes to it there are none.
  mutating func remove(class name: String) {
    for key in self[name].keys { delete(link(name, key)) }
    classes[name] = nil
    classNames.removeAll { $0 == name }
    log.forget(name)
  }

  mutating func remove(_ property: PropertySchema, of className: String) {
    if ownsTargets(property) {
      for key in self[className].keys {
        for link in value(className, key, property.name)?.targets ?? [] { delete(link) }
      }
    }
    classes[className]?.schema.properties.removeAll { $0.name == property.name }
    for key in self[className].keys {
      classes[className]?.objects[key]?.values[property.name] = nil
      classes[className]?.objects[key]?.places[property.name] = nil
    }
    log.forget(property.name, of: className)
  }

  /// Gives each null in a property another value.
  mutating func require(_ property: PropertySchema, of className: String) {
    var required = property
    required.isOptional = false
    required.collection = .none
    let zero = Value.initial(required)
    func filled(_ value: Value) -> Value { isExactly(value, .null) ? zero : value }
    for key in self[className].keys {
      let old = value(className, key, property.name) ?? .null
      let new = old.mappingElements(filled)
      if !isExactly(old, new) { set(className, key, property.name, new) }
    }
    change(property.name, of: className) { $0.isOptional = false }
  }

  mutating func setEmbedded(_ className: String, _ isEmbedded: Bool) {
    classes[className]?.schema.isEmbedded = isEmbedded
  }

  /// How often objects of a class are linked to, by their keys.
  func linkCounts(of className: String) -> [UInt64: Int] {
    var counts = Dictionary(uniqueKeysWithValues: self[className].keys.map { ($0, 0) })
    let id = self[className].id
    for origin in classNames {
      for object in self[origin].objects.values {
        for value in object.values.values {
          for link in value.targets where link.table == id { counts[link.key, default: 0] += 1 }
        }
      }
    }
    return counts
  }

  /// Makes a property the primary key, in which no two objects have one value; nil: none.
  mutating func changePrimaryKey(of className: String, to property: String?) {
    let old = self[className]
    if let key = old.schema.primaryKey, old.isKeyedByPrimaryKey {
      change(key, of: className) { $0.isIndexed = false }
    }
    classes[className]?.schema.primaryKey = property
    if let property { change(property, of: className) { $0.isIndexed = true } }
    guard old.isKeyedByPrimaryKey || self[className].isKeyedByPrimaryKey else { return }
    var others: [UInt64: UInt64] = [:]
    for (index, key) in old.keys.enumerated() {
      others[key] = UInt64(index) + 1
      if self[className].isKeyedByPrimaryKey, let property,
        case .int(let number)? = value(className, key, property)
      {
        others[key] = UInt64(bitPattern: number) ^ 1 << 63
      }
    }
    let nextKey = self[className].isKeyedByPrimaryKey ? 1 : UInt64(others.count) + 1
    classes[className]?.nextKey = nextKey
    for key in old.keys { log.delete(className, key) }
    for key in others.values.sorted() { log.insert(className, key) }
    classes[className]?.objects = Dictionary(
      uniqueKeysWithValues: old.objects.compactMap { key, object in others[key].map { ($0, object) }
      })
    moveLinks(to: className, others)
  }

  private mutating func moveLinks(to className: String, _ others: [UInt64: UInt64]) {
    let id = self[className].id
    func moved(_ value: Value) -> Value {
      guard case .link(let link) = value, link.table == id, let other = others[link.key] else {
        return value
      }
      return .link(ObjectLink(table: id, key: other))
    }
    forEachProperty(linkingTo: className) { model, origin, source, property in
      guard let old = model.value(origin, source, property.name), !old.targets.isEmpty else {
        return
      }
      model.classes[origin]?.objects[source]?.values[property.name] = old.mappingElements(moved)
      let places = model[origin].objects[source]?.places[property.name]
      model.classes[origin]?.objects[source]?.places[property.name] = places?.map { place in
        if case .target(let target) = place { .target(moved(target)) } else { place }
      }
      if origin != className { model.log.change(origin, source, property.name) }
    }
  }

  // MARK: Objects

  @discardableResult
  mutating func create(_ className: String, _ values: [String: Value]) -> UInt64 {
    let found = self[className]
    let primaryKey = found.schema.primaryKey.flatMap { values[$0] }
    let key: UInt64
    if found.isKeyedByPrimaryKey, case .int(let number)? = primaryKey {
      key = UInt64(bitPattern: number) ^ 1 << 63
    } else {
      key = found.nextKey
      classes[className]?.nextKey += 1
    }
    var object = Object(values: [:])
    for property in found.schema.properties {
      object.values[property.name] = values[property.name] ?? .initial(property)
    }
    classes[className]?.objects[key] = object
    log.insert(className, key)
    if let primaryKey { arrive(className, key, primaryKey) }
    return key
  }

  mutating func set(_ className: String, _ key: UInt64, _ property: String, _ value: Value) {
    let old = self.value(className, key, property) ?? .null
    classes[className]?.objects[key]?.values[property] = value
    classes[className]?.objects[key]?.places[property] = nil
    log.change(className, key, property)
    if let schema = self[className].schema[property], ownsTargets(schema) {
      for orphan in Set(old.targets).subtracting(value.targets) { delete(orphan) }
    }
  }

  /// Replaces elements of a list; what waits in it keeps its place among the others.
  mutating func replace(
    _ className: String, _ key: UInt64, _ property: String, _ range: Range<Int>,
    with new: [Value]
  ) {
    guard case .list(var elements)? = value(className, key, property) else { return }
    var places = self[className].objects[key]?.places[property]
    elements.replaceSubrange(range, with: new)
    if let all = places {
      let seen = all.indices.filter { if case .target = all[$0] { true } else { false } }
      let start = range.lowerBound < seen.count ? seen[range.lowerBound] : all.count
      places?.replaceSubrange(
        start..<start + range.count,
        with: new.map { .target($0) })
    }
    set(className, key, property, .list(elements))
    if let places { keep(places, className, key, property) }
  }

  /// Sets links by primary keys; those without an object wait in their places.
  mutating func link(
    _ className: String, _ key: UInt64, _ property: PropertySchema, toPrimaryKeys targets: [Value]
  ) {
    guard let target = property.linkTarget else { return }
    let places = targets.map { primaryKey in
      self.key(target, primaryKey: primaryKey).map { Place.target(.link(link(target, $0))) }
        ?? .waiting(primaryKey)
    }
    set(className, key, property.name, Self.value(of: places, property.collection))
    keep(places, className, key, property.name)
  }

  private static func value(of places: [Place], _ kind: CollectionKind) -> Value {
    let links = places.compactMap { if case .target(let link) = $0 { link } else { nil } }
    return switch kind {
    case .list: .list(links)
    case .set: .ordered(links)
    case .none, .map: links.first ?? .null
    }
  }

  private mutating func keep(
    _ places: [Place], _ className: String, _ key: UInt64, _ property: String
  ) {
    let isWaiting = places.contains { if case .waiting = $0 { true } else { false } }
    classes[className]?.objects[key]?.places[property] = isWaiting ? places : nil
  }

  /// Lets the links that wait for an object find it.
  private mutating func arrive(_ className: String, _ key: UInt64, _ primaryKey: Value) {
    let arrived = Value.link(link(className, key))
    forEachProperty(linkingTo: className) { model, origin, source, property in
      guard let places = model[origin].objects[source]?.places[property.name] else { return }
      var isFound = false
      let settled = places.map { place in
        guard case .waiting(let waiting) = place, isExactly(waiting, primaryKey) else {
          return place
        }
        isFound = true
        return .target(arrived)
      }
      guard isFound else { return }
      model.classes[origin]?.objects[source]?.values[property.name] =
        Self.value(of: settled, property.collection)
      model.keep(settled, origin, source, property.name)
      model.log.change(origin, source, property.name)
    }
  }

  mutating func delete(_ link: ObjectLink) {
    let className = name(link.table)
    guard let object = self[className].objects[link.key] else { return }
    var owned: [ObjectLink] = []
    for property in self[className].schema.properties where ownsTargets(property) {
      owned += object.values[property.name]?.targets ?? []
    }
    classes[className]?.objects[link.key] = nil
    log.delete(className, link.key)
    forEachProperty(linkingTo: className) { model, origin, source, property in
      guard let value = model.value(origin, source, property.name),
        value.targets.contains(link)
      else { return }
      model.classes[origin]?.objects[source]?.values[property.name] =
        Self.removing(link, from: value)
      model.log.change(origin, source, property.name)
      if let places = model[origin].objects[source]?.places[property.name] {
        let left = places.filter {
          if case .target(let target) = $0 { !isExactly(target, .link(link)) } else { true }
        }
        model.keep(left, origin, source, property.name)
      }
    }
    for child in owned { delete(child) }
  }

  private static func removing(_ link: ObjectLink, from value: Value) -> Value {
    switch value {
    case .list(let elements): .list(elements.filter { !isExactly($0, .link(link)) })
    case .set(let elements): .set(elements.filter { !isExactly($0, .link(link)) })
    case .map(let map):
      .map(
        ValueMap(
          map.entries.map {
            (key: $0.key, value: isExactly($0.value, .link(link)) ? .null : $0.value)
          }))
    default: .null
    }
  }

  /// Visits every object and property that may hold links to a class.
  private mutating func forEachProperty(
    linkingTo target: String,
    _ body: (inout ObjectModel, _ origin: String, _ source: UInt64, PropertySchema) -> Void
  ) {
    for origin in classNames {
      for property in self[origin].schema.properties where property.linkTarget == target {
        for source in self[origin].objects.keys { body(&self, origin, source, property) }
      }
    }
  }

  /// The sources of all links through one property by their targets, found by looking everywhere.
  func backlinks(from origin: String, _ property: String) -> [ObjectLink: [ObjectKey]] {
    var sources: [ObjectLink: [ObjectKey]] = [:]
    for source in self[origin].keys {
      for target in value(origin, source, property)?.targets ?? [] {
        sources[target, default: []].append(ObjectKey(rawValue: source))
      }
    }
    return sources
  }
}

extension Value {
  /// The collection with other elements, or another single value.
  fileprivate func mappingElements(_ other: (Value) -> Value) -> Value {
    switch self {
    case .list(let elements): .list(elements.map(other))
    case .set(let elements): .ordered(elements.map(other))
    case .map(let map): .map(ValueMap(map.entries.map { (key: $0.key, value: other($0.value)) }))
    default: other(self)
    }
  }
}
