internal import Atoll

/// Compares what a realm holds with the model: the same values, and the same objects in all places.
struct GraphComparison {
  private let realm: Realm
  private var pairs: [ObjectIdentifier: ObjectBase] = [:]
  private var waiting: [(model: GraphObject, object: ObjectBase, place: String)] = []

  init(_ realm: Realm) { self.realm = realm }

  /// - Throws: `CaseViolation` for a difference.
  mutating func compare(with model: GraphModel) throws {
    let nodes = realm.objects(GraphNode.self)
    try require(nodes.count == model.nodes.count, "\(nodes.count) nodes, not \(model.nodes.count)")
    for (id, node) in model.nodes.sorted(by: { $0.key < $1.key }) {
      guard let object = realm.object(ofType: GraphNode.self, forPrimaryKey: id) else {
        throw CaseViolation("node \(id) is missing")
      }
      try pair(node, object, "node \(id)")
    }
    while let (model, object, place) = waiting.popLast() { try compare(model, object, place) }
    let leafCount = realm.objects(GraphLeaf.self).count
    try require(leafCount == model.leafCount, "\(leafCount) leaves, not \(model.leafCount)")
  }

  private func require(_ isRight: Bool, _ text: @autoclosure () -> String) throws {
    if !isRight { throw CaseViolation(text()) }
  }

  private mutating func pair(_ model: GraphObject, _ object: ObjectBase, _ place: String) throws {
    if let known = pairs[ObjectIdentifier(model)] {
      return try require(known.isSameObject(as: object), "\(place) leads to a second copy")
    }
    try require(
      !pairs.values.contains { $0.isSameObject(as: object) }, "\(place) leads to another object")
    pairs[ObjectIdentifier(model)] = object
    waiting.append((model, object, place))
  }

  private mutating func compare(
    _ model: GraphObject, _ object: ObjectBase, _ place: String
  ) throws {
    for (name, _) in model.shapes {
      try compare(model.values[name] ?? .none, object[name], "\(place).\(name)")
    }
  }

  private mutating func compare(_ model: GraphValue, _ value: Any?, _ place: String) throws {
    let value: Any? = if let mixed = value as? AnyRealmValue { Self.content(mixed) } else { value }
    switch model {
    case .none: try require(value == nil, "\(place) is not nil")
    case .int(let number):
      try require(value as? Int == number, "\(place) is \(value ?? "nil"), not \(number)")
    case .string(let text):
      let isRight = (value as? String)?.utf8.elementsEqual(text.utf8) ?? false
      try require(isRight, "\(place) is '\(value ?? "nil")', not '\(text)'")
    case .object(let target):
      guard let object = value as? ObjectBase else {
        throw CaseViolation("\(place) is \(Self.shown(value)) and no object")
      }
      try pair(target, object, place)
    case .map(let entries):
      guard let found = Self.entries(value) else {
        throw CaseViolation("\(place) is \(Self.shown(value)) and no map")
      }
      let keys = entries.map { Array($0.key.utf8) }
      try require(found.map { Array($0.key.utf8) } == keys, "\(place) has other keys")
      for ((key, model), found) in zip(entries, found) {
        try compare(model, found.value, "\(place)[\(key)]")
      }
    case .list(let elements):
      guard var found = Self.elements(value) else {
        throw CaseViolation("\(place) is \(Self.shown(value)) and no list")
      }
      try require(found.count == elements.count, "\(place) has \(found.count) elements")
      // Those of a set have no order.
      if value is MutableSet<GraphNode> { found = sorted(found, as: elements) }
      if value is MutableSet<String> {
        found.sort {
          ($0 as? String ?? "").utf8.lexicographicallyPrecedes(($1 as? String ?? "").utf8)
        }
      }
      for (index, (model, found)) in zip(elements, found).enumerated() {
        try compare(model, found, "\(place)[\(index)]")
      }
    }
  }

  private func sorted(_ nodes: [Any?], as elements: [GraphValue]) -> [Any?] {
    let ids = elements.map { if case .object(let node) = $0 { node.id } else { 0 } }
    let byID = Dictionary(
      nodes.map { (($0 as? GraphNode)?._id ?? 0, $0) }, uniquingKeysWith: { first, _ in first })
    return ids.map { byID[$0] ?? nil }
  }

  private static func shown(_ value: Any?) -> String {
    value.map { "\(type(of: $0))" } ?? "nil"
  }

  private static func content(_ value: AnyRealmValue) -> Any? {
    switch value {
    case .none: nil
    case .int(let value): value
    case .string(let value): value
    case .object(let value): value
    case .list(let value): value
    case .dictionary(let value): value
    default: "a value of another type"
    }
  }

  private static func elements(_ value: Any?) -> [Any?]? {
    switch value {
    case let list as List<GraphNode>: list.map { $0 }
    case let list as List<GraphLeaf>: list.map { $0 }
    case let list as List<GraphPart>: list.map { $0 }
    case let list as List<AnyRealmValue>: list.map { $0 }
    case let list as List<Int>: list.map { $0 }
    case let set as MutableSet<GraphNode>: set.map { $0 }
    case let set as MutableSet<String>: set.map { $0 }
    default: nil
    }
  }

  private static func entries(_ value: Any?) -> [(key: String, value: Any?)]? {
    switch value {
    case let map as Map<String, GraphNode?>: map.map { ($0.key, $0.value) }
    case let map as Map<String, GraphPart?>: map.map { ($0.key, $0.value) }
    case let map as Map<String, AnyRealmValue>: map.map { ($0.key, $0.value) }
    case let map as Map<String, String>: map.map { ($0.key, $0.value) }
    default: nil
    }
  }
}
