extension Object {
  /// Makes an unmanaged object from a dictionary of properties, an array of them in the order of
  /// their declarations, or another object.
  public convenience init(value: Any) {
    self.init()
    ValueBridge.fill(self, from: value)
  }
}

extension EmbeddedObject {
  /// Makes an unmanaged object from a dictionary of properties, an array of them in the order of
  /// their declarations, or another object.
  public convenience init(value: Any) {
    self.init()
    ValueBridge.fill(self, from: value)
  }
}
