internal import AtollObjects
internal import AtollQuery

extension _ResultList {
  /// Finds the elements in the present state of the realm.
  ///
  /// `limit`: how many of them are needed at most.
  func evaluated(limit: Int? = nil) throws -> Elements {
    guard let descriptor else { return .values(try values()) }
    let source = context.source(of: descriptor)
    guard let table = source.schema.table(descriptor.name) else {
      return .objects(table: 0, KeyList())
    }
    if isOutdated { return .objects(table: table.id, KeyList()) }
    if isOfWholeClass {
      return .objects(table: table.id, KeyList(try queriedKeys(limit, source)))
    }
    var keys = try originKeys()
    if predicate != .true {
      let passing = Set(try query().results(in: source).keys)
      keys.removeAll { !passing.contains($0) }
    }
    if !descriptors.isEmpty {
      let pipeline = KeyPipeline(source, table)
      keys = try pipeline.apply(descriptors, to: keys)
    }
    return .objects(table: table.id, KeyList(keys))
  }

  private func queriedKeys(_ limit: Int?, _ source: any TreeSource) throws -> [ObjectKey] {
    guard let limit else { return try query().results(in: source).keys }
    guard let descriptor else { return [] }
    let request = QuerySyntax.Request(
      predicate, descriptors: descriptors + [.limit(Int64(limit))])
    return try AtollQuery.Query(
      request, on: descriptor.name, in: source.schema, arguments: arguments
    ).results(in: source).keys
  }

  /// How many elements there are.
  func counted() throws -> Int {
    if isOutdated { return 0 }
    if isOfWholeClass, let descriptor {
      let source = context.source(of: descriptor)
      if isWholeClass { return try source.table(descriptor.name).count }
      return try query().count(in: source)
    }
    return try evaluated().count
  }

  // MARK: Collections of objects

  /// The keys of the elements before anything is done to them, in their order.
  private func originKeys() throws -> [ObjectKey] {
    switch origin {
    case .objects: return []
    case .list(let list): return try list.foundElements().keys
    case .property(let place):
      guard try place.row.exists() else { return [] }
      let property = place.row.access.descriptor.property(at: place.position)
      if property.isComputed { return try linkingKeys(place.row, property) }
      return Self.contents(of: try place.storedValue()).compactMap { value in
        if case .link(let link) = value { ObjectKey(rawValue: link.key) } else { nil }
      }
    }
  }

  /// The keys of the objects that link to a row, ascending; one that does so twice comes twice.
  private func linkingKeys(_ row: _ManagedRow, _ property: PropertyDescriptor) throws -> [ObjectKey]
  {
    guard let descriptor, let originName = property.originName,
      let access = context.access(descriptor)
    else { return [] }
    guard let column = access.descriptor.property(originName).map({ access.columns[$0.position] }),
      let object = try context.source.table(row.access.descriptor.name).object(row.key)
    else { return [] }
    return try object.backlinks(column)
  }

  // MARK: Collections of values

  /// The type of the values of a collection; mixed where it lies in an `AnyRealmValue`.
  var typeOfValues: _StoredType {
    guard case .property(let place) = origin, place.path.isEmpty else { return _StoredType(.mixed) }
    return place.row.access.descriptor.property(at: place.position).form.stored
  }

  private func values() throws -> [_StoredValue] {
    guard case .property(let place) = origin, predicate != .false, try place.row.exists() else {
      return []
    }
    var values = Self.contents(of: try place.storedValue())
    for step in valueSteps {
      switch step {
      case .sort(true): values = values.stablySorted { _StoredValue.sortOrder($0, $1) == .less }
      case .sort(false): values = values.stablySorted { _StoredValue.sortOrder($0, $1) == .greater }
      case .distinct:
        var seen: Set<_StoredValue> = []
        values = values.filter { seen.insert($0).inserted }
      case .filter(let filter): values = try filter.passing(values, typeOfValues)
      }
    }
    return values
  }

  /// The elements of a collection of any kind.
  private static func contents(of value: _StoredValue?) -> [_StoredValue] {
    switch value {
    case .list(let elements), .set(let elements): elements
    case .map(let map): map.entries.map(\.value)
    default: []
    }
  }
}

extension Array {
  /// Sorted; elements that are equal by `areInIncreasingOrder` keep their order.
  func stablySorted(_ areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows -> [Element]
  {
    // The sort of the standard library is stable, though only its implementation says so.
    try enumerated().sorted { a, b in
      if try areInIncreasingOrder(a.element, b.element) { return true }
      if try areInIncreasingOrder(b.element, a.element) { return false }
      return a.offset < b.offset
    }.map(\.element)
  }
}
