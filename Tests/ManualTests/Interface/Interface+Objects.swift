import Foundation
import RealmSwift
import Testing

extension Interface {
  class Legacy: Object {
    @Persisted var key: String
    @Persisted var text: String
    var note = ""
    override class func primaryKey() -> String? { "key" }
    override class func ignoredProperties() -> [String] { ["note"] }
    override class func indexedProperties() -> [String] { ["text"] }
    override class func propertiesMapping() -> [String: String] { ["text": "stored_text"] }
    override class func _realmObjectName() -> String? { "OldLegacy" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Started: Object {
    @Persisted var name: String
    required init() {
      super.init()
      name = "new"
    }
    convenience init(name: String) {
      self.init()
      self.name = name
    }
  }

  @MainActor static func objects(_ rows: InterfaceRows) throws {
    let realm = try kennel()

    rows.done("ObjectBase: Hashable, CustomStringConvertible") {
      isHashable(ObjectBase.self)
      isDescribed(ObjectBase.self)
    }
    rows.done("open class Object: ObjectBase") { takes(ObjectBase.self, Dog()) }
    rows.done("open class EmbeddedObject: ObjectBase") { takes(ObjectBase.self, Place()) }
    rows.done(
      "open class AsymmetricObject: ObjectBase", note: "In synced realms."
    ) { takes(ObjectBase.self, Reading()) }
    rows.differs(
      "required init()",
      how: "A model that overrides it writes `required init()` instead of `override init()`."
    ) {
      #expect(Dog().name.isEmpty)
      #expect(Started().name == "new" && Started(name: "old").name == "old")
    }
    rows.done("Object.init(value:)", "EmbeddedObject.init(value:)", "AsymmetricObject.init(value:)")
    {
      #expect(Dog(value: ["name": "Rex", "age": 3]).age == 3)
      #expect(Dog(value: [1, "Rex", 3]).name == "Rex")
      #expect(Place(value: ["city": "Bern"]).city == "Bern")
      #expect(Reading(value: ["celsius": 2.5]).celsius == 2.5)
    }
    rows.done("object.realm") {
      #expect(realm.rex.realm == realm && Dog().realm == nil)
      takes(Realm?.self, Place().realm)
    }
    rows.done("object.objectSchema") { takes(ObjectSchema.self, realm.rex.objectSchema) }
    rows.done("object.isInvalidated") { #expect(!realm.rex.isInvalidated) }
    rows.done("object.description") { #expect(realm.rex.description.contains("Rex")) }
    rows.done("Object.className()") { #expect(Dog.className() == "Dog") }
    rows.done("Object.shouldIncludeInDefaultSchema()") {
      #expect(!Legacy.shouldIncludeInDefaultSchema() && Dog.shouldIncludeInDefaultSchema())
    }
    rows.done(
      "Object.primaryKey()", "Object.indexedProperties()", "Object.ignoredProperties()",
      "Object.propertiesMapping()", "Object._realmObjectName()"
    ) {
      let configuration = Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Legacy.self])
      let schema = try Realm(configuration: configuration).schema
      let legacy = try #require(schema["OldLegacy"])
      #expect(legacy.primaryKeyProperty?.name == "key")
      #expect(legacy["text"]?.columnName == "stored_text" && legacy["text"]?.isIndexed == true)
      #expect(legacy["note"] == nil)
    }
    rows.done("Object.isEmbedded()") { #expect(Place.isEmbedded() && !Dog.isEmbedded()) }
    rows.differs(
      "object[\"name\"]",
      how: "By name an integer is an `Int`, and an enum its raw value, not an `NSNumber`."
    ) {
      let dog = Dog()
      dog["age"] = 4
      let age: Any? = dog["age"]
      #expect(age as? Int == 4)
    }
    rows.done("object.value(forKey:)", "object.value(forKeyPath:)", "object.setValue(_:forKey:)") {
      let dog = Dog()
      dog.setValue("Rex", forKey: "name")
      #expect(dog.value(forKey: "name") as? String == "Rex")
      #expect(realm.rex.value(forKeyPath: "owner.name") as? String == "Ada")
    }
    rows.done("object.isSameObject(as:)") {
      let other: Object? = realm.rex
      #expect(realm.rex.isSameObject(as: other))
    }
    rows.done("==", "hash(into:)") {
      #expect(realm.rex == realm.rex && Dog() != Dog())
      #expect(Set([realm.rex, realm.rex]).count == 1)
    }
    rows.done("ObjectKeyIdentifiable", "ObjectKeyIdentifable") {
      let named = Named()
      let id: UInt64 = named.id
      #expect(id == named.id && id != Named().id)
      func known<Value: ObjectKeyIdentifable>(_ value: Value) {}
      known(named)
    }
    rows.done("object.freeze()", "object.thaw()", "object.isFrozen") {
      let frozen: Dog = realm.rex.freeze()
      let thawed: Dog? = frozen.thaw()
      #expect(frozen.isFrozen && thawed == realm.rex)
    }
    rows.done("a property without `@Persisted`", note: "It is ignored.") {
      realm.rex.isSelected = true
      #expect(realm.schema["Dog"]?["isSelected"] == nil)
    }
    rows.notOnLinux(
      "@objc dynamic var", "@objcMembers", "@objc(Name)",
      why: "They need the runtime of Objective-C; write `@Persisted`, and `_realmObjectName()`.")
    rows.notOnLinux(
      "addObserver(_:forKeyPath:options:context:)",
      why: "Key-value observation needs the runtime of Objective-C; use `object.observe`.")
  }

  class Named: Object, ObjectKeyIdentifiable {
    @Persisted var name: String
  }

  // MARK: @Persisted

  class Declared: Object {
    @Persisted(primaryKey: true) var key = "a"
    @Persisted var plain: Int
    @Persisted var preset = 5
    @Persisted(indexed: true) var indexed: String
    @Persisted(indexed: true) var indexedPreset = Date(timeIntervalSince1970: 0)
    @Persisted(indexed: .fullText) var searched: String
    @Persisted var children: List<Declared>
    @Persisted(originProperty: "children") var parents: LinkingObjects<Declared>
  }

  class OptionalKey: Object {
    @Persisted(primaryKey: true) var key: UUID?
  }

  class CodableDog: Object, Codable {
    @Persisted var name: String
    @Persisted var nick: String?
  }

  @MainActor static func persisted(_ rows: InterfaceRows) throws {
    let declared = Declared()

    rows.done("@Persisted var", "Persisted.init()") { #expect(declared.plain == 0) }
    rows.done("@Persisted var name = default", "Persisted.init(wrappedValue:)") {
      #expect(declared.preset == 5)
    }
    rows.done(
      "Persisted.init(primaryKey:)", "Persisted.init(wrappedValue:primaryKey:)",
      note: "Of integers, `String`, `ObjectId`, `UUID` and their optionals."
    ) {
      let schema = declared.objectSchema
      #expect(declared.key == "a" && schema.primaryKeyProperty?.name == "key")
      #expect(OptionalKey().objectSchema.primaryKeyProperty?.isOptional == true)
    }
    rows.done("Persisted.init(indexed:)", "Persisted.init(wrappedValue:indexed:)") {
      #expect(declared.objectSchema["indexed"]?.isIndexed == true)
      #expect(declared.objectSchema["indexedPreset"]?.isIndexed == true)
    }
    rows.done("Persisted.init(originProperty:)") {
      takes(LinkingObjects<Declared>.self, declared.parents)
      #expect(declared.objectSchema["parents"]?.linkOriginPropertyName == "children")
    }
    rows.done("Persisted: Codable", note: "A key that is missing, or null, is nil of an optional.")
    {
      let dog = try JSONDecoder().decode(CodableDog.self, from: Data(#"{"name": "Rex"}"#.utf8))
      #expect(dog.name == "Rex" && dog.nick == nil)
      #expect(try JSONEncoder().encode(CodableDog(value: ["Rex", "R"])).count > 10)
    }
    rows.done(
      "Persisted.init(indexed: .fullText)",
      note: "For `TEXT` in queries; of other SDKs of the family."
    ) { takes(String.self, declared.searched) }
  }

  class Everything: Object {
    @Persisted var int: Int
    @Persisted var int8: Int8
    @Persisted var int16: Int16
    @Persisted var int32: Int32
    @Persisted var int64: Int64
    @Persisted var bool: Bool
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var string: String
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var objectId: ObjectId
    @Persisted var uuid: UUID
    @Persisted var decimal: Decimal128
    @Persisted var mood: Mood
    @Persisted var weight: Weight
    @Persisted var chip: Chip?
    @Persisted var any: AnyRealmValue
    @Persisted var optionalInt: Int?
    @Persisted var optionalInt8: Int8?
    @Persisted var optionalInt16: Int16?
    @Persisted var optionalInt32: Int32?
    @Persisted var optionalInt64: Int64?
    @Persisted var optionalBool: Bool?
    @Persisted var optionalFloat: Float?
    @Persisted var optionalDouble: Double?
    @Persisted var optionalString: String?
    @Persisted var optionalData: Data?
    @Persisted var optionalDate: Date?
    @Persisted var optionalObjectId: ObjectId?
    @Persisted var optionalUUID: UUID?
    @Persisted var optionalDecimal: Decimal128?
    @Persisted var optionalMood: Mood?
    @Persisted var optionalWeight: Weight?
    @Persisted var dog: Dog?
    @Persisted var place: Place?
    @Persisted var ints: List<Int?>
    @Persisted var places: List<Place>
    @Persisted var moods: MutableSet<Mood>
    @Persisted var weights: List<Weight>
    @Persisted var dogs: Map<String, Dog?>
    @Persisted var placesByName: Map<String, Place?>
    @Persisted var anyValues: Map<String, AnyRealmValue>
  }

  @MainActor static func propertyTypes(_ rows: InterfaceRows) throws {
    let everything = Everything()

    rows.done("Int", "Int8", "Int16", "Int32", "Int64", note: "And their optionals.") {
      #expect(everything.int == 0 && everything.int8 == 0 && everything.int16 == 0)
      #expect(everything.int32 == 0 && everything.int64 == 0)
      #expect(everything.optionalInt == nil && everything.optionalInt8 == nil)
      #expect(everything.optionalInt16 == nil && everything.optionalInt32 == nil)
      #expect(everything.optionalInt64 == nil)
    }
    rows.done("Bool", "Float", "Double", note: "And their optionals.") {
      #expect(!everything.bool && everything.float == 0 && everything.double == 0)
      #expect(everything.optionalBool == nil && everything.optionalFloat == nil)
      #expect(everything.optionalDouble == nil)
    }
    rows.done("String", "String?", note: "An indexed one has at most 65 533 bytes in UTF-8.") {
      #expect(everything.string.isEmpty && everything.optionalString == nil)
    }
    rows.done("Data", "Data?") {
      #expect(everything.data.isEmpty && everything.optionalData == nil)
    }
    rows.differs(
      "Date", "Date?",
      how: "It is stored as the double that a `Date` is; seconds and nanoseconds of other programs "
        + "come back to the double nearest to them."
    ) {
      takes(Date.self, everything.date)
      #expect(everything.optionalDate == nil)
    }
    rows.done("ObjectId", "ObjectId?", note: "Each object has another default.") {
      #expect(everything.objectId != Everything().objectId && everything.optionalObjectId == nil)
    }
    rows.done("UUID", "UUID?", note: "Each object has another default.") {
      #expect(everything.uuid != Everything().uuid && everything.optionalUUID == nil)
    }
    rows.done("Decimal128", "Decimal128?") {
      #expect(everything.decimal == 0 && everything.optionalDecimal == nil)
    }
    rows.done("PersistableEnum", note: "The default is the first case.") {
      #expect(everything.mood == .calm && everything.optionalMood == nil)
    }
    rows.done("AnyRealmValue") { #expect(everything.any == .none) }
    rows.done("Object?", "EmbeddedObject?") {
      #expect(everything.dog == nil && everything.place == nil)
    }
    rows.done("List<T>", note: "Of values, their optionals, objects and embedded objects.") {
      everything.ints.append(nil)
      everything.places.append(Place())
      #expect(everything.ints.count == 1 && everything.places.count == 1)
    }
    rows.done("MutableSet<T>") { #expect(everything.moods.isEmpty) }
    rows.done("Map<String, T>", "Map<String, Object?>", "Map<String, EmbeddedObject?>") {
      #expect(everything.dogs.isEmpty && everything.placesByName.isEmpty)
      #expect(everything.anyValues.isEmpty)
    }
    rows.done("LinkingObjects<T>") { takes(LinkingObjects<Dog>.self, Dog().admirers) }
    rows.differs(
      "CustomPersistable types", "FailableCustomPersistable types",
      how: "They are stored as values, not as embedded objects."
    ) {
      #expect(everything.weight.kilograms == 0 && everything.optionalWeight == nil)
      #expect(everything.chip == nil && everything.weights.isEmpty)
    }
  }
}
