internal import AtollObjects

/// Goes over the elements that a collection had when the loop began.
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
  private enum Source {
    case managed(ManagedSource)
    case property([_StoredValue], _ValuePlace)
    case unmanaged([Element])
  }

  /// One reference, so that a step of a loop does not retain what it holds.
  private final class ManagedSource {
    private let elements: Elements
    private let context: _RealmContext

    init(_ elements: Elements, _ context: _RealmContext) {
      self.elements = elements
      self.context = context
    }

    func load(_ index: Int) -> Element { Element._load(elements[index], context) }
  }

  private let source: Source
  private let count: Int
  private var index = 0

  /// Goes over what a realm holds.
  init(_ elements: Elements, _ context: _RealmContext) {
    source = .managed(ManagedSource(elements, context))
    count = elements.count
  }

  /// Goes over what a property holds.
  init(_ elements: [_StoredValue], in place: _ValuePlace) {
    source = .property(elements, place)
    count = elements.count
  }

  /// Goes over what an unmanaged collection holds.
  init(_ elements: [Element]) {
    source = .unmanaged(elements)
    count = elements.count
  }

  public mutating func next() -> Element? {
    guard index < count else { return nil }
    defer { index += 1 }
    switch source {
    case .managed(let source): return source.load(index)
    case .property(let elements, let place): return place.load(elements[index], index)
    case .unmanaged(let elements): return elements[index]
    }
  }
}
