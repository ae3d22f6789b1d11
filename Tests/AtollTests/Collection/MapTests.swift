import Atoll
import Foundation
import Synchronization
import TestThreads
import Testing

private class Product: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var prices: Map<String, Double>
  @Persisted var names: Map<String, String?>
  @Persisted var guards: Map<String, Hound?>
  @Persisted var places: Map<String, Room?>
}

private class Knot: Object {
  @Persisted var links: Map<String, Knot?>
  @Persisted var all: MutableSet<Knot>
}

private class Owner: Object {
  @Persisted var dogs: Map<String, Hound>
}

@Suite(.waiting) struct MapTests {
  private let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)

  private func added(_ product: Product) throws -> (Realm, Product) {
    let realm = try Realm(configuration: configuration)
    try realm.write { realm.add(product) }
    return (realm, product)
  }

  /// The same changes of an unmanaged map and of a managed one.
  private func change(_ map: Map<String, Double>) -> [[String: Double]] {
    var states: [[String: Double]] = []
    func note() {
      #expect(map.keys == map.keys.sorted())
      #expect(map.count == map.keys.count && map.values.count == map.count)
      states.append(Dictionary(uniqueKeysWithValues: map.map { ($0.key, $0.value) }))
    }
    map["b"] = 2
    map["a"] = 1
    note()
    map["b"] = 3
    map["c", default: 10] += 1
    note()
    map["a"] = nil
    map.removeObject(for: "none")
    note()
    map.merge(["b": 5, "d": 6].map { (key: $0.key, value: $0.value) }) { $0 + $1 }
    note()
    map.removeAll()
    note()
    return states
  }

  /// Null stands for an embedded object in what is compared; one that is given is a change all the
  /// same.
  @Test func anUpdateBringsEmbeddedObjectsWhereThereWasNull() throws {
    let (realm, product) = try added(Product())
    try realm.write { product.places["home"] = .some(nil) }
    let new = Product()
    let room = Room()
    new.places["home"] = room
    try realm.write { realm.add(new, update: .modified) }
    #expect(product.places["home"]??.realm != nil)
    #expect(room.realm != nil)
  }

  @Test func objectsThatLeadToThemselvesCanBePrinted() throws {
    let realm = try Realm(configuration: configuration)
    let knot = Knot()
    knot.links["self"] = knot
    knot.links["none"] = .some(nil)
    #expect("\(knot)".contains("[self]: Knot {"))
    try realm.write { realm.add(knot) }
    #expect("\(knot)".contains("[none]: (null)"))
    #expect("\(knot.links)".hasPrefix("Map<String"))
  }

  /// Rows without a primary key are equal by their rows and not by their instances.
  @Test func managedSetsOfObjectsWithoutKeysAreCompared() throws {
    let realm = try Realm(configuration: configuration)
    let (knot, other) = (Knot(), Knot())
    try realm.write {
      realm.add([knot, other])
      knot.all.insert(objectsIn: [knot, other])
      other.all.insert(other)
    }
    #expect(other.all.isSubset(of: knot.all) && !knot.all.isSubset(of: other.all))
    #expect(knot.all.isSubset(of: knot.all) && knot.all.intersects(other.all))
    try realm.write { other.all.removeAll() }
    #expect(!knot.all.intersects(other.all))
  }

  @Test func managedAndUnmanagedMapsChangeAlike() throws {
    let expected: [[String: Double]] = [
      ["a": 1, "b": 2], ["a": 1, "b": 3, "c": 11], ["b": 3, "c": 11],
      ["b": 8, "c": 11, "d": 6], [:],
    ]
    #expect(change(Map()) == expected)
    let (realm, product) = try added(Product())
    #expect(try realm.write { change(product.prices) } == expected)
  }

  @Test func aMapIsAddedWithItsObject() throws {
    let product = Product()
    product.prices = ["EUR": 9.5, "NOK": 100]
    product.names["de"] = "Hund"
    product.names["no"] = .some(nil)
    let map = product.prices
    let (realm, _) = try added(product)
    #expect(product.prices === map)
    #expect(map.realm == realm)
    #expect(map.keys == ["EUR", "NOK"] && map["EUR"] == 9.5 && map["USD"] == nil)
    #expect(product.names.count == 2)
    #expect(product.names["no"] == .some(nil))
    #expect(product.names["sv"] == nil)
    let frozen = map.freeze()
    try realm.write { product.prices = ["USD": 1] }
    #expect(map.keys == ["USD"])
    #expect(frozen.keys == ["EUR", "NOK"])
    #expect(frozen.thaw()?.keys == ["USD"])
    try realm.write { realm.delete(product) }
    #expect(map.isInvalidated)
  }

  @Test func aKeyWhoseObjectIsDeletedStays() throws {
    let product = Product()
    let rex = Hound(value: ["name": "Rex", "weight": 9])
    product.guards["day"] = rex
    product.guards["night"] = .some(nil)
    let (realm, _) = try added(product)
    #expect(realm.objects(Hound.self).count == 1)
    #expect(product.guards["day"]??.name == "Rex")
    #expect(product.guards["night"] == .some(nil))
    try realm.write { product.guards["noon"] = Hound(value: ["name": "Ada", "weight": 3]) }
    #expect(product.guards.where { $0.weight > 5 }.map(\.name) == ["Rex"])
    #expect(product.guards.filter("weight < 5").map(\.name) == ["Ada"])
    #expect(product.guards.sorted(byKeyPath: "weight").map(\.name) == ["Ada", "Rex"])
    try realm.write { realm.delete(rex) }
    #expect(product.guards.keys == ["day", "night", "noon"])
    #expect(product.guards["day"] == .some(nil))
    try realm.write { realm.delete(product.guards) }
    #expect(product.guards.values == [nil, nil, nil])
    #expect(realm.objects(Hound.self).isEmpty)
  }

  @Test func aMapOwnsEmbeddedObjects() throws {
    let product = Product()
    product.places["shop"] = Room(value: ["name": "one"])
    let (realm, _) = try added(product)
    #expect(product.places["shop"]??.name == "one")
    let old = try #require(product.places["shop"] ?? nil)
    try realm.write {
      product.places["shop"] = Room(value: ["name": "two"])
      product.places["home"] = Room(value: ["name": "three"])
    }
    #expect(old.isInvalidated)
    try realm.write {
      product.places["shop"] = product.places["shop"]
      product.places.merge(product.places) { old, _ in old }
    }
    #expect(product.places.values.map { $0?.name } == ["three", "two"])
    let home = try #require(product.places["home"] ?? nil)
    try realm.write { product.places.removeObject(for: "home") }
    #expect(home.isInvalidated)
    #expect(product.places.keys == ["shop"])
  }

  @Test func mapsAreMadeOfDictionaries() throws {
    let (realm, _) = try added(Product())
    let value: [String: Any] = [
      "number": 7, "prices": ["EUR": 2, "NOK": 20.5], "names": ["de": "Hund", "no": NSNull()],
      "guards": ["day": ["name": "Rex", "weight": 9]], "places": ["shop": ["name": "one"]],
    ]
    for _ in 0..<2 {
      let product = try realm.write { realm.create(Product.self, value: value, update: .all) }
      #expect(product.prices["EUR"] == 2 && product.prices["NOK"] == 20.5)
      #expect(product.names["de"] == "Hund" && product.names["no"] == .some(nil))
      #expect(product.guards["day"]??.weight == 9)
      #expect(product.places["shop"]??.name == "one")
    }
    #expect(realm.objects(Hound.self).count == 1)
    let copy = Product(value: try #require(realm.object(ofType: Product.self, forPrimaryKey: 7)))
    #expect(copy.realm == nil && copy.prices.keys == ["EUR", "NOK"])
    #expect(copy.places["shop"]??.name == "one" && copy.places["shop"]??.realm == nil)
  }

  @Test func queriesAskMaps() throws {
    let (realm, product) = try added(
      Product(value: ["number": 1, "prices": ["EUR": 3.0, "NOK": 30.0]]))
    try realm.write {
      realm.create(
        Product.self,
        value: [
          "number": 2, "prices": ["EUR": 5.0], "guards": ["day": ["name": "Rex", "weight": 9]],
        ])
    }
    func numbers(_ isIncluded: (Query<Product>) -> Query<Bool>) -> [Int] {
      realm.objects(Product.self).where(isIncluded).map(\.number)
    }
    #expect(numbers { $0.prices["EUR"] == 5 } == [2])
    #expect(numbers { $0.prices["NOK"] > 10 } == [1])
    #expect(numbers { $0.prices.keys == "NOK" } == [1])
    #expect(numbers { $0.prices.keys.contains("UR") } == [1, 2])
    #expect(numbers { $0.prices.values > 4 } == [1, 2])
    #expect(numbers { $0.prices.count == 1 } == [2])
    #expect(numbers { $0.prices.contains(5) } == [2])
    #expect(numbers { $0.prices.max > 20 } == [1])
    #expect(numbers { $0.guards.values.weight > 8 } == [2])
    #expect(realm.objects(Product.self).filter("prices['EUR'] == 3").map(\.number) == [1])
    #expect(product.prices.sum() == 33 && product.prices.max() == 30)
    #expect(Array(product.prices.sorted(ascending: false)) == [30, 3])
  }

  @Test func mapsCodeAsDictionaries() throws {
    let map: Map<String, Int> = ["a": 1]
    #expect(String(decoding: try JSONEncoder().encode(map), as: UTF8.self) == #"{"a":1}"#)
    let decoded = try JSONDecoder().decode(Map<String, Int>.self, from: Data(#"{"x":2}"#.utf8))
    #expect(decoded["x"] == 2)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Map<String, Int>.self, from: Data(#"{"a":"b"}"#.utf8))
    }
  }

  /// Keys of documents of other databases, which an import keeps.
  @Test func anyStringIsAKey() throws {
    let realm = try Realm(configuration: configuration)
    let keys = ["a.b", "$c", "", ".", "EUR"]
    let product = Product()
    try realm.write {
      for key in keys { product.prices[key] = 2 }
      realm.add(product)
    }
    #expect(product.prices.keys == keys.sorted())
    #expect(realm.objects(Product.self).filter("prices['a.b'] == 2").count == 1)
    #expect(realm.objects(Product.self).where { $0.prices["$c"] == 2 }.count == 1)
    let copy = Product(value: product)
    #expect(copy.prices.keys == keys.sorted() && copy.prices["a.b"] == 2)
    let other = try Realm(
      configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString))
    let created = try other.write { other.create(Product.self, value: product) }
    #expect(created.prices.keys == keys.sorted())
  }

  @Test func aMapOfObjectsWithoutOptionalIsRefused() throws {
    var configuration = configuration
    configuration.objectTypes = [Owner.self, Hound.self, Keeper.self, Address.self, Room.self]
    #expect {
      try Realm(configuration: configuration)
    } throws: {
      $0.localizedDescription.contains("make it Map<String, Hound?>")
    }
  }

  @MainActor
  @Test func observersHearOfKeys() async throws {
    let realm = try await Realm(configuration: configuration)
    let product = Product()
    product.prices = ["EUR": 1, "NOK": 2]
    let rex = Hound(value: ["name": "Rex", "weight": 9])
    product.guards["day"] = rex
    try realm.write { realm.add(product) }
    var heard: [String] = []
    let tokens = [
      product.prices.observe { heard.append("prices \(Self.text($0))") },
      product.guards.observe { heard.append("guards \(Self.text($0))") },
    ]
    try await eventually { heard.count == 2 }
    #expect(Set(heard) == ["prices initial 2", "guards initial 1"])
    heard = []
    try realm.write {
      product.prices["EUR"] = 5
      product.prices["NOK"] = nil
      product.prices["SEK"] = 7
    }
    try await eventually { heard.count == 1 }
    #expect(heard == ["prices -[NOK] +[SEK] ~[EUR]"])
    heard = []
    try realm.write { rex.weight = 10 }
    try await eventually { heard.count == 1 }
    #expect(heard == ["guards -[] +[] ~[day]"])
    // A value that equals the one before is another all the same.
    for zero in [0, -0.0] {
      heard = []
      try realm.write { product.prices["SEK"] = zero }
      try await eventually { heard.count == 1 }
      #expect(heard == ["prices -[] +[] ~[SEK]"])
    }
    heard = []
    try realm.write { realm.delete(product) }
    try await eventually { heard.count == 2 }
    #expect(Set(heard) == ["prices -[EUR,SEK] +[] ~[]", "guards -[day] +[] ~[]"])
    withExtendedLifetime(tokens) {}
  }

  @Test func aQueueObservesAMapOfAThread() async throws {
    let heard = Mutex<[String]>([])
    // The contents in memory are lost with the last realm.
    let keeper = try opened().freeze()
    let token = try write { product in
      product.prices = ["EUR": 1]
    } observe: { product in
      product.prices.observe(on: DispatchQueue(label: "map")) { change in
        let text = Self.text(change)
        heard.withLock { $0.append(text) }
      }
    }
    try await eventually { heard.withLock { $0 } == ["initial 1"] }
    _ = try write {
      $0.prices["NOK"] = 2
    } observe: { _ in
    }
    try await eventually { heard.withLock { $0 } == ["initial 1", "-[] +[NOK] ~[]"] }
    withExtendedLifetime((keeper, token)) {}
  }

  private func opened() throws -> Realm { try Realm(configuration: configuration) }

  /// Changes the product of the file, and observes it, without a suspension in between.
  private func write<Result>(
    _ body: (Product) -> Void, observe: (Product) -> Result
  ) throws -> Result {
    let realm = try opened()
    let product = try realm.write {
      let product =
        realm.objects(Product.self).first ?? realm.create(Product.self, value: ["number": 1])
      body(product)
      return product
    }
    return observe(product)
  }

  private static func text<Value>(_ change: RealmMapChange<Map<String, Value>>) -> String {
    switch change {
    case .initial(let map): "initial \(map.count)"
    case .update(_, let deletions, let insertions, let modifications):
      "-[\(deletions.joined(separator: ","))] +[\(insertions.joined(separator: ","))] "
        + "~[\(modifications.joined(separator: ","))]"
    case .error: "error"
    }
  }
}
