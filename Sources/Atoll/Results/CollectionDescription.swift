extension DescribedValue where Self: RealmCollection {
  func text(_ scope: DescriptionScope) -> String { ObjectDescription.text(of: self, scope) }
}

extension List: DescribedValue {}
extension MutableSet: DescribedValue {}
extension LinkingObjects: DescribedValue {}

extension Map: DescribedValue {
  func text(_ scope: DescriptionScope) -> String { ObjectDescription.text(of: self, scope) }
}

extension AnyRealmValue: DescribedValue {
  func text(_ scope: DescriptionScope) -> String {
    switch self {
    case .object(let object): "object(\(scope.text(object)))"
    case .list(let list): "list(\(scope.inner.text(list)))"
    case .dictionary(let map): "dictionary(\(scope.inner.text(map)))"
    default: "\(self)"
    }
  }
}

extension AnyRealmValue: CustomStringConvertible {
  /// The value with its type, for people.
  public var description: String {
    switch self {
    case .none: "none"
    case .int(let value): "int(\(value))"
    case .bool(let value): "bool(\(value))"
    case .float(let value): "float(\(value))"
    case .double(let value): "double(\(value))"
    case .string(let value): "string(\(String(reflecting: value)))"
    case .data(let value): "data(\(value))"
    case .date(let value): "date(\(value))"
    case .objectId(let value): "objectId(\(value))"
    case .decimal128(let value): "decimal128(\(value))"
    case .uuid(let value): "uuid(\(value))"
    case .object, .list, .dictionary: text(DescriptionScope())
    }
  }
}

extension ObjectDescription {
  /// The entries of a map, the first hundred.
  static func text<M: RealmKeyedCollection>(
    of map: M, _ scope: DescriptionScope = DescriptionScope()
  ) -> String {
    let name = "Map<\(M.Key.self), \(M.Value.self)>"
    let keys = map.keys
    if scope.isExhausted { return "\(name) (\(keys.count) entries)" }
    return name
      + lines(keys.count) { index in
        scope.takesOne() ? "[\(keys[index])]: \(scope.text(map[keys[index]] as Any))" : nil
      }
  }

  /// The first hundred elements of a collection.
  static func text<C: RandomAccessCollection>(
    of collection: C, _ scope: DescriptionScope = DescriptionScope()
  ) -> String {
    let name = "\("\(C.self)".prefix { $0 != "<" })<\(C.Element.self)>"
    let count = collection.count
    if scope.isExhausted { return "\(name) (\(count) elements)" }
    let elements = Array(collection.prefix(100))
    return name
      + lines(count) { index in
        scope.takesOne() ? "[\(index)] \(scope.text(elements[index]))" : nil
      }
  }

  /// Lines in parentheses, as far as there is room; `line` gives nil where there is none.
  private static func lines(_ count: Int, _ line: (Int) -> String?) -> String {
    var text = " ("
    var shownCount = 0
    while shownCount < min(count, 100), let next = line(shownCount) {
      text += "\n\t\(next.replacing("\n", with: "\n\t"))"
      shownCount += 1
      if shownCount < count { text += "," }
    }
    if shownCount < count { text += "\n\t... \(count - shownCount) elements skipped." }
    return text + "\n)"
  }
}
