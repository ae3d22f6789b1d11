extension Realm {
  /// The objects of a class, or projections of them.
  public func objects<Element: RealmFetchable>(_ type: Element.Type) -> Results<Element> {
    guard let type = type as? ObjectBase.Type ?? type._storedType.target else {
      Misuse.trap("\(type) is no class of objects")
    }
    if type == DynamicObject.self {
      Misuse.trap(
        "DynamicObject is no class of a file; name one with dynamicObjects(_:)")
    }
    // A projection may be one of such objects.
    if type.isEmbedded() || type.isAsymmetric() {
      Misuse.trap("objects of '\(type.className())' cannot be asked for by themselves")
    }
    return Results(context, of: ClassDescriptor.of(type))
  }

  /// A frozen copy of a collection.
  public func freeze<Collection: RealmCollection>(_ collection: Collection) -> Collection {
    collection.freeze()
  }
}
