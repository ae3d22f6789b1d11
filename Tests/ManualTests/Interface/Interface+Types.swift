import Foundation
import RealmSwift
import Testing

extension Interface {
  class DogName: Projection<Dog> {
    @Projected(\Dog.name) var title
    @Projected(\Dog.owner?.name) var ownerName
    @Projected(\Dog.friends.projectTo.name) var friendNames: ProjectedCollection<String>
  }

  class Pals: Projection<Person> {
    @Projected(\Person.pals.projectTo.age) var ages: ProjectedCollection<Int>
  }

  /// Of an application that extends what has a marker.
  private static func isMinMax<Value: MinMaxType>(_ type: Value.Type) {}
  private static func isAddable<Value: AddableType>(_ type: Value.Type) {}
  private static func isElement<Value: RealmCollectionValue>(_ type: Value.Type) {}
  private static func isFetchable<Value: RealmFetchable>(_ type: Value.Type) {}
  private static func isPersistable<Value: _Persistable>(_ type: Value.Type) {}
  private static func isInsideOptional<Value: _PersistableInsideOptional>(_ type: Value.Type) {}
  private static func isOptionalElement<Value: _RealmCollectionValueInsideOptional>(
    _ type: Value.Type
  ) {}
  private static func isMapKey<Value: _MapKey>(_ type: Value.Type) {}
  private static func isPrimaryKey<Value: _PrimaryKey>(_ type: Value.Type) {}
  private static func isIndexable<Value: _Indexable>(_ type: Value.Type) {}
  private static func isConstructible<Value: _DefaultConstructible>(_ type: Value.Type) {}

  @MainActor static func protocols(_ rows: InterfaceRows) throws {
    rows.done("protocol PersistableEnum: RawRepresentable, CaseIterable, Comparable") {
      #expect(Mood.calm < Mood.wild && Mood.allCases.count == 2)
      isElement(Mood.self)
    }
    rows.done("protocol CustomPersistable: init(persistedValue:), persistableValue") {
      #expect(Weight(persistedValue: 2).persistableValue == 2)
      isElement(Weight.self)
    }
    rows.done(
      "protocol FailableCustomPersistable: init?(persistedValue:), persistableValue",
      note: "A stored value without meaning reads as nil, or as the declared default."
    ) { #expect(Chip(persistedValue: "") == nil) }
    rows.done("protocol RealmCollectionValue", "protocol _RealmCollectionValueInsideOptional") {
      isElement(Dog.self)
      isElement(Int?.self)
      isElement(AnyRealmValue.self)
      isOptionalElement(String.self)
    }
    rows.done("protocol RealmFetchable") {
      isFetchable(Dog.self)
      isFetchable(DogName.self)
    }
    rows.done("protocol MinMaxType", "protocol AddableType") {
      isMinMax(Int.self)
      isMinMax(Date.self)
      isMinMax(Double?.self)
      isAddable(Decimal128.self)
    }
    rows.done(
      "protocol _Persistable", "_PersistableInsideOptional", "_MapKey", "_PrimaryKey",
      "_Indexable", "_DefaultConstructible"
    ) {
      isPersistable(List<Int>.self)
      isInsideOptional(Int.self)
      isMapKey(String.self)
      isPrimaryKey(ObjectId.self)
      isIndexable(Date.self)
      isConstructible(Int.self)
    }
    rows.no(
      "protocol SortableType", "protocol KeypathSortable", "protocol OptionalProtocol",
      "protocol _HasPersistedType",
      why: "Markers of RealmSwift's own declarations; constrain to `ObjectBase`, `Optional` or "
        + "`_Persistable`.")
    rows.no(
      "RealmProperty", "RealmOptional", "RealmEnum", "RealmOptionalType", "RealmPropertyType",
      why: "The wrappers that preceded `@Persisted`; write `@Persisted var age: Int?`.")
  }

  @MainActor static func projections(_ rows: InterfaceRows) throws {
    let realm = try kennel()
    let rex = DogName(projecting: realm.rex)

    rows.done("open class Projection<Root>", "Projection.init(projecting:)", "rootObject") {
      let root: Dog = rex.rootObject
      #expect(root == realm.rex && rex == DogName(projecting: realm.rex))
    }
    rows.done("@Projected(\\Person.address.city) var city") {
      #expect(rex.title == "Rex" && rex.ownerName == "Ada")
      try realm.write { rex.title = "Max" }
      #expect(realm.rex.name == "Max")
    }
    rows.done("list.projectTo", "set.projectTo", "CollectionElementMapper") {
      takes(CollectionElementMapper<Dog>.self, realm.rex.friends.projectTo)
      #expect(Array(Pals(projecting: realm.ada).ages) == [3])
    }
    rows.differs("ProjectedCollection<Value>", how: "It is read only.") {
      let names: ProjectedCollection<String> = rex.friendNames
      #expect(names.count == 1 && names[0] == "Luna" && names.first == "Luna")
      takes(Realm?.self, names.realm)
    }
    rows.done("realm.objects(PersonProjection.self)") {
      let dogs: Results<DogName> = realm.objects(DogName.self)
      #expect(dogs.count == 2)
      #expect(dogs.where { $0.title == "Luna" }.count == 1)
    }
    rows.done(
      "projection.realm", "isInvalidated", "isFrozen", "freeze()", "thaw()"
    ) {
      #expect(rex.realm == realm && !rex.isInvalidated && !rex.isFrozen)
      let frozen: DogName = rex.freeze()
      #expect(frozen.isFrozen && frozen.thaw() != nil)
    }
    rows.differs(
      "projection.observe(keyPaths:on:_:)", how: "With `on:` the block is `@Sendable`."
    ) {
      let token: NotificationToken = rex.observe(keyPaths: [\DogName.title]) {
        (change: ObjectChange<DogName>) in
        if case .deleted = change { Issue.record("nothing is deleted") }
      }
      rex.observe(keyPaths: ["title"]) { _ in }.invalidate()
      token.invalidate()
    }
    rows.differs(
      "struct ProjectedPropertyChange", how: "Another name of `PropertyChange`."
    ) {
      compiles {
        let change: ProjectedPropertyChange? = nil
        takes(String?.self, change?.name)
        _ = (change?.oldValue, change?.newValue)
      }
    }
  }
}
