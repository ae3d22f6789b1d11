internal import TestSupport

/// Makes sources at random: objects that lead to each other, in cycles and diamonds too.
struct RandomGraph {
  private var random: SplitMix64
  private var nodes: [GraphObject] = []
  private var leaves: [GraphObject] = []
  private var isPartial = false
  private var existing: [GraphObject] = []

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<max(1, count), using: &random) }
  mutating func chance(_ percent: Int) -> Bool { pick(100) < percent }

  /// Makes a graph.
  ///
  /// - Parameters:
  ///   - existing: Objects of the realm that may be among what it leads to.
  ///   - isPartial: Whether properties may be left out.
  ///   - ids: The keys that nodes may have, each once.
  ///   - isOfLeaf: Whether the graph begins with a leaf.
  /// - Returns: The object that leads to all others.
  mutating func make(
    existing: [GraphObject], isPartial: Bool, ids: [Int], isOfLeaf: Bool
  ) -> GraphObject {
    self.existing = existing
    self.isPartial = isPartial
    let ids = ids.shuffled(using: &random)
    nodes = (0..<min(ids.count, 1 + pick(5))).map { _ in GraphObject(.node) }
    leaves = (0..<pick(5) + (isOfLeaf ? 1 : 0)).map { _ in GraphObject(.leaf) }
    for (node, id) in zip(nodes, ids) { node.values["_id"] = .int(id) }
    for node in nodes { fill(node) }
    for leaf in leaves { fill(leaf) }
    return isOfLeaf ? leaves[0] : nodes[0]
  }

  private mutating func fill(_ object: GraphObject, depth: Int = 0) {
    let isFull = !isPartial || chance(20)
    for (name, shape) in object.shapes where isFull || chance(50) {
      if case .key = shape { continue }
      object.values[name] = value(shape, depth: depth)
    }
  }

  private mutating func text() -> String {
    // Two spellings of one word among them.
    ["", "a", "b", "caf\u{e9}", "cafe\u{301}", "long enough to lie outside"][pick(6)]
  }

  private mutating func value(_ shape: GraphObject.Shape, depth: Int) -> GraphValue {
    switch shape {
    case .key: return .int(0)
    case .text: return .string(text())
    case .number: return chance(30) ? .none : .int(pick(10))
    case .mixed: return mixed(depth: 0)
    case .object(let kind): return object(kind, depth: depth)
    case .list(let kind): return .list(objects(kind, depth: depth))
    case .set: return .list(distinct(objects(.node, depth: depth)))
    case .map(let kind):
      return .map(keys().map { (key: $0, value: object(kind, depth: depth)) })
    case .mixedList: return .list((0..<pick(4)).map { _ in mixed(depth: 0) })
    case .numbers: return .list((0..<pick(4)).map { _ in .int(pick(9)) })
    case .words: return .list(keys().map { .string($0) })
    case .texts: return .map(keys().map { (key: $0, value: .string(text())) })
    }
  }

  /// Some texts, each once by its bytes, in the order of the bytes.
  private mutating func keys() -> [String] {
    let all = ["a", "b", "cafe\u{301}", "caf\u{e9}"]
    return all.filter { _ in chance(30) }
  }

  private func distinct(_ values: [GraphValue]) -> [GraphValue] {
    var known: Set<Int> = []
    return values.filter {
      guard case .object(let node) = $0 else { return false }
      return known.insert(node.existing?.id ?? node.id).inserted
    }
  }

  private mutating func objects(_ kind: GraphObject.GraphClass, depth: Int) -> [GraphValue] {
    guard depth < 3 else { return [] }
    return (0..<pick(4)).compactMap { _ in
      let value = object(kind, depth: depth)
      if case .object = value { return value }
      return nil
    }
  }

  private mutating func object(_ kind: GraphObject.GraphClass, depth: Int) -> GraphValue {
    if chance(35) { return .none }
    switch kind {
    case .node:
      if !existing.isEmpty, chance(30) {
        let stand = GraphObject(.node)
        stand.existing = existing[pick(existing.count)]
        return .object(stand)
      }
      return .object(nodes[pick(nodes.count)])
    case .leaf: return leaves.isEmpty ? .none : .object(leaves[pick(leaves.count)])
    case .part:
      guard depth < 3 else { return .none }
      let part = GraphObject(.part)
      fill(part, depth: depth + 1)
      return .object(part)
    }
  }

  private mutating func mixed(depth: Int) -> GraphValue {
    switch pick(depth < 3 ? 8 : 5) {
    case 0: .none
    case 1: .int(pick(100))
    case 2: .string(text())
    case 3: object(.node, depth: 0)
    case 4: object(.leaf, depth: 0)
    case 5, 6: .list((0..<pick(4)).map { _ in mixed(depth: depth + 1) })
    default: .map(keys().map { (key: $0, value: mixed(depth: depth + 1)) })
    }
  }
}
