internal import Atoll

// The versions of the classes of one program, as it may go from any of them to any other. Each class
// has a `tag`, by which the model knows an object.

enum Fleet {
  /// The classes of each version.
  static let versions: [[ObjectBase.Type]] = [
    [Vessel0.self, Sailor0.self], [Vessel1.self, Sailor1.self, Harbour1.self],
    [Vessel2.self, Sailor2.self], [Vessel3.self, Sailor3.self, Harbour1.self],
    [Vessel4.self, Sailor4.self],
  ]

  /// What the classes of a version persist, by their names.
  static let schemas: [[String: ObjectSchema]] = versions.map { types in
    var schemas: [String: ObjectSchema] = [:]
    for type in types { schemas[type.className()] = type.init().objectSchema }
    return schemas
  }

  /// A new object of a class of a version.
  static func object(_ className: String, in version: Int) -> ObjectBase? {
    versions[version].first { $0.className() == className }?.init()
  }

  /// The properties that go from one name to another, in a class.
  static func renames(_ className: String) -> [[String]] {
    className == "Vessel"
      ? [["port", "harbour"], ["name", "title"], ["number", "id"]] : [["age", "years"]]
  }
}

class Vessel0: Object {
  @Persisted var tag: Int
  @Persisted(primaryKey: true) var name: String
  @Persisted(indexed: true) var length: Int
  @Persisted var port: String?
  @Persisted var crew: List<Sailor0>
  @Persisted var marks: List<Int>
  @Persisted var captain: Sailor0?
  override class func _realmObjectName() -> String? { "Vessel" }
}

class Sailor0: Object {
  @Persisted var tag: Int
  @Persisted var name: String
  @Persisted var age: Int
  @Persisted var friend: Sailor0?
  override class func _realmObjectName() -> String? { "Sailor" }
}

class Vessel1: Object {
  @Persisted var tag: Int
  @Persisted(primaryKey: true) var name: String
  @Persisted var length: Int?
  @Persisted(indexed: true) var harbour: String?
  @Persisted var crew: MutableSet<Sailor1>
  @Persisted var marks: List<String>
  @Persisted var weight = 1.5
  override class func _realmObjectName() -> String? { "Vessel" }
}

class Sailor1: Object {
  @Persisted var tag: Int
  @Persisted(primaryKey: true) var name: String
  @Persisted var age: Int?
  @Persisted var friend: Sailor1?
  @Persisted var friends: List<Sailor1>
  override class func _realmObjectName() -> String? { "Sailor" }
}

class Harbour1: Object {
  @Persisted var tag: Int
  @Persisted(primaryKey: true) var place: String
  @Persisted var depth = 12
  override class func _realmObjectName() -> String? { "Harbour" }
}

class Vessel2: Object {
  @Persisted var tag: Int
  @Persisted(primaryKey: true) var number: Int
  @Persisted var name: String
  @Persisted var length: String
  @Persisted var port: String
  @Persisted var byRank: Map<String, Sailor2?>
  @Persisted var marks: MutableSet<Int>
  @Persisted var weight: Double
  override class func _realmObjectName() -> String? { "Vessel" }
}

class Sailor2: Object {
  @Persisted var tag: Int
  @Persisted(primaryKey: true) var name: String?
  @Persisted var years: Int
  @Persisted var ship: Vessel2?
  override class func _realmObjectName() -> String? { "Sailor" }
}

class Vessel3: Object {
  @Persisted var tag: Int
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: true) var title: String
  @Persisted var length: Int
  @Persisted var port: String?
  @Persisted var crew: List<Sailor3>
  @Persisted var weight: Double?
  @Persisted var any: AnyRealmValue
  @Persisted var depths: Map<String, Int>
  override class func _realmObjectName() -> String? { "Vessel" }
}

class Sailor3: Object {
  @Persisted var tag: Int
  @Persisted var name: String?
  @Persisted var years: Int?
  @Persisted var ship: Vessel3?
  override class func _realmObjectName() -> String? { "Sailor" }
}

class Vessel4: Object {
  @Persisted var tag: Int
  @Persisted(primaryKey: true) var id: Int?
  @Persisted var title: String?
  @Persisted var marks: List<Int?>
  @Persisted var any: AnyRealmValue
  @Persisted var depths: Map<String, Int?>
  override class func _realmObjectName() -> String? { "Vessel" }
}

class Sailor4: Object {
  @Persisted var tag: Int
  @Persisted(primaryKey: true) var number: Int
  @Persisted var name: String
  @Persisted var friend: Sailor4?
  override class func _realmObjectName() -> String? { "Sailor" }
}
