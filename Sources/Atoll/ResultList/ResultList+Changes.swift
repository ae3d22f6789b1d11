internal import AtollObjects
internal import AtollQuery
internal import AtollStorage

extension _ResultList {
  /// Whether the elements can be others than in an older version: not only changed in themselves.
  ///
  /// Cost: that of the change, not of the elements.
  func mayHaveOtherElements(_ difference: VersionDifference) throws -> Bool {
    if let descriptor, !isUnfiltered {
      // A version that does not have the class, or a property, cannot be asked; the search can.
      guard let dependencies = try? dependencies(of: descriptor, difference.new.schema) else {
        return true
      }
      if try dependencies.areTouched(by: difference) { return true }
    }
    switch origin {
    case .list(let list): return try list.mayHaveOtherElements(difference)
    case .objects:
      guard let descriptor, let table = context.access(descriptor)?.table.id else { return true }
      let changes = try difference.table(table)
      return !changes.inserted.isEmpty || !changes.deleted.isEmpty
    case .property(let place):
      guard place.row.isValid else { return true }
      let access = place.row.access
      let property = access.descriptor.property(at: place.position)
      if property.isComputed { return try mayHaveOtherSources(property, difference) }
      return try difference.table(access.table.id)
        .isTouched(place.row.key, access.columns[place.position].id)
    }
  }

  /// Whether other objects may link to the owner of inverse links.
  private func mayHaveOtherSources(
    _ property: PropertyDescriptor, _ difference: VersionDifference
  ) throws -> Bool {
    guard let descriptor, let originName = property.originName,
      let access = context.access(descriptor),
      let position = access.descriptor.property(originName)?.position
    else { return true }
    let column = access.columns[position].id
    let changes = try difference.table(access.table.id)
    return !changes.inserted.isEmpty || !changes.deleted.isEmpty
      || changes.modified.contains { $0.value.contains(column) }
  }

  /// Whether elements may be links to objects, or hold some.
  var mayLeadToObjects: Bool {
    if descriptor != nil { return true }
    guard case .property(let place) = origin else { return true }
    return place.row.access.descriptor.property(at: place.position).form.stored.type == .mixed
  }
}

extension TableDifference {
  /// Whether a property of an object, by the id of its column, was set, or the object came or went.
  func isTouched(_ key: ObjectKey, _ column: UInt32) -> Bool {
    modified[key]?.contains(column) ?? false || inserted.containsSorted(key)
      || deleted.containsSorted(key)
  }
}

extension [ObjectKey] {
  /// Whether a key is among these, which ascend.
  fileprivate func containsSorted(_ key: ObjectKey) -> Bool {
    let low = binarySearch(indices) { self[$0] < key }
    return low < count && self[low] == key
  }
}
