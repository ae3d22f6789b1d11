internal import Atoll

/// A step from nodes to nodes.
enum WhereStep: Hashable {
  case link, list, set, mapValues, mapEntry(String), listed, linked, spotNode, spotsNodes

  /// Whether the step can lead to several nodes.
  var isMany: Bool {
    switch self {
    case .link, .mapEntry, .spotNode: false
    case .list, .set, .mapValues, .listed, .linked, .spotsNodes: true
    }
  }

  /// Whether a subquery can count the nodes that the step leads to.
  var isCollection: Bool { isMany && self != .spotsNodes }
}

/// Nodes in a condition: the one that is asked, or those that a path leads to.
enum WherePlace {
  case object(Query<WhereNode>)
  case one(Query<WhereNode?>)
  case list(Query<List<WhereNode>>)
  case set(Query<MutableSet<WhereNode>>)
  case linking(Query<LinkingObjects<WhereNode>>)

  /// A property of the nodes.
  func member<V>(_ property: KeyPath<WhereNode, V>) -> Query<V> {
    switch self {
    case .object(let query): query[dynamicMember: property]
    case .one(let query): query[dynamicMember: property]
    case .list(let query): query[dynamicMember: property]
    case .set(let query): query[dynamicMember: property]
    case .linking(let query): query[dynamicMember: property]
    }
  }

  func following(_ steps: [WhereStep]) -> WherePlace { steps.reduce(self) { $0.following($1) } }

  private func following(_ step: WhereStep) -> WherePlace {
    switch step {
    case .link: .one(member(\.link))
    case .list: .list(member(\.list))
    case .set: .set(member(\.set))
    case .mapValues: .one(member(\.map).values)
    case .mapEntry(let key): .one(member(\.map)[key])
    case .listed: .linking(member(\.listed))
    case .linked: .linking(member(\.linked))
    case .spotNode: .one(member(\.spot).node)
    case .spotsNodes: .one(member(\.spots).node)
    }
  }
}

/// Nodes in a plain reading: one or none, or any number.
struct WhereReach {
  var isMany = false
  /// With one entry that may be nil, unless there can be several.
  var nodes: [Int?]
}

/// The plain reading of a world: what paths lead to.
struct WhereReading {
  let nodes: [WhereWorld.Node]

  func reach(_ node: Int, _ steps: [WhereStep]) -> WhereReach {
    steps.reduce(WhereReach(nodes: [node])) { following($1, from: $0) }
  }

  private func following(_ step: WhereStep, from reach: WhereReach) -> WhereReach {
    if !reach.isMany, !step.isMany {
      return WhereReach(nodes: [reach.nodes[0].flatMap { targets(step, of: $0).first }])
    }
    let found = reach.nodes.compactMap { $0 }.flatMap { targets(step, of: $0) }
    return WhereReach(isMany: true, nodes: found)
  }

  /// The nodes that a step leads to; null links are left out.
  private func targets(_ step: WhereStep, of id: Int) -> [Int] {
    let node = nodes[id]
    switch step {
    case .link: return [node.link].compactMap { $0 }
    case .list: return node.list
    case .set: return node.set
    case .mapValues: return node.map.values.compactMap { $0 }
    case .mapEntry(let key): return [node.map[key] ?? nil].compactMap { $0 }
    case .listed:
      return nodes.indices.flatMap { origin in
        nodes[origin].list.filter { $0 == id }.map { _ in origin }
      }
    case .linked: return nodes.indices.filter { nodes[$0].link == id }
    case .spotNode: return [node.spot?.node].compactMap { $0 }
    case .spotsNodes: return node.spots.compactMap(\.node)
    }
  }

  // MARK: Values

  /// What the value of a property reads as: a raw value that its enum does not know as another.
  func read(_ name: String, _ value: WhereValue) -> WhereValue {
    switch (name, value) {
    case ("kind", .string(let raw)), ("kinds", .string(let raw)), ("kindSet", .string(let raw)),
      ("kindMap", .string(let raw)):
      .string((WhereKind(rawValue: raw) ?? .alpha).rawValue)
    case ("level", .int(let raw)): .int((WhereLevel(rawValue: raw) ?? .low).rawValue)
    case ("optKind", .string(let raw)): WhereKind(rawValue: raw) == nil ? .null : value
    case ("optLevel", .int(let raw)), ("levels", .int(let raw)):
      WhereLevel(rawValue: raw) == nil ? .null : value
    default: value
    }
  }

  /// The values of a property at the end of a path: of one object that is not there, null.
  func values(
    _ node: Int, _ steps: [WhereStep], _ value: (WhereWorld.Node) -> WhereValue
  ) -> [WhereValue] {
    reach(node, steps).nodes.map { $0.map { value(nodes[$0]) } ?? .null }
  }

  /// The elements of a collection of each object at the end of a path: of one object that is not
  /// there, none.
  func groups(
    _ node: Int, _ steps: [WhereStep], _ elements: (WhereWorld.Node) -> [WhereValue]
  ) -> [[WhereValue]] {
    reach(node, steps).nodes.map { $0.map { elements(nodes[$0]) } ?? [] }
  }

  /// Whether one of several values passes.
  func any(_ values: [WhereValue], _ test: (WhereValue) -> Bool) -> Bool {
    values.contains(where: test)
  }

  func holds(_ comparator: WhereOperator, _ a: WhereValue, _ b: WhereValue) -> Bool {
    WhereValue.holds(comparator, a, b)
  }
}
