internal import AtollObjects
internal import AtollQuery
internal import AtollStorage

extension _ResultList {
  /// Whether the elements can be others than in an older version: not only changed in themselves.
  ///
  /// Cost: that of the change, not of the elements.
  func mayHaveOtherElements(_ difference: VersionDifference) throws -> Bool {
    try ListQuestion(self).mayHaveOtherElements(difference)
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
