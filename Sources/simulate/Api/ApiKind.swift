internal import Atoll
internal import Foundation

/// A class of `simulate api`, without its type.
struct ApiKind {
  let name: String
  /// All properties but the number.
  let fields: [ApiField]
  /// A new object that no realm manages.
  let make: (_ number: Int) -> ObjectBase
  /// What a realm does with objects of the class; nil for embedded ones.
  let operations: (any ApiOperations)?

  init<T: Object & ApiObject>(_ type: T.Type, _ fields: [ApiField]) {
    name = "\(type)"
    self.fields = fields
    operations = ApiClass<T>()
    make = { number in
      let object = T()
      object.number = number
      return object
    }
  }

  init<T: EmbeddedObject & ApiObject>(embedded type: T.Type, _ fields: [ApiField]) {
    name = "\(type)"
    self.fields = fields
    operations = nil
    make = { number in
      let object = T()
      object.number = number
      return object
    }
  }

  var isEmbedded: Bool { operations == nil }
  var key: ApiField? { fields.first { $0.isKey } }

  static func number(of object: ObjectBase) -> Int {
    guard let object = object as? any ApiObject else {
      preconditionFailure("an object of \(type(of: object)) has no number")
    }
    return object.number
  }
}

/// How an observed collection has changed.
struct ApiNotice {
  /// The numbers of the objects now.
  let numbers: [Int]
  var isInitial = false
  var deletions: [Int] = []
  var insertions: [Int] = []
  var modifications: [Int] = []
}

/// What a realm does with the objects of one class.
protocol ApiOperations {
  func count(_ realm: Realm) -> Int
  func all(_ realm: Realm) -> [ObjectBase]
  /// Live results, ordered by number: those with a text in a condition.
  func hold(_ realm: Realm, _ condition: String?, _ arguments: [Any]) -> () -> [Int]
  func sorted(_ realm: Realm, by property: String, ascending: Bool) -> [ObjectBase]
  func sum(_ realm: Realm, of property: String) -> Int
  func extremes(_ realm: Realm, of property: String) -> [Int?]
  /// What all objects give for a key path, or for an operator with one.
  func value(_ realm: Realm, at keyPath: String) -> Any?
  func first(_ realm: Realm) -> ObjectBase?
  func index(of object: ObjectBase, _ realm: Realm) -> Int?
  func object(_ realm: Realm, key: Any) -> ObjectBase?
  func create(_ realm: Realm, _ values: [String: Any], _ policy: Realm.UpdatePolicy) -> ObjectBase
  func add(_ realm: Realm, _ object: ObjectBase, _ policy: Realm.UpdatePolicy)
  func deleteAll(_ realm: Realm)
  /// A copy of an object in another file.
  func copy(_ object: ObjectBase, _ realm: Realm) -> ObjectBase
  /// A reference to an object, or to a projection of it.
  func reference(to object: ObjectBase, asView: Bool) -> (Realm) -> ObjectBase?
  /// The frozen object, or that of a frozen projection.
  func frozen(_ object: ObjectBase, asView: Bool) -> ObjectBase
  func thawed(_ object: ObjectBase) -> ObjectBase?
  /// The numbers of what a query finds, in its order.
  func numbers(_ realm: Realm, _ query: ApiQuery) -> [Int]
  /// The same of projections.
  func viewNumbers(_ realm: Realm, _ query: ApiQuery) -> [Int]
  func observe(
    _ realm: Realm, _ query: ApiQuery, asViews: Bool, _ block: @escaping (ApiNotice) -> Void
  ) -> NotificationToken
  func observeSections(
    _ realm: Realm, _ query: ApiQuery, _ block: @escaping (ApiSectionNotice) -> Void
  ) -> NotificationToken
}

struct ApiClass<T: Object & ApiObject>: ApiOperations {
  private func typed(_ object: ObjectBase) -> T {
    guard let object = object as? T else { preconditionFailure("another class than \(T.self)") }
    return object
  }

  func count(_ realm: Realm) -> Int { realm.objects(T.self).count }
  func all(_ realm: Realm) -> [ObjectBase] { Array(realm.objects(T.self)) }

