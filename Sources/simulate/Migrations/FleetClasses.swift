internal import Atoll

// The versions of the classes of one program, as it may go from any of them to any other. Each class
// has a `tag`, by which the model knows an object.

enum Fleet {
  /// The classes of each version.
  static let versions: [[ObjectBase.Type]] = [
    [Vessel0.self, Sailor0.self], [Vessel1.self, Sailor1.self, Harbour1.self],
    [Vessel2.self, Sailor2.self], [Vessel3.self, Sailor3.self, Harbour1.self],
    [Vessel4.self, Sailor4.self],
    [Vessel5.self, Sailor5.self, Engine5.self, Cabin5.self],
    [Vessel6.self, Sailor6.self, Engine6.self, Cabin6.self],
  ]

  /// What the classes of a version persist, by their names.
  static let schemas: [[String: ObjectSchema]] = versions.map { types in
    var schemas: [String: ObjectSchema] = [:]
    for type in types { schemas[type.className()] = type.init().objectSchema }
    return schemas
  }

  /// The class of each version in which processes count their writes while others migrate the file.
  static let tally: ObjectBase.Type = Tally.self

  /// What is to hold in each version, by the names of the classes.
  static let rules: [[Rule]] = versions.map { types in
    types.flatMap { type in
      let name = type.className()
      return type.deleteRules().map { Rule.deletion(name, $0.propertyName, $0.kind) }
        + type.indexes().filter(\.isUnique).map { Rule.unique(name, $0.propertyNames) }
    }
  }

  enum Rule {
    case deletion(_ className: String, _ property: String, DeleteRule.Kind)
    case unique(_ className: String, _ properties: [String])
  }

  /// A new object of a class of a version.
  static func object(_ className: String, in version: Int) -> ObjectBase? {
    versions[version].first { $0.className() == className }?.init()
  }

  /// The properties that go from one name to another, in a class.
  static func renames(_ className: String) -> [[String]] {
    switch className {
    case "Vessel": [["port", "harbour"], ["name", "title"], ["number", "id"]]
    case "Sailor": [["age", "years"], ["friend", "boss"]]
    case "Engine": [["power", "force"]]
    default: []
    }
  }
}

class Tally: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var count: Int
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

class Vessel5: Object {
  @Persisted var tag: Int
  @Persisted(primaryKey: true) var id: Int
  @Persisted var title: String
  @Persisted var length: Int
  @Persisted var engine: Engine5?
  @Persisted var cabins: List<Cabin5>
  @Persisted var crew: List<Sailor5>
  @Persisted var any: AnyRealmValue
  override class func _realmObjectName() -> String? { "Vessel" }
  override class func indexes() -> [Index] {
    [Index(\Vessel5.title, \Vessel5.length, isUnique: true)]
  }
  override class func deleteRules() -> [DeleteRule] { [.cascade(\Vessel5.crew)] }
}

class Sailor5: Object {
  @Persisted var tag: Int
  @Persisted var name: String
  @Persisted var years: Int
  @Persisted var boss: Sailor5?
  @Persisted var ship: Vessel5?
  override class func _realmObjectName() -> String? { "Sailor" }
  override class func deleteRules() -> [DeleteRule] { [.deny(\Sailor5.boss)] }
}

class Engine5: EmbeddedObject {
  @Persisted var power: Int
  @Persisted var fuel: String?
  @Persisted var parts: List<Int>
  override class func _realmObjectName() -> String? { "Engine" }
}

class Cabin5: EmbeddedObject {
  @Persisted var number: Int
  @Persisted var guest: Sailor5?
  override class func _realmObjectName() -> String? { "Cabin" }
}

class Vessel6: Object {
  @Persisted var tag: Int
  @Persisted(primaryKey: true) var id: Int
  @Persisted var title: String
  @Persisted var length: Int?
  @Persisted var engine: Engine6?
  @Persisted var cabins: List<Cabin6>
  @Persisted var suites: Map<String, Cabin6?>
  @Persisted var crew: List<Sailor6>
  @Persisted var any: AnyRealmValue
  override class func _realmObjectName() -> String? { "Vessel" }
  override class func indexes() -> [Index] { [Index(\Vessel6.length, \Vessel6.title)] }
  override class func deleteRules() -> [DeleteRule] { [.deny(\Vessel6.crew)] }
}

class Sailor6: Object {
  @Persisted var tag: Int
  @Persisted(primaryKey: true) var name: String
  @Persisted var years: Int?
  @Persisted var friend: Sailor6?
  @Persisted var engine: Engine6?
  override class func _realmObjectName() -> String? { "Sailor" }
  override class func indexes() -> [Index] {
    [Index(\Sailor6.years, \Sailor6.name, isUnique: true)]
  }
  override class func deleteRules() -> [DeleteRule] { [.cascade(\Sailor6.friend)] }
}

class Engine6: EmbeddedObject {
  @Persisted var force: Int
  @Persisted var fuel: String
  @Persisted var parts: List<String>
  @Persisted var weight = 2.5
  override class func _realmObjectName() -> String? { "Engine" }
}

class Cabin6: EmbeddedObject {
  @Persisted var number: String
  @Persisted var guest: Sailor6?
  @Persisted var engine: Engine6?
  override class func _realmObjectName() -> String? { "Cabin" }
}
