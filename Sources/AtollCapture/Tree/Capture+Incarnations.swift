import AtollObjects

// Which embedded object is meant: rows are a device's own, incarnations are known to all.

extension Capture {
  /// The incarnation of an embedded object; nil when it has none.
  func incarnation(of object: ObjectLink) throws(ObjectError) -> ElementID? {
    guard incarnations.count > 0,
      let bytes = try incarnations.get(CaptureKey.incarnation(object))
    else { return nil }
    guard let id = CaptureKey.elementID(bytes[...]) else { throw ObjectError.damagedRecord }
    return id
  }

  func setIncarnation(_ id: ElementID?, of object: ObjectLink) throws(ObjectError) {
    guard try incarnation(of: object) != id else { return }
    try incarnations.set(id.map(CaptureKey.elementID), for: CaptureKey.incarnation(object))
  }
}
