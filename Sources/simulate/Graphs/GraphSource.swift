internal import Atoll

/// Makes what an application gives to `create` of sources of the model.
final class GraphSource {
  private var made: [ObjectIdentifier: ObjectBase] = [:]
  /// The object of the realm that an object of the model stands for.
  private let managed: (GraphObject) -> GraphNode

  init(_ managed: @escaping (GraphObject) -> GraphNode) { self.managed = managed }

  // MARK: Unmanaged objects

  /// The unmanaged object of a source, with all that it leads to.
  func object(_ source: GraphObject) -> ObjectBase {
    if let existing = source.existing { return managed(existing) }
    if let object = made[ObjectIdentifier(source)] { return object }
    switch source.kind {
    case .node:
      let node = GraphNode()
      made[ObjectIdentifier(source)] = node
      fill(node, source)
      return node
    case .leaf:
      let leaf = GraphLeaf()
      made[ObjectIdentifier(source)] = leaf
      fill(leaf, source)
      return leaf
    case .part:
      let part = GraphPart()
      made[ObjectIdentifier(source)] = part
      fill(part, source)
      return part
    }
  }

  private func fill(_ node: GraphNode, _ source: GraphObject) {
    let values = Values(source)
    node._id = source.id
    node.name = values.text("name")
    node.number = values.number("number")
    node.link = linked(values["link"])
    node.leaf = linked(values["leaf"])
    node.list.append(objectsIn: objects(GraphNode.self, values["list"]))
    node.leaves.append(objectsIn: objects(GraphLeaf.self, values["leaves"]))
    node.set.insert(objectsIn: objects(GraphNode.self, values["set"]))
    for (key, value) in values.entries("map") { node.map[key] = .some(linked(value)) }
    node.any = mixed(values["any"])
    node.values.append(objectsIn: values.elements("values").map { mixed($0) })
    node.part = linked(values["part"])
    node.parts.append(objectsIn: objects(GraphPart.self, values["parts"]))
    for (key, value) in values.entries("partMap") { node.partMap[key] = .some(linked(value)) }
    node.numbers.append(objectsIn: values.elements("numbers").compactMap { $0.int })
    node.words.insert(objectsIn: values.elements("words").compactMap { $0.string })
    for (key, value) in values.entries("texts") { node.texts[key] = value.string ?? "" }
  }

  private func fill(_ leaf: GraphLeaf, _ source: GraphObject) {
    let values = Values(source)
    leaf.name = values.text("name")
    leaf.next = linked(values["next"])
    leaf.node = linked(values["node"])
    leaf.any = mixed(values["any"])
    leaf.part = linked(values["part"])
  }

  private func fill(_ part: GraphPart, _ source: GraphObject) {
    let values = Values(source)
    part.name = values.text("name")
    part.node = linked(values["node"])
    part.leaf = linked(values["leaf"])
    part.inner = linked(values["inner"])
    part.inners.append(objectsIn: objects(GraphPart.self, values["inners"]))
    part.any = mixed(values["any"])
  }

  private struct Values {
    let source: GraphObject

    init(_ source: GraphObject) { self.source = source }
    subscript(name: String) -> GraphValue { source.values[name] ?? .none }
    func text(_ name: String) -> String { self[name].string ?? "" }
    func number(_ name: String) -> Int? { self[name].int }
    func elements(_ name: String) -> [GraphValue] { self[name].elements }
    func entries(_ name: String) -> [(key: String, value: GraphValue)] { self[name].entries }
  }

  private func linked<T: ObjectBase>(_ value: GraphValue) -> T? {
    if case .object(let source) = value { object(source) as? T } else { nil }
  }

  private func objects<T: ObjectBase>(_ type: T.Type, _ value: GraphValue) -> [T] {
    value.elements.compactMap { linked($0) as T? }
  }

  private func mixed(_ value: GraphValue) -> AnyRealmValue {
    switch value {
    case .none: return .none
    case .int(let number): return .int(number)
    case .string(let text): return .string(text)
    case .object(let source): return (object(source) as? Object).map { .object($0) } ?? .none
    case .list(let elements): return .fromArray(elements.map { mixed($0) })
    case .map(let entries):
      let map = Map<String, AnyRealmValue>()
      for (key, value) in entries { map[key] = mixed(value) }
      return .dictionary(map)
    }
  }

  // MARK: Dictionaries

  /// How deep dictionaries lie in each other; nodes beyond are named by their keys.
  private static let depthLimit = 3

  /// The dictionary of a source, and the sources that it says: an object that is named twice is
  /// written twice.
  static func dictionary(
    _ source: GraphObject, _ managed: @escaping (GraphObject) -> GraphNode
  ) -> (value: [String: Any], said: GraphObject) {
    var writing = Writing(managed: managed)
    let said = GraphObject(source.kind)
    let value = writing.dictionary(source, said, depth: 0)
    return (value, said)
  }

  private struct Writing {
    let managed: (GraphObject) -> GraphNode

    mutating func dictionary(
      _ source: GraphObject, _ said: GraphObject, depth: Int
    ) -> [String: Any] {
      var entries: [String: Any] = [:]
      for (name, value) in source.values {
        if depth >= depthLimit, name != "_id", Self.leadsOn(value) { continue }
        let isMixed = name == "any" || name == "values"
        let (written, copy) = write(value, depth: depth, isMixed: isMixed)
        entries[name] = written
        said.values[name] = copy
      }
      return entries
    }

    /// Whether objects are in a value.
    private static func leadsOn(_ value: GraphValue) -> Bool {
      switch value {
      case .object: true
      case .list(let elements): elements.contains { leadsOn($0) }
      case .map(let entries): entries.contains { leadsOn($0.value) }
      default: false
      }
    }

    private mutating func write(
      _ value: GraphValue, depth: Int, isMixed: Bool
    ) -> (Any, GraphValue) {
      switch value {
      case .none: return (Any?.none as Any, .none)
      case .int(let number): return (number, value)
      case .string(let text): return (text, value)
      case .object(let source):
        if let existing = source.existing { return (managed(existing), value) }
        // A dictionary in a mixed value is one, and no object.
        if isMixed { return (Any?.none as Any, .none) }
        let said = GraphObject(source.kind)
        return (dictionary(source, said, depth: depth + 1), .object(said))
      case .list(let elements):
        let written = elements.map { write($0, depth: depth, isMixed: isMixed) }
        return (written.map(\.0), .list(written.map(\.1)))
      case .map(let entries):
        // A dictionary of Swift holds one of two spellings.
        var dictionary: [String: Any] = [:]
        var said: [(key: String, value: GraphValue)] = []
        for (key, value) in entries where dictionary[key] == nil {
          let (written, copy) = write(value, depth: depth, isMixed: isMixed)
          dictionary[key] = written
          said.append((key, copy))
        }
        return (dictionary, .map(said))
      }
    }
  }
}

extension GraphValue {
  var int: Int? { if case .int(let value) = self { value } else { nil } }
  var string: String? { if case .string(let value) = self { value } else { nil } }
  var elements: [GraphValue] { if case .list(let value) = self { value } else { [] } }
  var entries: [(key: String, value: GraphValue)] {
    if case .map(let value) = self { value } else { [] }
  }
}
