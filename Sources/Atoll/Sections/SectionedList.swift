internal import AtollObjects
internal import AtollQuery
internal import Synchronization

/// The elements of a list in sections, found when they are asked for and again when the realm has
/// changed.
///
/// `SectionedResults` and their sections all stand on one. Belongs to its realm, as the list does.
public final class _SectionedList<Key: _Persistable & Hashable, Element: RealmCollectionValue> {
  let list: _ResultList
  /// Gives the key of an element: by a key path, or a block that is `@Sendable`, so that the list can
  /// be used in realms of other places.
  let key: (Element) -> Key
  /// The path that gives the key; nil where a block does.
  let keyPath: AnyKeyPath?

  /// The sections in one state of the realm.
  struct State {
    let elements: Elements
    let layout: SectionLayout<Key>
  }

  private var found: (state: State, changes: UInt64, isOutdated: Bool)?
  /// How often all keys were asked for.
  private(set) var searchCount = 0
  /// Held while what was found is read or kept, which several threads may do in a frozen realm.
  private let lock = Mutex(())

  init(_ list: _ResultList, keyPath: AnyKeyPath?, _ key: @escaping (Element) -> Key) {
    self.list = list
    self.keyPath = keyPath
    self.key = key
  }

  /// The sections in the present state of the realm.
  ///
  /// - Complexity: A key for each element when the realm has changed since, unless an observer has
  ///   been told of it.
  var state: State {
    list.noteRead()
    // A key that is known is not asked for again: it counts what it may come of.
    if let descriptor = list.descriptor { list.context.noteRead(.contents, of: descriptor) }
    let known = exclusively { found }
    if let known, known.changes == list.context.counts.all, known.isOutdated == list.isOutdated {
      return known.state
    }
    let failureCount = list.context.failureCount
    let state = search(list.elements)
    if list.context.isSound(since: failureCount) { adopt(state) }
    return state
  }

  var layout: SectionLayout<Key> { state.layout }

  private func exclusively<Result>(_ body: () -> Result) -> Result {
    guard list.context.isFrozen else { return body() }
    return lock.withLock { _ in body() }
  }

  /// Takes over what was found otherwise for the present state of the realm.
  func adopt(_ state: State) {
    let found = (state, list.context.counts.all, list.isOutdated)
    exclusively { self.found = found }
  }

  /// Asks for the key of each element.
  func search(_ elements: Elements) -> State {
    exclusively { searchCount += 1 }
    return State(
      elements: elements,
      layout: SectionLayout(count: elements.count) { key(of: elements, $0) })
  }

  func key(of elements: Elements, _ place: Int) -> Key {
    key(Element._load(elements[place], list.context))
  }

  /// The same sections in another realm of the same file; nil where the list is not there.
  func inContext(_ other: _RealmContext) -> _SectionedList? {
    if other === list.context { return self }
    return list.inContext(other).map { _SectionedList($0, keyPath: keyPath, key) }
  }

  func frozen() -> _SectionedList? {
    list.context.isFrozen ? self : list.frozen().map { _SectionedList($0, keyPath: keyPath, key) }
  }

  /// Whether both have the same elements in the same sections.
  func isSame(as other: _SectionedList) -> Bool {
    if self === other { return true }
    guard let keyPath else { return false }
    return keyPath == other.keyPath && list.isSame(as: other.list)
  }
}
