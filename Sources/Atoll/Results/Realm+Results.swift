extension Realm {
  /// The objects of a class.
  public func objects<Element: RealmFetchable>(_ type: Element.Type) -> Results<Element> {
    guard let type = type as? ObjectBase.Type else {
      Misuse.trap("\(type) is no class of objects")
    }
    if type == DynamicObject.self {
      Misuse.trap(
        "DynamicObject is no class of a file; name one with dynamicObjects(_:)")
    }
    return Results(context, of: ClassDescriptor.of(type))
  }
}
