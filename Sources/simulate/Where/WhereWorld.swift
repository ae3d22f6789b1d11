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

  /// What is asked: live, frozen, or in an open write.
  private(set) var realm: Realm
  var nodes: [Node] = []
  /// The managed objects, by their place in `nodes`, which is their primary key.
  private(set) var objects: [WhereNode] = []
  /// A write that is open while conditions are asked.
  private let open: Realm?

  init(_ random: inout SplitMix64, name: String) throws {
    let live = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: name, objectTypes: [WhereNode.self, WhereSpot.self]))
    realm = live
    let isLarge = Self.chance(2, &random)
    let count = Int.random(in: isLarge ? 60...120 : 1...9, using: &random)
    let isOpen = Self.chance(30, &random)
    open = isOpen ? live : nil
    let firstCount = Self.chance(50, &random) ? count : Int.random(in: 0...count, using: &random)
    try live.write { for id in 0..<firstCount { make(id, in: live, &random) } }
    if Self.chance(40, &random) { try renew(in: live, name, &random) }
    live.beginWrite()
    for id in 0..<firstCount where Self.chance(20, &random) {
      Self.fill(objects[id], &nodes[id], &random)
    }
    for id in firstCount..<count { make(id, in: live, &random) }
    for id in 0..<count { Self.link(id, objects, &nodes[id], &random) }
    if Self.chance(30, &random) { try removeGhost(in: live, isOpen: isOpen, &random) }
    guard !isOpen else { return }
    try live.commitWrite()
    if Self.chance(25, &random) { try freeze(&random) }
  }

  /// Ends the write that is open.
  func end() { open?.cancelWrite() }

  private mutating func make(_ id: Int, in realm: Realm, _ random: inout SplitMix64) {
    let object = WhereNode()
    object.id = id
    var node = Node()
    node.values["id"] = .int(id)
    if Self.chance(50, &random) { realm.add(object) }
    Self.fill(object, &node, &random)
    realm.add(object)
    objects.append(object)
    nodes.append(node)
  }

  /// Goes on with a frozen copy, of which what happens to the realm changes nothing.
  private mutating func freeze(_ random: inout SplitMix64) throws {
    let live = realm
    realm = live.freeze()
    objects = objects.map { $0.freeze() }
    if Self.chance(50, &random) { try live.write { live.deleteAll() } }
  }

  /// Makes an object that others lead to in every way, and deletes it: nothing remains of it but
  /// nulls.
  private mutating func removeGhost(
    in realm: Realm, isOpen: Bool, _ random: inout SplitMix64
  ) throws {
    let ghost = WhereNode()
    ghost.id = -1
    realm.add(ghost)
    ghost.link = objects.first
    ghost.list.append(objectsIn: objects)
    for (id, object) in objects.enumerated() {
      if nodes[id].link == nil { object.link = ghost }
      object.list.insert(ghost, at: Int.random(in: 0...object.list.count, using: &random))
      object.set.insert(ghost)
      if nodes[id].map["k"] == nil, Self.chance(50, &random) {
        object.map["k"] = .some(ghost)
        nodes[id].map["k"] = .some(nil)
      }
      if let spot = object.spot, nodes[id].spot?.node == nil { spot.node = ghost }
      if nodes[id].values["any"] == .null { object.any = .object(ghost) }
    }
    if !isOpen, Self.chance(50, &random) {
      try realm.commitWrite()
      realm.beginWrite()
    }
    realm.delete(ghost)
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
      list.removeAll()
      list.append(objectsIn: values)
      node.elements[name] = values.map(pool.plain)
    }
    func insert<V>(_ name: String, _ set: MutableSet<V>, _ pool: WherePool<V>) {
      let values = some(&random) { pool.any(&$0) }
      set.removeAll()
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
      map.removeAll()
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
    append("levels", object.levels, WherePool.levels.orNull)
    append("anys", object.anys, .mixed)
    insert("intSet", object.intSet, .ints)
    insert("stringSet", object.stringSet, .strings)
    insert("kindSet", object.kindSet, .kinds)
    put("intMap", object.intMap, .ints)
    put("stringMap", object.stringMap, WherePool.strings.orNull)
    put("kindMap", object.kindMap, .kinds)
    put("anyMap", object.anyMap, .mixed)
  }

  /// Gives enums raw values that they do not know, as a newer program does.
  private mutating func renew(
    in realm: Realm, _ name: String, _ random: inout SplitMix64
  ) throws {
    let newer = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: name, objectTypes: [WhereRawNode.self, WhereRawSpot.self]))
    let omega = WhereValue.string("omega")
    try newer.write {
      for id in nodes.indices {
        guard let object = newer.object(ofType: WhereRawNode.self, forPrimaryKey: id) else {
          continue
        }
        func change(_ name: String, _ value: WhereValue, _ change: () -> Void) {
          guard Self.chance(25, &random) else { return }
          change()
          nodes[id].values[name] = value
        }
        func add(_ name: String, _ value: WhereValue, _ add: () -> Void) {
          guard Self.chance(25, &random) else { return }
          add()
          nodes[id].elements[name, default: []].append(value)
        }
        change("kind", omega) { object.kind = "omega" }
        change("level", .int(5)) { object.level = 5 }
        change("optKind", omega) { object.optKind = "omega" }
        change("optLevel", .int(5)) { object.optLevel = 5 }
        add("kinds", omega) { object.kinds.append("omega") }
        add("levels", .int(5)) { object.levels.append(5) }
        add("kindSet", omega) { object.kindSet.insert("omega") }
        if Self.chance(25, &random) {
          object.kindMap["k"] = "omega"
          nodes[id].maps["kindMap", default: [:]]["k"] = omega
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
    if chance(25, &random) {
      let place = target(&random)
      object.any = .object(objects[place])
      node.values["any"] = .node(place)
    }
    if chance(25, &random) {
      let place = target(&random)
      object.anys.append(.object(objects[place]))
      node.elements["anys", default: []].append(.node(place))
    }
    if chance(25, &random) {
      let place = target(&random)
      object.any = .fromArray([.int(1), .object(objects[place])])
      node.values["any"] = .list([.int(1), .node(place)])
    }
    if chance(25, &random) {
      let place = target(&random)
      object.anyMap["k"] = .object(objects[place])
      node.maps["anyMap", default: [:]]["k"] = .node(place)
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
