internal import AtollObjects

/// An integer that has room for the sum of what many devices add: `Int` and `Int64`.
public protocol _Counter: _StoredInteger {}

extension Int: _Counter {}
extension Int64: _Counter {}

extension ThreadConfined where Self: ObjectBase {
  /// Adds to a property, in a write: `task.increment(\.progressMinutes, by: 5)`.
  ///
  /// In a synced realm, what several devices add at once is summed, where of several assignments,
  /// `task.progressMinutes += 5` for one, only the last stays. An assignment of another device
  /// takes the place of what was added before it, and what is added after it counts. The property
  /// of an embedded object is assigned, as its object changes as a whole.
  ///
  /// The sum wraps around at the ends of `Int64`.
  public func increment<Value: _Counter>(
    _ keyPath: ReferenceWritableKeyPath<Self, Value>, by delta: Value = 1
  ) {
    guard let row = _row else { return self[keyPath: keyPath] &+= delta }
    row.increment(_name(for: keyPath), by: Int64(delta))
  }

  /// Adds to a property that may be nil, in a write; nil stays nil.
  public func increment<Value: _Counter>(
    _ keyPath: ReferenceWritableKeyPath<Self, Value?>, by delta: Value = 1
  ) {
    guard let row = _row else {
      self[keyPath: keyPath] = self[keyPath: keyPath].map { $0 &+ delta }
      return
    }
    row.increment(_name(for: keyPath), by: Int64(delta))
  }
}

extension _ManagedRow {
  func increment(_ name: String, by delta: Int64) {
    guard checkChangeable() else { return }
    let properties = access.descriptor.properties
    guard let position = properties.first(where: { $0.name == name })?.position else {
      Misuse.trap(
        "'\(name)' is no property of '\(access.descriptor.name)' itself: increment it where it is")
    }
    context.increment(self, position, by: delta)
  }
}

extension _RealmContext {
  fileprivate func increment(_ row: _ManagedRow, _ position: Int, by delta: Int64) {
    let descriptor = row.access.descriptor
    let property = descriptor.property(at: position)
    guard let transaction = requireWrite("\(descriptor.name).\(property.name) was incremented")
    else { return }
    let column = row.access.columns[position]
    changing("\(descriptor.name).\(property.name) cannot be incremented") {
      _ = try transaction.increment(row.key, column, by: delta)
    }
    counts.note(setting: property, column)
  }
}
