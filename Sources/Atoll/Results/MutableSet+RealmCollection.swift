extension MutableSet: RealmCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  /// Goes over the elements that there are now, whatever the loop does to the set.
  public func makeIterator() -> RLMIterator<Element> {
    guard let managed else { return RLMIterator((0..<count).map { self[$0] }) }
    return RLMIterator(managed.loopElements, in: managed.place)
  }

  public var _resultList: _ResultList? {
    managed.map { set in
      _ResultList(
        set.row.context, set.place.targetClass,
        from: .property(set.place))
    }
  }

  public static func _collection(_ list: _ResultList) -> MutableSet? {
    guard case .property(let place) = list.origin else { return nil }
    return MutableSet(place)
  }
}
