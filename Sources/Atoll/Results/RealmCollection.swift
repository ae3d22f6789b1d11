/// What all collections of a realm have in common.
///
/// They are lazy: `map` and `filter { }` on them run when their elements are asked for.
public protocol RealmCollectionBase: RandomAccessCollection, LazyCollectionProtocol,
  CustomStringConvertible, ThreadConfined
where Element: RealmCollectionValue, Index == Int {
  /// The type of the elements.
  typealias ElementType = Element
}

/// A collection of a realm: results of a query, a list, objects that link to another.
///
/// It follows its realm: what it shows is what the realm shows at that moment. Inside of a write
/// that is the state with the changes made so far.
public protocol RealmCollection<Element>: RealmCollectionBase, Equatable {
  /// What the collection stands on; nil for one that is unmanaged.
  var _resultList: _ResultList? { get }

  /// The collection of this type that stands on `list`; nil for one that cannot.
  static func _collection(_ list: _ResultList) -> Self?
}

extension RealmCollection {
  /// What the collection stands on; ends the process for one that is unmanaged.
  func requiredList(_ what: @autoclosure () -> String = "this") -> _ResultList {
    guard let list = _resultList else {
      Misuse.trap(
        "\(what()) needs a collection of a realm; add the object that holds this one first")
    }
    return list
  }

  /// The realm that the collection belongs to; nil for an unmanaged one.
  public var realm: Realm? { _resultList.map { Realm($0.context) } }

  /// Whether what the collection comes from is gone; false for an unmanaged one.
  ///
  /// It is gone when its object was deleted, when another value has replaced it in an
  /// `AnyRealmValue`, and when the realm was invalidated.
  public var isInvalidated: Bool { _resultList?.isInvalidated ?? false }

  /// Whether the collection is of a version that never changes.
  public var isFrozen: Bool { _resultList?.context.isFrozen ?? false }

  /// The same collection in the present version, which never changes and any thread may use.
  ///
  /// A collection of an object that the open write has made is in no version yet, and one of an
  /// object that was deleted in none any more: they cannot be frozen.
  public func freeze() -> Self {
    let list = requiredList("freeze")
    guard let frozen = list.frozen().flatMap({ Self._collection($0) }) else {
      Misuse.trap("a collection of this kind cannot be frozen")
    }
    return frozen
  }

  /// The live collection of a frozen one; nil when what it comes from exists no more.
  public func thaw() -> Self? {
    _moved(to: requiredList("thaw").context.thawed())
  }

  public func _moved(to context: _RealmContext) -> Self? {
    _resultList?.inContext(context).flatMap { Self._collection($0) }
  }

  /// Whether both are the same collection of the same realm, or are unmanaged and hold the same.
  public static func == (a: Self, b: Self) -> Bool {
    switch (a._resultList, b._resultList) {
    case (let list?, let other?): list.isSame(as: other)
    case (nil, nil):
      (a as AnyObject) === (b as AnyObject) || a.count == b.count && areEqual(a, b)
    default: false
    }
  }

  private static func areEqual(_ a: Self, _ b: Self) -> Bool {
    // The order of a set means nothing.
    switch (a.isSet, b.isSet) {
    case (true, true): ContentEquality.areEqual(asSets: a, b)
    case (false, false): ContentEquality.areEqual(a, b)
    default: false
    }
  }

  /// Whether this is a set, also one of which only the type of the elements is known.
  fileprivate var isSet: Bool {
    if let base = (self as? AnyRealmCollection<Element>)?.unmanagedBase { return base.isSet }
    return self is MutableSet<Element>
  }

  /// A description with the first hundred elements.
  public var description: String { ObjectDescription.text(of: self) }

  // MARK: Elements

  /// The place of an element; nil when it is not in the collection.
  public func index(of element: Element) -> Int? {
    guard let list = _resultList else {
      let identity = ElementIdentity(element)
      return firstIndex { ElementIdentity($0) == identity }
    }
    // A value that a type does not know is found as what it reads as.
    return list.elements.index(of: element.asked(list.context), meaning: Element._meaning())
  }

  /// The elements at these places.
  public func objects(at indexes: some Sequence<Int>) -> [Element] { indexes.map { self[$0] } }

  /// The values of a property of all objects; for `self`, the elements.
  ///
  /// An integer is an `Int`, an enum its raw value, and a mixed value its content.
  public func value(forKey key: String) -> Any? {
    if key == "self" { return Array(self).map { AnyBridge.plain($0) } }
    return Array(self).map { element -> Any? in
      guard let object = element as? ObjectBase else {
        Misuse.trap("'\(key)' is asked of values of type \(Element.self), which have no properties")
      }
      let property = Self.property(key, of: object)
      return property.dynamicValue(of: object)
    }
  }

  /// Sets a property of all objects, of those of a realm in a write.
  public func setValue(_ value: Any?, forKey key: String) {
    if let list = _resultList {
      _ = list.context.requireWrite("'\(key)' of all objects was set")
    }
    for element in self {
      guard let object = element as? ObjectBase else { continue }
      let property = Self.property(key, of: object)
      guard property.storage.set(value, in: object, position: property.position) else {
        let sentence = "'\(key)' cannot be set to a value of type \(type(of: value))"
        guard let list = _resultList else { Misuse.trap(sentence) }
        return list.context.refuse(sentence)
      }
    }
  }

  private static func property(_ name: String, of object: ObjectBase) -> PropertyDescriptor {
    guard let property = object.descriptor.property(name) else {
      Misuse.trap("'\(object.descriptor.name)' has no property '\(name)'")
    }
    return property
  }
}
