internal import Atoll
internal import Foundation

/// Gives the object of a number, in the place of the caller.
typealias ApiObjects = (Int) -> ObjectBase

/// A property of a class of `simulate api`, without its types.
struct ApiField {
  enum Shape { case one, list, set, map }

  enum Content: Equatable {
    case scalar
    case mixed
    /// Links to objects of a class.
    case link(String)
    /// Objects of a class that are the property's own.
    case embedded(String)
  }

  let name: String
  let shape: Shape
  let content: Content
  let isKey: Bool
  let initial: ApiValue
  let samples: [ApiValue]
  let read: (ObjectBase) -> ApiValue
  /// Sets the whole property.
  let assign: (ObjectBase, ApiValue, ApiObjects) -> Void
  /// Changes a collection.
  let change: (ObjectBase, ApiChange, ApiObjects) -> Void
  /// The Swift value that is given in a dictionary, or as an argument of a query.
  let argument: (ApiValue, ApiObjects) -> Any
  /// The objects that are the property's own.
  let owned: (ObjectBase) -> [ObjectBase]
  /// Tells of a collection: what it holds at the beginning and after each change.
  let observe: (ObjectBase, @escaping (ApiValue) -> Void) -> NotificationToken?
  /// Makes a reader of the property's collection, which stays good while the collection does.
  let hold: (ObjectBase) -> (() -> ApiValue)?

  /// Finds the numbers of objects by `where { }`: those whose value equals one, or those whose value
  /// does not; nil where text has the same meaning.
  var find: ((Realm, ApiValue, _ isEqual: Bool) -> [Int])?

  var target: String? {
    switch content {
    case .link(let name), .embedded(let name): name
    case .scalar, .mixed: nil
    }
  }

  var isOwning: Bool { if case .embedded = content { true } else { false } }
  var isSummable: Bool { shape == .one && samples == Int.samples }
}

extension ApiField {
  private static func content(_ type: (some ApiElement).Type) -> Content {
    let element = "\(type)".replacing("Optional<", with: "").replacing(">", with: "")
    if element == "AnyRealmValue" { return .mixed }
    if type.samples.contains(where: { $0 != .null }) { return .scalar }
    return ["ApiPart", "ApiDetail"].contains(element) ? .embedded(element) : .link(element)
  }

  private static func typed<Root: ObjectBase>(_ object: ObjectBase, _ type: Root.Type) -> Root {
    guard let object = object as? Root else {
      preconditionFailure("an object of \(Swift.type(of: object)) is no \(type)")
    }
    return object
  }

  static func one<Root: ObjectBase, Value: ApiElement>(
    _ name: String, _ path: ReferenceWritableKeyPath<Root, Value>,
    _ initial: ApiValue = Value.samples.first ?? .null, isKey: Bool = false
  ) -> ApiField {
    ApiField(
      name: name, shape: .one, content: content(Value.self), isKey: isKey, initial: initial,
      samples: Value.samples
    ) { object in
      typed(object, Root.self)[keyPath: path].plain
    } assign: { object, value, objects in
      typed(object, Root.self)[keyPath: path] = Value.make(value, objects)
    } change: { _, _, _ in
      preconditionFailure("\(name) is no collection")
    } argument: { value, objects in
      value == .null ? NSNull() as Any : Value.make(value, objects) as Any
    } owned: { object in
      [typed(object, Root.self)[keyPath: path]].compactMap(\.object)
    } observe: { _, _ in
      nil
    } hold: { _ in
      nil
    }
  }

  /// An enum, of which the file may have raw values that it does not know.
  static func kind<Root: Object & ApiObject, Value: ApiElement>(
    _ name: String, _ path: ReferenceWritableKeyPath<Root, Value>, _ initial: ApiValue,
    _ condition: @escaping (Query<Root>, Value) -> Query<Bool>
  ) -> ApiField {
    var field = one(name, path, initial)
    field.find = { realm, value, isEqual in
      let value = Value.make(value, { _ in preconditionFailure("\(name) holds no objects") })
      return realm.objects(Root.self)
        .where { isEqual ? condition($0, value) : !condition($0, value) }
        .sorted(byKeyPath: "number").map(\.number)
    }
    return field
  }

