extension MutableSet: RealmCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  /// Goes over the elements that there are now, whatever the loop does to the set.
  public func makeIterator() -> RLMIterator<Element> {
    guard let managed else { return RLMIterator((0..<count).map { self[$0] }) }
    return RLMIterator(.values(managed.elements), managed.row.context)
  }

  public var _resultList: _ResultList? {
    managed.map { set in
      _ResultList(
        set.row.context, Element._storedType.target,
        from: .property(set.row, position: set.position))
    }
  }

  public static func _collection(_ list: _ResultList) -> MutableSet? {
    guard case .property(let row, let position) = list.origin else { return nil }
    return MutableSet(row, position)
  }

  public func _moved(to context: _RealmContext) -> MutableSet? {
    guard let managed else { return nil }
    let row = managed.row.moved(to: context)
    return row.isValid ? MutableSet(row, managed.position) : nil
  }
}
