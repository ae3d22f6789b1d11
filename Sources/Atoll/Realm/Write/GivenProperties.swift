internal import AtollObjects

/// The properties that a source gave to the objects that were made of it.
final class GivenProperties {
  private var positions: [ObjectIdentifier: Set<Int>] = [:]
  /// What the file of the source holds and an unmanaged object cannot, by the positions of
  /// properties: of a link the primary key of the object that it waits for, of dates, also in
  /// collections and mixed values, the whole value, where a moment in it has more digits than a
  /// double has.
  private var unheldValues: [ObjectIdentifier: [Int: _StoredValue]] = [:]
  /// Keeps the objects alive, so that no other gets the identity of one.
  private var objects: [ObjectBase] = []

  subscript(object: ObjectBase) -> Set<Int>? {
    get { positions[ObjectIdentifier(object)] }
    set {
      positions[ObjectIdentifier(object)] = newValue
      objects.append(object)
    }
  }

  /// What a property is to hold and the object cannot; nil for what it holds.
  func unheldValue(of object: ObjectBase, _ position: Int) -> _StoredValue? {
    unheldValues.isEmpty ? nil : unheldValues[ObjectIdentifier(object)]?[position]
  }

  /// Of an object whose properties are given, too.
  func setUnheldValue(_ value: _StoredValue, of object: ObjectBase, _ position: Int) {
    unheldValues[ObjectIdentifier(object), default: [:]][position] = value
  }
}
