internal import AtollObjects

/// The objects that link to an object through one of their properties: a link followed backwards.
///
///     @Persisted(originProperty: "owner") var pets: LinkingObjects<Pet>
///
/// Follows its realm, in the order of the linking objects' keys; one that links twice comes twice.
/// An unmanaged object has none.
public struct LinkingObjects<Element: ObjectBase & RealmCollectionValue>: RealmCollection {
  let originName: String?
  private let list: _ResultList?
  /// The element at every place, on a path that is being traced.
  private var traced: Element?

  /// Declares the objects of class `type` whose property of this name leads here.
  public init(fromType type: Element.Type, property: String) {
    originName = property
    list = nil
  }

  private init(_ list: _ResultList) {
    originName = nil
    self.list = list
  }

  public var _resultList: _ResultList? { list }

  public static func _collection(_ list: _ResultList) -> LinkingObjects? { LinkingObjects(list) }

  public var startIndex: Int { 0 }
  public var endIndex: Int { elements?.count ?? (traced == nil ? 0 : 1) }

  public subscript(position: Int) -> Element {
    if let traced { return traced }
    guard let list else { Misuse.trap("index \(position) is out of range of 0 linking objects") }
    let elements = list.elements
    guard position >= 0, position < elements.count else {
      list.context.refuse(
        "index \(position) is out of range of \(elements.count) linking objects")
      return Element._load(.null, list.context)
    }
    return Element._load(elements[position], list.context)
  }

  /// Goes over the objects that link here now, whatever the loop does to them.
  public func makeIterator() -> RLMIterator<Element> {
    guard let list, let elements else { return RLMIterator([]) }
    return RLMIterator(elements, list.context)
  }

  /// What links here now.
  private var elements: Elements? {
    list?.elements
  }
}

extension LinkingObjects: _Persistable {
  public static var _form: _PropertyForm { _PropertyForm(.linkingObjects, Element._storedType) }

  public static func _default() -> LinkingObjects {
    LinkingObjects(fromType: Element.self, property: "")
  }

  public static func _traced(_ tracer: _KeyPathTracer) -> LinkingObjects {
    var objects = _default()
    objects.traced = Element._tracedElement(tracer)
    return objects
  }

  public static func _read(_ row: _ManagedRow, _ position: Int) -> LinkingObjects {
    row.context.checkConfinement()
    row.checkAlive()
    return LinkingObjects(
      _ResultList(
        row.context, ClassDescriptor.of(Element.self),
        from: .property(_ValuePlace(row, position))))
  }

  public static func _write(_ row: _ManagedRow, _ position: Int, _ value: LinkingObjects) {
    Misuse.trap("linking objects are computed from the links of other objects and cannot be set")
  }

  public static func _bridgeProperty(_ source: Any?) -> LinkingObjects? { nil }
}

extension LinkingObjects: OriginNaming {}

/// A type of properties that follow links backwards.
public protocol _LinkingObjectsProtocol {
  init(_originProperty: String)
}

extension LinkingObjects: _LinkingObjectsProtocol {
  public init(_originProperty: String) {
    self.init(fromType: Element.self, property: _originProperty)
  }
}

extension Persisted where Value: _LinkingObjectsProtocol {
  /// Declares the objects that lead here through the property of this name.
  public init(originProperty: String) {
    self.init(value: Value(_originProperty: originProperty), traits: [])
  }
}
