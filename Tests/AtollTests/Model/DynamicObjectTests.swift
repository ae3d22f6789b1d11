import AtollObjects
import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll

private class Buoy: Atoll.Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted(indexed: true) var depth = 7
  @Persisted var weight: Double?
  @Persisted var next: Buoy?
  @Persisted var chain: List<Buoy>
  @Persisted var crew: MutableSet<Buoy>
  @Persisted var byRole: Map<String, Buoy?>
  @Persisted var numbers: List<Int>
  @Persisted var words: MutableSet<String>
  @Persisted var prices: Map<String, Double>
  @Persisted var anchor: BuoyAnchor?
  @Persisted var spares: List<BuoyAnchor>
  @Persisted var any: AnyRealmValue
  @Persisted(originProperty: "next") var before: LinkingObjects<Buoy>
}

private class BuoyAnchor: EmbeddedObject {
  @Persisted var iron: Int
}

private class Other: Atoll.Object {
  @Persisted var text: String
}

/// Objects that are asked for by the name of their class.
@Suite(.waiting) struct DynamicObjectTests {
  private let folder = TemporaryFolder()

  private func configuration(_ types: [ObjectBase.Type]?) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: URL(filePath: folder.path(of: "a.realm")), objectTypes: types)
  }

  private var types: [ObjectBase.Type] { [Buoy.self, BuoyAnchor.self, Other.self] }

  private func filled() throws -> Realm {
    let realm = try Realm(configuration: configuration(types))
    try realm.write {
      let a = realm.create(
        Buoy.self,
        value: [
          "name": "a", "depth": 1, "numbers": [3, 4], "words": ["x"], "prices": ["p": 1.5],
          "anchor": ["iron": 9], "spares": [["iron": 1], ["iron": 2]], "weight": 2.5,
        ])
      let b = realm.create(
        Buoy.self, value: ["name": "b", "next": a, "chain": [a], "crew": [a], "byRole": ["r": a]])
      b.any = .object(a)
    }
    return realm
  }

  /// Promise: dynamic.values.
  @Test func propertiesAreReadByTheirNamesInTheFile() throws {
    let realm = try filled()
    let a = try #require(realm.dynamicObject(ofType: "Buoy", forPrimaryKey: "a"))
    #expect(a.name as? String == "a" && a["depth"] as? Int == 1 && a.weight as? Double == 2.5)
    #expect((a.numbers as? List<Int>).map(Array.init) == [3, 4])
    #expect((a.words as? MutableSet<String>).map(Array.init) == ["x"])
    #expect((a.prices as? Map<String, Double>)?["p"] == 1.5)
    #expect((a.anchor as? DynamicObject)?.iron as? Int == 9)
    #expect(a.dynamicList("spares").map { $0.iron as? Int } == [1, 2])
    let b = try #require(realm.dynamicObject(ofType: "Buoy", forPrimaryKey: "b"))
    #expect(b.depth as? Int == 7 && b.weight == nil)
    #expect((b.next as? DynamicObject)?.isSameObject(as: a) == true)
    #expect(b.dynamicList("chain").first == a && b.dynamicMutableSet("crew").first == a)
    #expect(b.dynamicMap("byRole")["r"]??.isSameObject(as: a) == true)
    #expect((b.any as? DynamicObject)?.isSameObject(as: a) == true)
    #expect(realm.dynamicObject(ofType: "Buoy", forPrimaryKey: "c") == nil)
    // A typed object is the same one, and has the same collections.
    let typed = try #require(realm.object(ofType: Buoy.self, forPrimaryKey: "b"))
    #expect(
      typed.isSameObject(as: b) && typed.dynamicList("chain").first?.isSameObject(as: a) == true)
    #expect(typed.any.dynamicObject?.name as? String == "a")
    #expect(AnyRealmValue.int(1).dynamicObject == nil)
    #expect(b.description.contains("Buoy {") && b.description.contains("name = b"))
  }

  /// Promise: dynamic.foreign.
  @Test func aFileIsReadWithoutItsClasses() throws {
    _ = try filled()
    let realm = try Realm(configuration: configuration([]))
    let buoys = realm.dynamicObjects("Buoy")
    #expect(buoys.count == 2 && buoys.filter("depth > 5").map { $0.name as? String } == ["b"])
    #expect(buoys.sorted(byKeyPath: "name", ascending: false).first?.name as? String == "b")
    #expect(buoys.filter("next.name = 'a'").count == 1 && buoys.max(ofProperty: "depth") == 7)
    #expect(buoys.filter("ANY chain.depth = 1").count == 1)
    let schema = try #require(buoys.first?.objectSchema)
    #expect(schema.className == "Buoy" && schema.objectClass == DynamicObject.self)
    #expect(schema.primaryKeyProperty?.name == "name" && schema["depth"]?.isIndexed == true)
    #expect(schema["weight"]?.isOptional == true && schema["chain"]?.isArray == true)
    #expect(schema["chain"]?.objectClassName == "Buoy" && schema["crew"]?.isSet == true)
    #expect(schema["byRole"]?.isMap == true && schema["any"]?.type == .any)
    #expect(realm.schema["Buoy"] == schema)
    // The any value leads to a class that the program does not name here.
    let b = try #require(buoys.last)
    #expect((b.any as? DynamicObject)?.name as? String == "a")
    try realm.write {
      b["depth"] = 11
      b.weight = 1
      b.numbers = [1, 2, 3]
      b.next = b
      b.dynamicList("chain").append(b)
      b.anchor = ["iron": 5]
      b.dynamicList("spares").append(objectsIn: [])
      b.any = "text"
    }
    #expect(b.depth as? Int == 11 && b.weight as? Double == 1 && b.any as? String == "text")
    #expect((b.next as? DynamicObject) == b && b.dynamicList("chain").count == 2)
    #expect((b.anchor as? DynamicObject)?.iron as? Int == 5)
    #expect((b.numbers as? List<Int>)?.count == 3)
    try realm.write { realm.delete(b) }
    #expect(buoys.count == 1 && b.isInvalidated)
  }

  @Test func objectsAreMadeByTheNameOfTheirClass() throws {
    let realm = try filled()
    try realm.write {
      let made = realm.dynamicCreate(
        "Buoy",
        value: [
          "name": "c", "chain": [["name": "d"]], "anchor": ["iron": 3], "spares": [["iron": 4]],
          "next": ["name": "a", "depth": 70],
        ], update: .modified)
      #expect(made.depth as? Int == 7)
      #expect(made.dynamicList("spares").first?.iron as? Int == 4)
      realm.dynamicCreate("Buoy", value: ["name": "b", "depth": 8], update: .all)
      realm.dynamicCreate("Other", value: ["typed"])
    }
    let c = try #require(realm.object(ofType: Buoy.self, forPrimaryKey: "c"))
    #expect(c.chain.map(\.name) == ["d"] && c.anchor?.iron == 3 && c.chain.first?.depth == 7)
    #expect(c.next?.depth == 70 && c.next?.numbers.count == 2)
    #expect(realm.object(ofType: Buoy.self, forPrimaryKey: "b")?.depth == 8)
    #expect(realm.objects(Buoy.self).count == 4 && realm.objects(Other.self).first?.text == "typed")
  }

  @Test func dynamicObjectsFreezeAndGoToOtherThreads() throws {
    let realm = try filled()
    let a = try #require(realm.dynamicObject(ofType: "Buoy", forPrimaryKey: "a"))
    let frozen = a.freeze()
    let list = realm.dynamicObjects("Buoy").filter("depth = 1").freeze()
    let numbers = try #require((a.numbers as? List<Int>)?.freeze())
    let reference = ThreadSafeReference(to: a)
    try realm.write {
      a.depth = 2
      (a.numbers as? List<Int>)?.append(5)
    }
    #expect(frozen.depth as? Int == 1 && list.first?.depth as? Int == 1 && numbers.count == 2)
    #expect(frozen.thaw()?.depth as? Int == 2)
    #expect(realm.resolve(reference)?.depth as? Int == 2)
    let configuration = configuration([])
    let other = Thread.result { () -> Int? in
      let realm = try? Realm(configuration: configuration)
      return realm?.dynamicObjects("Buoy").first?.depth as? Int
    }
    #expect(other == 2)
  }

  @MainActor @Test func dynamicObjectsAreObserved() throws {
    let realm = try filled()
    var told: [Int] = []
    let token = realm.dynamicObjects("Buoy").filter("depth > 1").observe { changes in
      if case .update(let results, _, _, _) = changes { told.append(results.count) }
    }
    let a = try #require(realm.dynamicObject(ofType: "Buoy", forPrimaryKey: "a"))
    var names: [String] = []
    let other = a.observe { (change: ObjectChange<DynamicObject>) in
      if case .change(_, let properties) = change { names += properties.map(\.name) }
    }
    realm.refresh()
    try realm.write {}
    try realm.write { a.depth = 4 }
    try realm.write { realm.dynamicCreate("Buoy", value: ["name": "z"]) }
    realm.refresh()
    #expect(names == ["depth"])
    withExtendedLifetime((token, other)) {}
  }

  /// A class that gets another property is seen with it, and the objects that are held stay.
  @Test func aNewPropertyIsSeenAtOnce() throws {
    let realm = try filled()
    let a = try #require(realm.dynamicObject(ofType: "Buoy", forPrimaryKey: "a"))
    let numbers = try #require(a.numbers as? List<Int>)
    try realm.write {
      let transaction = try #require(realm.context.transaction)
      try transaction.addProperty(PropertySchema("colour", .string), to: "Buoy")
      realm.context.adoptSchema()
      a.colour = "red"
      numbers.append(1)
    }
    #expect(a.colour as? String == "red" && numbers.count == 3 && a.depth as? Int == 1)
  }

  @Test func anObjectOfAnotherClassEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      let tests = DynamicObjectTests()
      defer { withExtendedLifetime(tests) {} }
      let realm = try tests.filled()
      try realm.write {
        let other = realm.dynamicCreate("Other")
        realm.dynamicObjects("Buoy").first?.next = other
      }
    }
    await #expect(processExitsWith: .failure) {
      let tests = DynamicObjectTests()
      defer { withExtendedLifetime(tests) {} }
      let realm = try tests.filled()
      try realm.write {
        let other = realm.dynamicCreate("Other")
        realm.dynamicObjects("Buoy").first?.dynamicList("chain").append(other)
      }
    }
    await #expect(processExitsWith: .success) {
      let tests = DynamicObjectTests()
      defer { withExtendedLifetime(tests) {} }
      let realm = try tests.filled()
      try realm.write {
        let other = realm.dynamicCreate("Buoy", value: ["name": "other"])
        realm.dynamicObjects("Buoy").first?.dynamicList("chain").append(other)
      }
    }
  }

  @Test func wrongNamesEndTheProcess() async {
    await #expect(processExitsWith: .failure) {
      let realm = try Realm(
        configuration: .init(inMemoryIdentifier: "a", objectTypes: [Other.self]))
      _ = realm.dynamicObjects("Othr")
    }
    await #expect(processExitsWith: .failure) {
      let realm = try Realm(
        configuration: .init(inMemoryIdentifier: "a", objectTypes: [Other.self]))
      try realm.write { _ = realm.dynamicCreate("Other").name }
    }
    await #expect(processExitsWith: .failure) {
      let realm = try Realm(
        configuration: .init(inMemoryIdentifier: "a", objectTypes: [Other.self]))
      _ = realm.dynamicObject(ofType: "Other", forPrimaryKey: 1)
    }
    await #expect(processExitsWith: .failure) {
      let realm = try Realm(
        configuration: .init(inMemoryIdentifier: "a", objectTypes: [Other.self]))
      try realm.write { _ = realm.dynamicCreate("Other").dynamicList("text") }
    }
    await #expect(processExitsWith: .failure) {
      let realm = try Realm(
        configuration: .init(inMemoryIdentifier: "a", objectTypes: [Other.self]))
      _ = realm.objects(DynamicObject.self)
    }
    await #expect(processExitsWith: .failure) {
      let realm = try Realm(
        configuration: .init(inMemoryIdentifier: "a", objectTypes: [Other.self]))
      try realm.write { realm.dynamicCreate("Other").text = 5 }
    }
  }
}

extension Thread {
  /// What a block gives on a thread of its own.
  fileprivate static func result<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value?
  {
    nonisolated(unsafe) var value: Value?
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      value = body()
      done.signal()
    }
    thread.start()
    done.wait()
    return value
  }
}