  static func list<Root: ObjectBase, Element: ApiElement & RealmCollectionValue>(
    _ name: String, _ path: ReferenceWritableKeyPath<Root, List<Element>>
  ) -> ApiField {
    func plain(_ list: List<Element>) -> ApiValue { .list(list.map(\.plain)) }
    func array(_ value: ApiValue, _ objects: ApiObjects) -> [Element] {
      guard case .list(let elements) = value else { preconditionFailure("\(value) is no list") }
      return elements.map { Element.make($0, objects) }
    }
    return ApiField(
      name: name, shape: .list, content: content(Element.self), isKey: false, initial: .list([]),
      samples: Element.samples
    ) { object in
      plain(typed(object, Root.self)[keyPath: path])
    } assign: { object, value, objects in
      let list = List<Element>()
      list.append(objectsIn: array(value, objects))
      typed(object, Root.self)[keyPath: path] = list
    } change: { object, change, objects in
      change.apply(to: typed(object, Root.self)[keyPath: path], objects)
    } argument: { value, objects in
      array(value, objects)
    } owned: { object in
      typed(object, Root.self)[keyPath: path].compactMap(\.object)
    } observe: { object, block in
      typed(object, Root.self)[keyPath: path].observe { change in
        switch change {
        case .initial(let all), .update(let all, _, _, _): block(plain(all))
        case .error: break
        }
      }
    } hold: { object in
      let list = typed(object, Root.self)[keyPath: path]
      return { plain(list) }
    }
  }

  static func set<Root: ObjectBase, Element: ApiElement & RealmCollectionValue>(
    _ name: String, _ path: ReferenceWritableKeyPath<Root, MutableSet<Element>>
  ) -> ApiField {
    func plain(_ set: MutableSet<Element>) -> ApiValue { .set(Set(set.map(\.plain))) }
    func array(_ value: ApiValue, _ objects: ApiObjects) -> [Element] {
      guard case .set(let members) = value else { preconditionFailure("\(value) is no set") }
      return members.sorted().map { Element.make($0, objects) }
    }
    return ApiField(
      name: name, shape: .set, content: content(Element.self), isKey: false, initial: .set([]),
      samples: Element.samples
    ) { object in
      plain(typed(object, Root.self)[keyPath: path])
    } assign: { object, value, objects in
      let set = MutableSet<Element>()
      set.insert(objectsIn: array(value, objects))
      typed(object, Root.self)[keyPath: path] = set
    } change: { object, change, objects in
      change.apply(to: typed(object, Root.self)[keyPath: path], objects)
    } argument: { value, objects in
      array(value, objects)
    } owned: { _ in
      []
    } observe: { object, block in
      typed(object, Root.self)[keyPath: path].observe { change in
        switch change {
        case .initial(let all), .update(let all, _, _, _): block(plain(all))
        case .error: break
        }
      }
    } hold: { object in
      let set = typed(object, Root.self)[keyPath: path]
      return { plain(set) }
    }
  }

  static func map<Root: ObjectBase, Element: ApiElement & _MapValue>(
    _ name: String, _ path: ReferenceWritableKeyPath<Root, Map<String, Element>>
  ) -> ApiField {
    func plain(_ map: Map<String, Element>) -> ApiValue {
      .map(Dictionary(uniqueKeysWithValues: map.keys.map { ($0, map[$0]?.plain ?? .null) }))
    }
    func entries(_ value: ApiValue, _ objects: ApiObjects) -> [String: Element] {
      guard case .map(let entries) = value else { preconditionFailure("\(value) is no map") }
      return entries.mapValues { Element.make($0, objects) }
    }
    return ApiField(
      name: name, shape: .map, content: content(Element.self), isKey: false, initial: .map([:]),
      samples: Element.samples
    ) { object in
      plain(typed(object, Root.self)[keyPath: path])
    } assign: { object, value, objects in
      let map = Map<String, Element>()
      for (key, value) in entries(value, objects) { map.updateValue(value, forKey: key) }
      typed(object, Root.self)[keyPath: path] = map
    } change: { object, change, objects in
      change.apply(to: typed(object, Root.self)[keyPath: path], objects)
    } argument: { value, objects in
      entries(value, objects)
    } owned: { object in
      typed(object, Root.self)[keyPath: path].values.compactMap(\.object)
    } observe: { object, block in
      typed(object, Root.self)[keyPath: path].observe { change in
        switch change {
        case .initial(let all), .update(let all, _, _, _): block(plain(all))
        case .error: break
        }
      }
    } hold: { object in
      let map = typed(object, Root.self)[keyPath: path]
      return { plain(map) }
    }
  }
}
