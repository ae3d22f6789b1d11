extension List: RealmCollection {
  public var _resultList: _ResultList? {
    managed.map { list in
      _ResultList(
        list.row.context, list.place.targetClass,
        from: .property(list.place))
    }
  }

  public static func _collection(_ list: _ResultList) -> List? {
    guard case .property(let place) = list.origin else { return nil }
    return List(place)
  }
}
