import Foundation
import RealmSwift
import TestSupport
import Testing

extension Interface {
  /// A class before and after a change: two of one name in the file.
  enum Old {
    class Cat: Object {
      @Persisted var first: String
      @Persisted var age: Int
    }
  }

  enum New {
    class Cat: Object {
      @Persisted var name: String
      @Persisted var age: Int
    }
  }

  /// Opens a file that an older version wrote, with a block.
  @MainActor static func migrate(_ block: @escaping MigrationBlock) throws -> Realm {
    let folder = TemporaryFolder()
    let url = URL(filePath: folder.path(of: "cats"))
    try autoreleasepool {
      let old = Realm.Configuration(fileURL: url, schemaVersion: 1, objectTypes: [Old.Cat.self])
      let realm = try Realm(configuration: old)
      try realm.write { _ = realm.create(Old.Cat.self, value: ["first": "Tom", "age": 3]) }
    }
    let new = Realm.Configuration(
      fileURL: url, schemaVersion: 2, migrationBlock: block, objectTypes: [New.Cat.self])
    return try Realm(configuration: new)
  }

  @MainActor static func migrations(_ rows: InterfaceRows) throws {
    rows.done(
      "typealias MigrationBlock", "migration.enumerateObjects(ofType:_:)",
      "typealias MigrationObject = DynamicObject",
      note: "Classes that the block is to bring to the new version are named in `objectTypes` or "
        + "with `Realm.registerModels`, or mentioned in it."
    ) {
      let realm = try migrate { migration, oldSchemaVersion in
        #expect(oldSchemaVersion == 1)
        migration.enumerateObjects(ofType: New.Cat.className()) { old, new in
          takes(MigrationObject?.self, old)
          new?["name"] = old?["first"]
          new?.age = 4
        }
      }
      #expect(realm.objects(New.Cat.self).first?.name == "Tom")
      #expect(realm.objects(New.Cat.self).first?.age == 4)
    }
    rows.done("migration.renameProperty(onType:from:to:)") {
      let realm = try migrate { migration, _ in
        migration.renameProperty(onType: "Cat", from: "first", to: "name")
      }
      #expect(realm.objects(New.Cat.self).first?.name == "Tom")
    }
    rows.done("migration.create(_:value:)", "migration.delete(_:)") {
      let realm = try migrate { migration, _ in
        let cat: MigrationObject = migration.create("Cat", value: ["name": "Kit"])
        migration.create("Cat")
        migration.delete(cat)
      }
      #expect(realm.objects(New.Cat.self).count == 2)
    }
    rows.done("migration.deleteData(forType:)") {
      let realm = try migrate { migration, _ in
        let isDeleted: Bool = migration.deleteData(forType: "Cat")
        #expect(isDeleted)
        migration.deleteData(forType: "Bird")
      }
      #expect(realm.objects(New.Cat.self).isEmpty)
    }
    rows.done("migration.oldSchema", "migration.newSchema") {
      _ = try migrate { migration, _ in
        let old: Schema = migration.oldSchema
        #expect(old["Cat"]?["first"] != nil && migration.newSchema["Cat"]?["name"] != nil)
      }
    }
    rows.done("typealias MigrationObjectEnumerateBlock") {
      _ = try migrate { migration, _ in
        let block: MigrationObjectEnumerateBlock = { old, new in new?["name"] = old?["first"] }
        migration.enumerateObjects(ofType: "Cat", block)
      }
    }
    rows.done(
      "migration.fail(_:)", note: "Atoll's own: the opening throws the error, nothing is changed."
    ) {
      #expect(throws: CancellationError.self) {
        try migrate { migration, _ in migration.fail(CancellationError()) }
      }
    }
  }

  @MainActor static func dynamic(_ rows: InterfaceRows) throws {
    let realm = try kennel()

    rows.differs(
      "DynamicObject: Object", "dynamicObject[\"name\"]", "dynamicObject.name",
      how: "Properties have their names in the file; linking objects are not among them."
    ) {
      let rex = try #require(realm.dynamicObject(ofType: "Dog", forPrimaryKey: 1))
      takes(Object.self, rex)
      let name: Any? = rex.name
      #expect(name as? String == "Rex" && rex["age"] as? Int == 3)
      try realm.write { rex.nick = "R" }
      #expect(realm.rex.nick == "R")
    }
    rows.done("object.dynamicList(_:)", "dynamicMutableSet(_:)", "dynamicMap(_:)") {
      let ada = try #require(realm.dynamicObjects("Person").first)
      let dogs: List<DynamicObject> = ada.dynamicList("dogs")
      let pals: MutableSet<DynamicObject> = ada.dynamicMutableSet("pals")
      let byName: Map<String, DynamicObject?> = ada.dynamicMap("byName")
      #expect(dogs.count == 2 && pals.count == 1 && byName.count == 1)
      #expect(realm.ada.dynamicList("dogs").count == 2)
    }
    rows.done("Schema: objectSchema, schema[className]") {
      let schema: Schema = realm.schema
      let classes: [ObjectSchema] = schema.objectSchema
      #expect(classes.count == 3 && schema["Dog"] != nil && schema == realm.schema)
    }
    rows.differs(
      """
      ObjectSchema: properties, className, objectClass, isEmbedded, isAsymmetric, \
      primaryKeyProperty, objectSchema[name]
      """,
      how: "The `objectClass` of a class that only the file knows is `DynamicObject`."
    ) {
      let dog = try #require(realm.schema["Dog"])
      takes([Property].self, dog.properties)
      #expect(dog.className == "Dog" && dog.objectClass == Dog.self && !dog.isEmbedded)
      #expect(!dog.isAsymmetric && dog.primaryKeyProperty?.name == "id" && dog["age"] != nil)
      #expect(dog == realm.rex.objectSchema)
      isDescribed(ObjectSchema.self)
    }
    rows.done(
      """
      Property: name, columnName, type, isArray, isSet, isMap, isIndexed, isOptional, \
      objectClassName
      """
    ) {
      let owner: Property = try #require(realm.schema["Dog"]?["owner"])
      #expect(owner.name == "owner" && owner.columnName == "owner" && owner.type == .object)
      #expect(!owner.isArray && !owner.isSet && !owner.isMap && !owner.isIndexed)
      #expect(owner.isOptional && owner.objectClassName == "Person" && owner == owner)
      isDescribed(Property.self)
    }
    rows.done(
      """
      PropertyType: .int, .bool, .string, .data, .date, .float, .double, .object, \
      .linkingObjects, .any, .objectId, .decimal128, .UUID
      """
    ) {
      let types: [PropertyType] = [
        .int, .bool, .string, .data, .date, .float, .double, .object, .linkingObjects, .any,
        .objectId, .decimal128, .UUID,
      ]
      #expect(types.map(\.rawValue).sorted() == Array(0...12) as [Int32])
    }
  }
}
