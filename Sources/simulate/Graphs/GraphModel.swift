/// A value of a property in the model.
enum GraphValue {
  case none
  case int(Int)
  case string(String)
  case object(GraphObject)
  /// The elements of a list or a set.
  case list([GraphValue])
  /// Ascending by the bytes of the keys.
  case map([(key: String, value: GraphValue)])
}

/// An object of the model: one of the realm, or a source that objects are made of.
final class GraphObject {
  enum GraphClass: CaseIterable {
    case node, leaf, part
  }

  let kind: GraphClass
  var values: [String: GraphValue] = [:]
  /// Whether it is a source and stands for the object of the realm itself.
  var existing: GraphObject?

  init(_ kind: GraphClass) { self.kind = kind }

  /// The key of a node.
  var id: Int {
    if case .int(let id) = values["_id"] { id } else { 0 }
  }

  /// What kind of values a property has.
  enum Shape {
    case text, number, key, mixed, object(GraphClass), list(GraphClass), map(GraphClass)
    case set, mixedList, numbers, words, texts
  }

  static let shapes: [GraphClass: [(name: String, shape: Shape)]] = [
    .node: [
      ("_id", .key), ("name", .text), ("number", .number), ("link", .object(.node)),
      ("leaf", .object(.leaf)), ("list", .list(.node)), ("leaves", .list(.leaf)), ("set", .set),
      ("map", .map(.node)), ("any", .mixed), ("values", .mixedList), ("part", .object(.part)),
      ("parts", .list(.part)), ("partMap", .map(.part)), ("numbers", .numbers), ("words", .words),
      ("texts", .texts),
    ],
    .leaf: [
      ("name", .text), ("next", .object(.leaf)), ("node", .object(.node)), ("any", .mixed),
      ("part", .object(.part)),
    ],
    .part: [
      ("name", .text), ("node", .object(.node)), ("leaf", .object(.leaf)),
      ("inner", .object(.part)), ("inners", .list(.part)), ("any", .mixed),
    ],
  ]

  var shapes: [(name: String, shape: Shape)] { Self.shapes[kind] ?? [] }

  /// What a property of a new object has.
  static func initial(_ shape: Shape) -> GraphValue {
    switch shape {
    case .text: .string("")
    case .number, .mixed, .object: .none
    case .key: .int(0)
    case .list, .set, .mixedList, .numbers, .words: .list([])
    case .map, .texts: .map([])
    }
  }
}

/// What a realm must hold.
struct GraphModel {
  var nodes: [Int: GraphObject] = [:]
  var leafCount = 0

  enum Policy: CaseIterable {
    case error, modified, all
  }

  /// Copies what a source leads to, as `create` must, each object once.
  ///
  /// A property that a source does not name has its default in a new object and stays in another.
  mutating func create(_ source: GraphObject, _ policy: Policy) -> GraphObject {
    var copying = Copying(model: self, policy: policy)
    let copy = copying.object(source)
    copying.run()
    self = copying.model
    return copy
  }

  private struct Copying {
    var model: GraphModel
    let policy: Policy
    var copies: [ObjectIdentifier: GraphObject] = [:]
    var waiting: [(source: GraphObject, copy: GraphObject)] = []

    mutating func object(_ source: GraphObject) -> GraphObject {
      if let existing = source.existing { return existing }
      if let copy = copies[ObjectIdentifier(source)] { return copy }
      let copy: GraphObject
      switch source.kind {
      case .node:
        copy = model.nodes[source.id] ?? fresh(.node)
        model.nodes[source.id] = copy
      case .leaf:
        copy = fresh(.leaf)
        model.leafCount += 1
      case .part: copy = fresh(.part)
      }
      copies[ObjectIdentifier(source)] = copy
      waiting.append((source, copy))
      return copy
    }

    private func fresh(_ kind: GraphObject.GraphClass) -> GraphObject {
      let object = GraphObject(kind)
      for (name, shape) in object.shapes { object.values[name] = GraphObject.initial(shape) }
      return object
    }

    mutating func run() {
      while let (source, copy) = waiting.popLast() {
        for (name, value) in source.values { copy.values[name] = property(value, of: copy, name) }
      }
    }

    private mutating func property(
      _ value: GraphValue, of owner: GraphObject, _ name: String
    ) -> GraphValue {
      // An embedded object that is there is changed in place when that is asked for.
      if policy == .modified, case .object(let source) = value, source.kind == .part,
        case .object(let old) = owner.values[name]
      {
        waiting.append((source, old))
        return .object(old)
      }
      return self.value(value)
    }

    private mutating func value(_ value: GraphValue) -> GraphValue {
      switch value {
      case .none, .int, .string: return value
      case .object(let source): return .object(object(source))
      case .list(let elements): return .list(elements.map { self.value($0) })
      case .map(let entries): return .map(entries.map { ($0.key, self.value($0.value)) })
      }
    }
  }
}
