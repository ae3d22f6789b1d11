extension List: RealmCollection {
  public var _resultList: _ResultList? {
    managed.map { list in
      _ResultList(
        list.row.context, Element._storedType.target,
        from: .property(list.row, position: list.position))
    }
  }

  public static func _collection(_ list: _ResultList) -> List? {
    guard case .property(let row, let position) = list.origin else { return nil }
    return List(row, position)
  }

  public func _moved(to context: _RealmContext) -> List? {
    guard let managed else { return nil }
    let row = managed.row.moved(to: context)
    return row.isValid ? List(row, managed.position) : nil
  }
}
