/// A collection of a realm of which only the type of the elements is known.
public struct AnyRealmCollection<Element: RealmCollectionValue>: RealmCollection {
  private let list: _ResultList

  /// Takes the place of any collection of a realm.
  public init<C: RealmCollection>(_ base: C) where C.Element == Element {
    list = base.requiredList("AnyRealmCollection")
  }

  private init(_ list: _ResultList) { self.list = list }

  public var _resultList: _ResultList? { list }

  public static func _collection(_ list: _ResultList) -> AnyRealmCollection? {
    AnyRealmCollection(list)
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  /// The number of elements.
  public var count: Int { list.count }

  public subscript(position: Int) -> Element { Results<Element>(list)[position] }

  public func makeIterator() -> RLMIterator<Element> {
    RLMIterator(list.elements, list.context)
  }
}