  func hold(_ realm: Realm, _ condition: String?, _ arguments: [Any]) -> () -> [Int] {
    var results = realm.objects(T.self)
    if let condition {
      results = results.filter(NSPredicate(format: condition, argumentArray: arguments))
    }
    let sorted = results.sorted(byKeyPath: "number")
    return { sorted.map(\.number) }
  }

  func sorted(_ realm: Realm, by property: String, ascending: Bool) -> [ObjectBase] {
    Array(realm.objects(T.self).sorted(byKeyPath: property, ascending: ascending))
  }

  func sum(_ realm: Realm, of property: String) -> Int {
    realm.objects(T.self).sum(ofProperty: property)
  }

  func extremes(_ realm: Realm, of property: String) -> [Int?] {
    let results = realm.objects(T.self)
    return [results.min(ofProperty: property), results.max(ofProperty: property)]
  }

  func value(_ realm: Realm, at keyPath: String) -> Any? {
    realm.objects(T.self).value(forKeyPath: keyPath)
  }

  func first(_ realm: Realm) -> ObjectBase? { realm.objects(T.self).first }

  func index(of object: ObjectBase, _ realm: Realm) -> Int? {
    realm.objects(T.self).index(of: typed(object))
  }

  func object(_ realm: Realm, key: Any) -> ObjectBase? {
    realm.object(ofType: T.self, forPrimaryKey: key)
  }

  func create(
    _ realm: Realm, _ values: [String: Any], _ policy: Realm.UpdatePolicy
  ) -> ObjectBase {
    realm.create(T.self, value: values, update: policy)
  }

  func add(_ realm: Realm, _ object: ObjectBase, _ policy: Realm.UpdatePolicy) {
    realm.add(typed(object), update: policy)
  }

  func deleteAll(_ realm: Realm) { realm.delete(realm.objects(T.self)) }

  func copy(_ object: ObjectBase, _ realm: Realm) -> ObjectBase {
    realm.create(T.self, value: typed(object))
  }

  func reference(to object: ObjectBase, asView: Bool) -> (Realm) -> ObjectBase? {
    if asView {
      let reference = ThreadSafeReference(to: ApiView(projecting: typed(object)))
      return { $0.resolve(reference)?.rootObject }
    }
    let reference = ThreadSafeReference(to: typed(object))
    return { $0.resolve(reference) }
  }

  func frozen(_ object: ObjectBase, asView: Bool) -> ObjectBase {
    let object = typed(object)
    return asView ? ApiView(projecting: object).freeze().rootObject : object.freeze()
  }

  func thawed(_ object: ObjectBase) -> ObjectBase? { typed(object).thaw() }

  func results(_ realm: Realm, _ query: ApiQuery) -> Results<T> {
    let objects = realm.objects(T.self)
    guard let text = query.text else { return objects.sorted(byKeyPath: "number") }
    return objects.filter(NSPredicate(format: text, argumentArray: query.arguments))
  }

  func numbers(_ realm: Realm, _ query: ApiQuery) -> [Int] {
    results(realm, query).map(\.number)
  }

  private func views(_ realm: Realm, _ query: ApiQuery) -> Results<ApiView<T>> {
    let views = realm.objects(ApiView<T>.self)
    guard let text = query.text else {
      return views.where { $0.number >= 0 }.sorted(by: \.number)
    }
    return views.filter(NSPredicate(format: text, argumentArray: query.arguments))
  }

  func viewNumbers(_ realm: Realm, _ query: ApiQuery) -> [Int] {
    views(realm, query).map(\.number)
  }

  func observe(
    _ realm: Realm, _ query: ApiQuery, asViews: Bool, _ block: @escaping (ApiNotice) -> Void
  ) -> NotificationToken {
    asViews
      ? observe(views(realm, query), { $0.number }, block)
      : observe(results(realm, query), { $0.number }, block)
  }

  private func observe<Element>(
    _ results: Results<Element>, _ number: @escaping (Element) -> Int,
    _ block: @escaping (ApiNotice) -> Void
  ) -> NotificationToken {
    results.observe { change in
      switch change {
      case .initial(let results):
        block(ApiNotice(numbers: results.map(number), isInitial: true))
      case .update(let results, let deletions, let insertions, let modifications):
        block(
          ApiNotice(
            numbers: results.map(number), deletions: deletions, insertions: insertions,
            modifications: modifications))
      case .error: break
      }
    }
  }
}
