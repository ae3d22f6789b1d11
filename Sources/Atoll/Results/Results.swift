internal import AtollObjects

/// The elements that a query finds, in its order; they follow the realm.
///
/// The query runs when the first element is asked for, and again when the realm has changed since.
/// A loop goes over the elements that there were at its beginning: those deleted meanwhile come out
/// invalidated. An index is always one of the present state.
public struct Results<Element: RealmCollectionValue>: RealmCollection {
  let list: _ResultList

  init(_ list: _ResultList) { self.list = list }

  /// All objects of a class.
  init(_ context: _RealmContext, of descriptor: ClassDescriptor) {
    _ = context.access(descriptor)
    list = _ResultList(context, descriptor, from: .objects)
  }

  public var _resultList: _ResultList? { list }

  public static func _collection(_ list: _ResultList) -> Results? { Results(list) }

  // MARK: Elements

  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  /// The number of elements.
  public var count: Int { list.count }

  public var isEmpty: Bool { list.first == nil }

  public var first: Element? { list.first.map { Element._load($0, list.context) } }

  public var last: Element? {
    let elements = list.elements
    return elements.isEmpty ? nil : Element._load(elements[elements.count - 1], list.context)
  }

  public subscript(position: Int) -> Element {
    let elements = list.elements
    guard position >= 0, position < elements.count else {
      list.context.refuse("index \(position) is out of range of \(elements.count) results")
      return Element._load(.null, list.context)
    }
    return Element._load(elements[position], list.context)
  }

  public func makeIterator() -> RLMIterator<Element> {
    RLMIterator(list.elements, list.context)
  }
}

@available(*, unavailable, message: "results belong to the place that opened their realm")
extension Results: Sendable {}

extension Results: Encodable where Element: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for element in self { try container.encode(element) }
  }
}
