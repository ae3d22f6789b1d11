internal import Atoll

/// A class of projections of `simulate api`, without its type.
struct ApiViewKind {
  /// The paths of the properties, each as names.
  let paths: [String: [String]]
  /// What the projection of an object shows.
  let show: (ObjectBase) -> [String: ApiValue]
  /// Observes the projection of an object.
  let observe: (ObjectBase, ApiViewObserver) -> [NotificationToken]

  init<P: ApiShowing>(_ type: P.Type) {
    func view(_ object: ObjectBase) -> P {
      guard let object = object as? P.Root else {
        preconditionFailure("\(P.self) is of other objects")
      }
      return P(projecting: object)
    }
    paths = P.paths.mapValues { $0.split(separator: ".").map(String.init) }
    show = { view($0).shown }
    observe = { object, observer in
      let view = view(object)
      let token = view.observe { [weak observer] (change: ObjectChange<P>) in
        switch change {
        case .change(_, let properties): observer?.hear(properties)
        case .deleted: observer?.hearOfEnd()
        case .error: break
        }
      }
      return [token] + view.observeCollections { [weak observer] in observer?.hear($0, $1) }
    }
  }

  /// The projections of the objects of a class; nil where there are none.
  static func of(_ kind: String) -> ApiViewKind? {
    switch kind {
    case "ApiNode": ApiViewKind(ApiNodeView.self)
    case "ApiOwner": ApiViewKind(ApiOwnerView.self)
    case "ApiSmallC": ApiViewKind(ApiSmallView.self)
    default: nil
    }
  }

  /// What the projection of an object is to show.
  func expected(_ number: Int, _ world: ApiWorld) -> [String: ApiValue] {
    paths.mapValues { world.shown($0[...], of: number) }
  }
}

extension ApiWorld {
  /// The value at the end of a path of an object; behind a collection a list of values.
  fileprivate func shown(_ path: ArraySlice<String>, of number: Int) -> ApiValue {
    guard let name = path.first else { return .object(number) }
    if name == "number" { return .int(Int64(number)) }
    let value = rows[number]?.values[name] ?? .null
    let rest = path.dropFirst()
    if rest.isEmpty { return value }
    switch value {
    case .object(let target): return shown(rest, of: target)
    case .list, .set: return .list(value.objects.map { shown(rest, of: $0) })
    default: return .null
    }
  }
}

/// An observer of a projection and of its collections, and what it was told.
final class ApiViewObserver {
  let number: Int
  private let kind: ApiViewKind
  private var known: [String: ApiValue]
  private var elements: [String: [ApiValue]] = [:]
  private var isAtEnd = false
  private var problem: String?
  var tokens: [NotificationToken] = []

  init(_ number: Int, _ kind: ApiViewKind, _ shown: [String: ApiValue]) {
    self.number = number
    self.kind = kind
    known = shown
  }

  private var name: String { "an observer of the projection of #\(number)" }

  func hearOfEnd() { isAtEnd = true }

  func hear(_ properties: [ProjectedPropertyChange]) {
    for property in properties {
      guard kind.paths[property.name] != nil else {
        return problem = "\(name) is told of \(property.name)"
      }
      // One that was deleted cannot be asked for its number.
      let isObject = property.oldValue is ObjectBase
      if !isObject, let old = (property.oldValue as? any ApiElement)?.plain,
        old != known[property.name]
      {
        problem =
          "\(name) is told that \(property.name) was \(old), and it was "
          + "\(known[property.name] ?? .null)"
      }
      known[property.name] = (property.newValue as? any ApiElement)?.plain ?? .null
    }
  }

  func hear(_ name: String, _ notice: ApiViewNotice) {
    defer { elements[name] = notice.elements }
    if notice.isInitial { return }
    guard let old = elements[name] else {
      return problem = "\(self.name) is told of a change of \(name) before the beginning"
    }
    var told: [ApiValue?] = old
    for place in notice.modifications { told[place] = nil }
    for place in notice.deletions.reversed() { told.remove(at: place) }
    for place in notice.insertions { told.insert(notice.elements[place], at: place) }
    let isSame =
      told.count == notice.elements.count
      && zip(told, notice.elements).allSatisfy { $0 == nil || $0 == $1 }
    if !isSame { problem = "\(self.name) had \(name) \(old), is told \(notice)" }
  }

  /// What is wrong with what it was told, where this is there now.
  func problem(_ world: ApiWorld) -> String? {
    if let problem { return problem }
    if isAtEnd != (world.rows[number] == nil) { return "\(name) is told of its end: \(isAtEnd)" }
    let expected = kind.expected(number, world)
    for (property, value) in expected {
      if let elements = elements[property] {
        let all: ApiValue = isAtEnd ? .list([]) : value
        if all.unordered != ApiValue.list(elements).unordered {
          return "\(name) knows \(property) \(elements), expected \(all)"
        }
      } else if !isAtEnd, known[property] != value {
        return "\(name) knows \(property) \(known[property] ?? .null), expected \(value)"
      }
    }
    return nil
  }
}

extension ApiValue {
  /// The same with the elements of a list in one order.
  var unordered: ApiValue {
    if case .list(let elements) = self { .list(elements.sorted()) } else { self }
  }
}
