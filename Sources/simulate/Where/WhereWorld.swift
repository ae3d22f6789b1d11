internal import Atoll
internal import Foundation
internal import TestSupport

/// Objects from a seed, twice: in a realm, and as plain values.
struct WhereWorld {
  /// A node: a plain value for each property, and the nodes that it links to.
  struct Node {
    var values: [String: WhereValue] = [:]
    /// The elements of collections of values.
    var elements: [String: [WhereValue]] = [:]
    var maps: [String: [String: WhereValue]] = [:]
    var link: Int?
    var list: [Int] = []
    var set: [Int] = []
    var map: [String: Int?] = [:]
    var spot: Spot?
    var spots: [Spot] = []
  }

  /// An embedded object.
  struct Spot {
    var values: [String: WhereValue] = [:]
    var ints: [WhereValue] = []
    var node: Int?
    /// Longitude and latitude of a point.
    var place: (Double, Double)?
  }

  let realm: Realm
  private(set) var nodes: [Node] = []
  /// The managed objects, by their place in `nodes`, which is their primary key.
  private(set) var objects: [WhereNode] = []

  init(_ random: inout SplitMix64, name: String) throws {
    realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: name, objectTypes: [WhereNode.self, WhereSpot.self]))
    let count = Int.random(in: 1...9, using: &random)
    var nodes: [Node] = []
    var objects: [WhereNode] = []
    try realm.write {
      for id in 0..<count {
        let object = WhereNode()
        object.id = id
        var node = Node()
        node.values["id"] = .int(id)
        Self.fill(object, &node, &random)
        realm.add(object)
        objects.append(object)
        nodes.append(node)
      }
      for id in 0..<count { Self.link(id, objects, &nodes[id], &random) }
    }
    if Self.chance(40, &random) { try Self.renew(&nodes, in: realm, name, &random) }
    self.nodes = nodes
    self.objects = objects
  }

  // MARK: Choosing

  static func chance(_ percent: Int, _ random: inout SplitMix64) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }

  private static func some<T>(
    _ random: inout SplitMix64, _ make: (inout SplitMix64) -> T
  ) -> [T] {
    (0..<Int.random(in: 0...3, using: &random)).map { _ in make(&random) }
  }

  private static func optional<T>(
    _ random: inout SplitMix64, _ make: (inout SplitMix64) -> T
  ) -> T? {
    chance(30, &random) ? nil : make(&random)
  }

  // MARK: Filling

  private static func fill(
    _ object: WhereNode, _ node: inout Node, _ random: inout SplitMix64
  ) {
    func set<V>(
      _ name: String, _ property: ReferenceWritableKeyPath<WhereNode, V>, _ value: V,
      _ plain: WhereValue
    ) {
      object[keyPath: property] = value
      node.values[name] = plain
    }
    func fill<V>(
      _ name: String, _ property: ReferenceWritableKeyPath<WhereNode, V>, _ pool: WherePool<V>
    ) {
      let value = pool.any(&random)
      set(name, property, value, pool.plain(value))
    }
    func fillOptional<V>(
      _ name: String, _ property: ReferenceWritableKeyPath<WhereNode, V?>, _ pool: WherePool<V>
    ) {
      let value = optional(&random) { pool.any(&$0) }
      set(name, property, value, value.map { pool.plain($0) } ?? .null)
    }
    fill("bool", \.bool, .bools)
    fill("int", \.int, .ints)
    fill("double", \.double, .doubles)
    fill("string", \.string, .strings)
    fill("date", \.date, .dates)
    fill("kind", \.kind, .kinds)
    fill("level", \.level, .levels)
    fill("code", \.code, .codes)
    fill("indexed", \.indexed, .ints)
    fill("any", \.any, .mixed)
    fillOptional("optBool", \.optBool, .bools)
    fillOptional("optInt", \.optInt, .ints)
    fillOptional("optFloat", \.optFloat, .floats)
    fillOptional("optString", \.optString, .strings)
    fillOptional("optDate", \.optDate, .dates)
    fillOptional("optDecimal", \.optDecimal, .decimals)
    fillOptional("optData", \.optData, .datas)
    fillOptional("optUUID", \.optUUID, .uuids)
    fillOptional("optKind", \.optKind, .kinds)
    fillOptional("optLevel", \.optLevel, .levels)
    fillOptional("optCode", \.optCode, .codes)

    func append<V>(_ name: String, _ list: List<V>, _ pool: WherePool<V>) {
      let values = some(&random) { pool.any(&$0) }
      list.append(objectsIn: values)
      node.elements[name] = values.map(pool.plain)
    }
    func insert<V>(_ name: String, _ set: MutableSet<V>, _ pool: WherePool<V>) {
      let values = some(&random) { pool.any(&$0) }
      for value in values { set.insert(value) }
      var plain: [WhereValue] = []
      for value in values.map(pool.plain)
      where !plain.contains(where: { WhereValue.equal($0, value) }) {
        plain.append(value)
      }
      node.elements[name] = plain
    }
    func put<V>(_ name: String, _ map: Map<String, V>, _ pool: WherePool<V>) {
      var plain: [String: WhereValue] = [:]
      for key in some(&random, { WherePool<String>.keys.any(&$0) }) {
        let value = pool.any(&random)
        map[key] = value
        plain[key] = pool.plain(value)
      }
      node.maps[name] = plain
    }
    append("ints", object.ints, .ints)
    append("optInts", object.optInts, WherePool.ints.orNull)
    append("strings", object.strings, .strings)
    append("dates", object.dates, .dates)
    append("kinds", object.kinds, .kinds)
    append("anys", object.anys, .mixed)
    insert("intSet", object.intSet, .ints)
    insert("stringSet", object.stringSet, .strings)
    put("intMap", object.intMap, .ints)
    put("stringMap", object.stringMap, WherePool.strings.orNull)
    put("anyMap", object.anyMap, .mixed)
  }

  /// Gives enums raw values that they do not know, as a newer program does.
  private static func renew(
    _ nodes: inout [Node], in realm: Realm, _ name: String, _ random: inout SplitMix64
  ) throws {
    let newer = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: name, objectTypes: [WhereRawNode.self, WhereRawSpot.self]))
    try newer.write {
      for id in nodes.indices {
        guard let object = newer.object(ofType: WhereRawNode.self, forPrimaryKey: id) else {
          continue
        }
        if chance(25, &random) {
          object.kind = "omega"
          nodes[id].values["kind"] = .string("omega")
        }
        if chance(25, &random) {
          object.level = 5
          nodes[id].values["level"] = .int(5)
        }
        if chance(25, &random) {
          object.optKind = "omega"
          nodes[id].values["optKind"] = .string("omega")
        }
        if chance(25, &random) {
          object.optLevel = 5
          nodes[id].values["optLevel"] = .int(5)
        }
        if chance(25, &random) {
          object.kinds.append("omega")
          nodes[id].elements["kinds", default: []].append(.string("omega"))
        }
      }
    }
    realm.refresh()
  }

  private static func link(
    _ id: Int, _ objects: [WhereNode], _ node: inout Node, _ random: inout SplitMix64
  ) {
    let object = objects[id]
    func target(_ random: inout SplitMix64) -> Int {
      Int.random(in: 0..<objects.count, using: &random)
    }
    node.link = optional(&random) { target(&$0) }
    object.link = node.link.map { objects[$0] }
    node.list = some(&random) { target(&$0) }
    object.list.append(objectsIn: node.list.map { objects[$0] })
    node.set = Array(Set(some(&random) { target(&$0) }))
    for target in node.set { object.set.insert(objects[target]) }
    for key in some(&random, { WherePool<String>.keys.any(&$0) }) {
      let value = optional(&random) { target(&$0) }
      node.map[key] = .some(value)
      object.map[key] = .some(value.map { objects[$0] })
    }
    func spot(_ random: inout SplitMix64) -> (WhereSpot, Spot) {
      let made = WhereSpot()
      var plain = Spot()
      made.int = WherePool.ints.any(&random)
      plain.values["int"] = .int(made.int)
      made.optString = optional(&random) { WherePool.strings.any(&$0) }
      plain.values["optString"] = made.optString.map { .string($0) } ?? .null
      let ints = some(&random) { WherePool.ints.any(&$0) }
      made.ints.append(objectsIn: ints)
      plain.ints = ints.map { .int($0) }
      plain.node = optional(&random) { target(&$0) }
      made.node = plain.node.map { objects[$0] }
      if chance(80, &random) {
        let place = (
          Double(Int.random(in: -3...3, using: &random)) * 20,
          Double(Int.random(in: -3...3, using: &random)) * 20
        )
        made.type = "Point"
        made.coordinates.append(objectsIn: [place.0, place.1])
        plain.place = place
      }
      return (made, plain)
    }
    if chance(60, &random) {
      let (made, plain) = spot(&random)
      object.spot = made
      node.spot = plain
    }
    for (made, plain) in some(&random, { spot(&$0) }) {
      object.spots.append(made)
      node.spots.append(plain)
    }
  }
}
