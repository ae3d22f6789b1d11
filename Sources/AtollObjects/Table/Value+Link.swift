extension Value {
  /// A link to an object.
  public init(linkTo object: Object) { self = .link(object.link) }
}

extension Schema {
  /// A link to the object of a class with this key, whether there is one or not.
  ///
  /// - Throws: `.noSuchClass`.
  public func link(to key: ObjectKey, of className: String) throws(ObjectError) -> Value {
    .link(ObjectLink(table: try requireTable(className).id, key: key.rawValue))
  }
}
