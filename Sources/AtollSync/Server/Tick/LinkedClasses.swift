internal import AtollCapture

// The classes of linked objects: for mixed values the schema does not name them.

extension ObjectChange {
  /// The units that the change brings.
  var units: [UnitChange] {
    switch change {
    case .leave: []
    case .full(_, let units), .update(let units): units
    }
  }
}

extension UnitChange {
  /// Adds the classes that links in the unit lead to.
  func addLinkedClasses(to names: inout Set<String>) {
    if case .entry(_, let part) = path { part.addLinkedClasses(to: &names) }
    value?.content?.addLinkedClasses(to: &names)
  }
}

extension RecordedValue {
  func addLinkedClasses(to names: inout Set<String>) {
    switch self {
    case .link(let address): names.insert(address.className)
    case .list(let elements), .set(let elements):
      for element in elements { element.addLinkedClasses(to: &names) }
    case .map(let entries):
      for entry in entries { entry.value.addLinkedClasses(to: &names) }
    case .embedded(let object):
      for field in object.fields { field.value.addLinkedClasses(to: &names) }
    default: break
    }
  }
}
