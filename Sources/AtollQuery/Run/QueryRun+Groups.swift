internal import AtollObjects

extension QueryRun {
  /// The rows of a query with GROUP.
  func groups(_ grouping: BoundGrouping) throws -> [[Value]] {
    var table = try GroupTable(grouping, execution)
    if bound.descriptors.isEmpty {
      try forEachLeaf { leaf, rows in
        try table.add(leaf, rows)
        return true
      }
    } else {
      let list = try rows()
      for row in list.rows { try table.add(list.place(row)) }
    }
    return table.rows()
  }

  /// The rows of a query with GROUP, of chosen objects.
  func groups(_ grouping: BoundGrouping, of keys: [ObjectKey]) throws -> [[Value]] {
    var groups = try GroupTable(grouping, execution)
    for key in keys {
      if let place = try table.locate(key.rawValue) { try groups.add(place) }
    }
    return groups.rows()
  }
}
