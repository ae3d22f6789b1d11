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

extension GraphValue {
  /// Calls `body` for each embedded object that is the value, or an element of it.
  func forEachPart(_ body: (GraphObject) -> Void) {
    switch self {
    case .object(let object): if object.kind == .part { body(object) }
    case .list(let elements): for element in elements { element.forEachPart(body) }
    case .map(let entries): for entry in entries { entry.value.forEachPart(body) }
    case .none, .int, .string: break
    }
  }
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
  /// Whether it is an embedded object whose property has another value now.
  private(set) var isGone = false

  init(_ kind: GraphClass) { self.kind = kind }

  /// The key of a node.
  var id: Int {
    if case .int(let id) = values["_id"] { id } else { 0 }
  }

  /// Takes an embedded object for gone, with those that it owns.
  func end() {
    isGone = true
    for value in values.values { value.forEachPart { $0.end() } }
  }

  /// What kind of values a property has.
  enum Shape {
    case text, number, key, mixed, object(GraphClass), list(GraphClass), map(GraphClass)
    case set, mixedList, numbers, words, texts

    /// Whether a value is single and leads to no object.
    var isPlain: Bool {
      switch self {
      case .text, .number, .key: true
      default: false
      }
    }
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

extension GraphObject: CustomStringConvertible {
  var description: String {
    var known: [ObjectIdentifier: Int] = [:]
    return text(&known)
  }

  /// Each object in full where it is met first.
  fileprivate func text(_ known: inout [ObjectIdentifier: Int]) -> String {
    if let existing { return "node \(existing.id) of the realm" }
    if let number = known[ObjectIdentifier(self)] { return "@\(number)" }
    known[ObjectIdentifier(self)] = known.count
    var text = "@\(known.count - 1) \(kind)("
    for (name, _) in shapes {
      guard let value = values[name] else { continue }
      text += "\(name): \(value.text(&known)), "
    }
    return text + ")"
  }
}

extension GraphValue {
  fileprivate func text(_ known: inout [ObjectIdentifier: Int]) -> String {
    switch self {
    case .none: return "nil"
    case .int(let number): return "\(number)"
    case .string(let text): return "'\(text)'"
    case .object(let object): return object.text(&known)
    case .list(let elements):
      var texts: [String] = []
      for element in elements { texts.append(element.text(&known)) }
      return "[\(texts.joined(separator: ", "))]"
    case .map(let entries):
      var texts: [String] = []
      for (key, value) in entries { texts.append("\(key): \(value.text(&known))") }
      return "{\(texts.joined(separator: ", "))}"
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

  /// Goes from property to property in the order of their declarations.
  ///
  /// What a link leads to comes before the next property. So of two values for one object, given by
  /// its key, the later wins.
  private struct Copying {
    var model: GraphModel
    let policy: Policy
    var copies: [ObjectIdentifier: GraphObject] = [:]
    /// Properties that are still to be set, the next one last.
    private var waiting: [Step] = []
    /// Those of the objects that were met since the last one.
    private var met: [Step] = []

    private struct Step {
      let copy: GraphObject
      let name: String
      let value: GraphValue
    }

    init(model: GraphModel, policy: Policy) {
      self.model = model
      self.policy = policy
    }

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
      fill(copy, source)
      return copy
    }

    private func fresh(_ kind: GraphObject.GraphClass) -> GraphObject {
      let object = GraphObject(kind)
      for (name, shape) in object.shapes { object.values[name] = GraphObject.initial(shape) }
      return object
    }

    /// Sets what is single and no link at once, and the rest later.
    private mutating func fill(_ copy: GraphObject, _ source: GraphObject) {
      for (name, shape) in source.shapes {
        guard let value = source.values[name] else { continue }
        if shape.isPlain {
          copy.values[name] = value
        } else {
          met.append(Step(copy: copy, name: name, value: value))
        }
      }
    }

    mutating func run() {
      while true {
        waiting += met.reversed()
        met = []
        guard let step = waiting.popLast() else { return }
        // The embedded objects of a value that another has replaced are gone.
        if !step.copy.isGone { set(step) }
      }
    }

    private mutating func set(_ step: Step) {
      let old = step.copy.values[step.name] ?? .none
      // An embedded object that is there is changed in place when that is asked for.
      if policy == .modified, case .object(let source) = step.value, source.kind == .part,
        case .object(let part) = old
      {
        return fill(part, source)
      }
      step.copy.values[step.name] = value(step.value)
      old.forEachPart { $0.end() }
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
