import Foundation
import RealmSwift
import Testing

// The members of RealmSwift's interface, section by section: each row is a piece of code that uses
// them with their labels, their types and their effects, and says what they are here. The page
// `Interface.md` of the manual is written from the rows.

/// The rows, and the classes that they use.
enum Interface {
  struct Section: Sendable, CustomTestStringConvertible {
    let title: String
    let fill: @MainActor @Sendable (InterfaceRows) throws -> Void

    var testDescription: String { title }

    init(_ title: String, _ fill: @escaping @MainActor @Sendable (InterfaceRows) throws -> Void) {
      self.title = title
      self.fill = fill
    }

    @MainActor func read() throws -> [InterfaceRow] {
      let rows = InterfaceRows()
      try fill(rows)
      return rows.rows
    }
  }

  static let sections = [
    Section("Opening a realm") { try opening($0) },
    Section("Configuration") { try configuration($0) },
    Section("Objects") { try objects($0) },
    Section("Declaring properties") { try persisted($0) },
    Section("Types of properties") { try propertyTypes($0) },
    Section("Protocols of types") { try protocols($0) },
    Section("Projections") { try projections($0) },
    Section("Creating, updating and deleting") { try changing($0) },
    Section("Writing") { try writing($0) },
    Section("Versions") { try versions($0) },
    Section("Queries as text") { try textQueries($0) },
    Section("Queries in Swift") { try queries($0) },
    Section("Order and aggregates") { try ordering($0) },
    Section("Collections") { try collections($0) },
    Section("Lists, sets and maps") { try ownCollections($0) },
    Section("Mixed values") { try mixedValues($0) },
    Section("Sectioned results") { try sectionedResults($0) },
    Section("Notifications") { try notifications($0) },
    Section("Threads and actors") { try threads($0) },
    Section("Migrations") { try migrations($0) },
    Section("Dynamic objects and schemas") { try dynamic($0) },
    Section("Errors") { try errors($0) },
    Section("Misuse") { try misuse($0) },
    Section("Apps and users") { try apps($0) },
    Section("Sync sessions") { try sessions($0) },
    Section("Sets of subscriptions") { try subscriptionSets($0) },
    Section("Subscriptions of query-based sync") { try queryBased($0) },
    Section("Places") { try places($0) },
    Section("Values and logging") { try values($0) },
  ]

  static let introduction = """
    # The members of RealmSwift

    Every everyday and commonly used member of RealmSwift's interface, and what it is here.

    ## Overview

    The tests use each member that is *done* or *differs* as RealmSwift declares it, with its labels,
    types and effects, in the language modes of Swift 6 and Swift 5; this page is written from them.
    What needs a server is compiled for this page, and run by the tests of sync. *Differs* means that a program may have to be changed, or behaves otherwise, where the row says
    so. *No* means that the compiler reports each use, and *not on Linux* that the member needs what
    only Apple's systems have. Views for SwiftUI are not on Linux either. <doc:Compatibility> has
    notes on each part, and what is Atoll's own; <doc:PortFromRealmSwift> has the edits that stay
    necessary.

    """

  // MARK: The classes

  enum Mood: String, PersistableEnum {
    case calm
    case wild
  }

  struct Weight: CustomPersistable, Equatable {
    typealias PersistedType = Double
    let kilograms: Double
    init(persistedValue: Double) { kilograms = persistedValue }
    var persistableValue: Double { kilograms }
  }

  struct Chip: FailableCustomPersistable, Equatable {
    typealias PersistedType = String
    let code: String
    init?(persistedValue: String) {
      guard !persistedValue.isEmpty else { return nil }
      code = persistedValue
    }
    var persistableValue: String { code }
  }

  class Place: EmbeddedObject {
    @Persisted var city: String
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>
  }

  class Dog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var age: Int
    @Persisted var nick: String?
    @Persisted var photo: Data
    @Persisted var born: Date
    @Persisted var mood: Mood
    @Persisted var weight: Weight
    @Persisted var chip: Chip?
    @Persisted var isGood: Bool
    @Persisted var owner: Person?
    @Persisted var home: Place?
    @Persisted var anything: AnyRealmValue
    @Persisted var tags: List<String>
    @Persisted var scores: List<Int>
    @Persisted var marks: MutableSet<Int>
    @Persisted var prices: Map<String, Int>
    @Persisted var friends: List<Dog>
    @Persisted(originProperty: "friends") var admirers: LinkingObjects<Dog>
    var isSelected = false
  }

  class Person: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String
    @Persisted var dogs: List<Dog>
    @Persisted var pals: MutableSet<Dog>
    @Persisted var byName: Map<String, Dog?>
    @Persisted(originProperty: "owner") var pets: LinkingObjects<Dog>
  }

  class Reading: AsymmetricObject {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var celsius: Double
  }

  static let classes: [ObjectBase.Type] = [Dog.self, Person.self, Place.self]

  /// Of a realm in memory that no other section has.
  static func ownConfiguration() -> Realm.Configuration {
    Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: classes)
  }

  @MainActor static func ownRealm() throws -> Realm { try Realm(configuration: ownConfiguration()) }

  /// A realm with two dogs, Luna of one and Rex of three years, who belongs to Ada.
  @MainActor static func kennel() throws -> Realm {
    let realm = try ownRealm()
    try realm.write {
      let rex = realm.create(Dog.self, value: ["id": 1, "name": "Rex", "age": 3])
      let luna = realm.create(Dog.self, value: ["id": 2, "name": "Luna", "age": 1])
      let ada = realm.create(Person.self, value: ["name": "Ada"])
      rex.owner = ada
      rex.friends.append(luna)
      rex.tags.append(objectsIn: ["big", "brown"])
      rex.scores.append(objectsIn: [3, 1, 2])
      rex.marks.insert(objectsIn: [7, 8])
      rex.prices["EUR"] = 12
      ada.dogs.append(objectsIn: [rex, luna])
      ada.pals.insert(rex)
      ada.byName["Rex"] = rex
    }
    return realm
  }
}

extension Realm {
  var rex: Interface.Dog {
    guard let rex = object(ofType: Interface.Dog.self, forPrimaryKey: 1) else {
      fatalError("the kennel has no Rex")
    }
    return rex
  }

  var ada: Interface.Person {
    guard let ada = objects(Interface.Person.self).first else {
      fatalError("the kennel has no Ada")
    }
    return ada
  }
}
