extension Realm {
  /// The objects of a class.
  public func objects<Element: RealmFetchable>(_ type: Element.Type) -> Results<Element> {
    guard let type = type as? ObjectBase.Type else {
      Misuse.trap("\(type) is no class of objects")
    }
    return Results(context, of: type)
  }
}
