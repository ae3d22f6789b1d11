internal import Atoll
internal import Foundation
internal import TestSupport

/// One realm in which objects are made of random graphs, each step compared with the model.
struct GraphTrial {
  let number: UInt64
  private var random: RandomGraph
  private var model = GraphModel()
  private let realm: Realm
  private(set) var flags = [false, false, false, false]
  private(set) var stepCount = 0
  /// Is told each step before it is made.
  var trace: (String) -> Void = { _ in }

  /// What objects are made of.
  private enum Form: CaseIterable {
    case objects, dictionary, unmanaged, otherFile, frozenOther, frozenOwn, ownLeaf
  }

  init(number: UInt64) throws {
    self.number = number
    random = RandomGraph(seed: number)
    realm = try Self.open()
  }

  private static func open() throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [GraphNode.self, GraphLeaf.self, GraphPart.self]))
  }

  mutating func run() throws {
    for _ in 0..<1 + random.pick(4) {
      try step()
      stepCount += 1
      var comparison = GraphComparison(realm)
      try comparison.compare(with: model)
    }
    // A long text takes its time.
    guard number % 8 == 0, let node = realm.objects(GraphNode.self).first else { return }
    let byteCount = node.description.utf8.count
    guard byteCount < 4_000_000 else {
      throw CaseViolation("the description of a node has \(byteCount) bytes")
    }
  }

  private mutating func step() throws {
    let form = Form.allCases[random.pick(Form.allCases.count)]
    let existing = model.nodes.values.sorted { $0.id < $1.id }
    let realm = realm
    let managed = { (object: GraphObject) in
      guard let node = realm.object(ofType: GraphNode.self, forPrimaryKey: object.id) else {
        preconditionFailure("what the model has was compared with the realm")
      }
      return node
    }
    // What a dictionary leaves out matters in an object that is there.
    let isNew = random.chance(form == .dictionary ? 25 : 50)
    let ids =
      isNew ? Array(100 + model.nodes.count * 10..<108 + model.nodes.count * 10) : [1, 2, 3, 4, 5]
    let isLeaf = isNew && random.chance(30)
    switch form {
    case .objects:
      let source = random.make(
        existing: existing, isPartial: false, ids: ids, isOfLeaf: isLeaf)
      try create(source, GraphSource(managed).object(source))
    case .dictionary, .unmanaged:
      let graph = random.make(
        existing: existing, isPartial: true, ids: ids, isOfLeaf: isLeaf && form == .dictionary)
      let (value, said) = GraphSource.dictionary(graph, managed)
      if form == .dictionary { return try create(said, value) }
      Self.complete(said)
      guard let policy = policy(for: said) else { return }
      trace("add \(policy) \(form) \(said)")
      let node = GraphNode(value: value)
      try realm.write { realm.add(node, update: Self.policy(policy)) }
      note(model.create(said, policy))
    case .otherFile, .frozenOther:
      let source = random.make(existing: [], isPartial: false, ids: ids, isOfLeaf: isLeaf)
      let other = try Self.open()
      let object = GraphSource(managed).object(source)
      guard let root = object as? Object else { return }
      try other.write { other.add(root) }
      flags[1] = true
      try create(source, form == .frozenOther ? root.freeze() : root)
    case .frozenOwn:
      guard let node = existing.first else { return }
      flags[2] = true
      var copies: [ObjectIdentifier: GraphObject] = [:]
      try create(Self.source(node, &copies), managed(node).freeze())
    case .ownLeaf:
      guard let leaf = realm.objects(GraphLeaf.self).first(where: { $0.node != nil }),
        let id = leaf.node?._id, let node = model.nodes[id], leaf.next == nil, leaf.part == nil,
        leaf.any == .none
      else { return }
      let stand = GraphObject(.node)
      stand.existing = node
      let source = GraphObject(.leaf)
      source.values = ["name": .string(leaf.name), "node": .object(stand)]
      try create(source, leaf)
    }
  }

  /// Makes objects of a source in the realm and in the model.
  private mutating func create(_ source: GraphObject, _ value: Any) throws {
    guard let policy = policy(for: source) else { return }
    trace("create \(policy) \(type(of: value)) \(source)")
    try realm.write {
      if source.kind == .leaf {
        _ = realm.create(GraphLeaf.self, value: value)
      } else {
        _ = realm.create(GraphNode.self, value: value, update: Self.policy(policy))
      }
    }
    note(model.create(source, policy))
  }

  private mutating func note(_ object: GraphObject) {
    flags[0] = true
    if object.kind == .leaf { flags[3] = true }
  }

  private static func policy(_ policy: GraphModel.Policy) -> Realm.UpdatePolicy {
    switch policy {
    case .error: .error
    case .modified: .modified
    case .all: .all
    }
  }

  /// A policy that the source can be created with; nil when there is none.
  private mutating func policy(for source: GraphObject) -> GraphModel.Policy? {
    var ids: [Int] = []
    var known: Set<ObjectIdentifier> = []
    Self.forEachNode(.object(source), &known) { ids.append($0) }
    let isNew = Set(ids).count == ids.count && ids.allSatisfy { model.nodes[$0] == nil }
    // A leaf has no key to be updated by.
    if source.kind == .leaf { return isNew ? .error : nil }
    return isNew && random.chance(60) ? .error : random.chance(50) ? .modified : .all
  }

  private static func forEachNode(
    _ value: GraphValue, _ known: inout Set<ObjectIdentifier>, _ body: (Int) -> Void
  ) {
    switch value {
    case .object(let object):
      guard object.existing == nil, known.insert(ObjectIdentifier(object)).inserted else { return }
      if object.kind == .node { body(object.id) }
      for value in object.values.values { forEachNode(value, &known, body) }
    case .list(let elements): for element in elements { forEachNode(element, &known, body) }
    case .map(let entries): for entry in entries { forEachNode(entry.value, &known, body) }
    default: break
    }
  }

  /// Gives a source all its properties, as an object has them that is made of it first.
  private static func complete(_ source: GraphObject) {
    guard source.existing == nil else { return }
    for (name, shape) in source.shapes where source.values[name] == nil {
      source.values[name] = GraphObject.initial(shape)
    }
    for value in source.values.values { complete(value) }
  }

  private static func complete(_ value: GraphValue) {
    switch value {
    case .object(let object): complete(object)
    case .list(let elements): for element in elements { complete(element) }
    case .map(let entries): for entry in entries { complete(entry.value) }
    default: break
    }
  }

  /// An object of the realm as a source.
  private static func source(
    _ object: GraphObject, _ copies: inout [ObjectIdentifier: GraphObject]
  ) -> GraphObject {
    if let copy = copies[ObjectIdentifier(object)] { return copy }
    let copy = GraphObject(object.kind)
    copies[ObjectIdentifier(object)] = copy
    for (name, value) in object.values { copy.values[name] = source(value, &copies) }
    return copy
  }

  private static func source(
    _ value: GraphValue, _ copies: inout [ObjectIdentifier: GraphObject]
  ) -> GraphValue {
    switch value {
    case .object(let object): .object(source(object, &copies))
    case .list(let elements): .list(elements.map { source($0, &copies) })
    case .map(let entries): .map(entries.map { ($0.key, source($0.value, &copies)) })
    default: value
    }
  }
}
