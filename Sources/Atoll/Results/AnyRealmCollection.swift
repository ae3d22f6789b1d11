/// A collection of which only the type of the elements is known.
public struct AnyRealmCollection<Element: RealmCollectionValue>: RealmCollection {
  private enum Base {
    case managed(_ResultList)
    case unmanaged(any RealmCollection<Element>)
  }

  private let base: Base

  /// Takes the place of any collection.
  public init<C: RealmCollection>(_ base: C) where C.Element == Element {
    self.base = base._resultList.map { .managed($0) } ?? .unmanaged(base)
  }

  private init(_ list: _ResultList) { base = .managed(list) }

  public var _resultList: _ResultList? {
    if case .managed(let list) = base { list } else { nil }
  }

  /// The collection that it takes the place of; nil for one of a realm.
  var unmanagedBase: (any RealmCollection<Element>)? {
    if case .unmanaged(let elements) = base { elements } else { nil }
  }

  public static func _collection(_ list: _ResultList) -> AnyRealmCollection? {
    AnyRealmCollection(list)
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  /// The number of elements.
  public var count: Int {
    switch base {
    case .managed(let list): list.count
    case .unmanaged(let elements): elements.count
    }
  }

  public subscript(position: Int) -> Element {
    switch base {
    case .managed(let list): Results<Element>(list)[position]
    case .unmanaged(let elements): elements[position]
    }
  }

  public func makeIterator() -> RLMIterator<Element> {
    switch base {
    case .managed(let list): RLMIterator(list.elements, list.context)
    case .unmanaged(let elements): RLMIterator(Array(elements))
    }
  }
}
