import Atoll
import Foundation
import TestSupport
import TestThreads
import Testing

private class Shelf: Object {
  @Persisted var words: MutableSet<String>
  @Persisted var prices: Map<String, Double>
  @Persisted var notes: Map<String, AnyRealmValue>
  @Persisted var places: Map<String, Place?>
}

private class Place: EmbeddedObject {
  @Persisted var name: String
}

/// Sets and maps beyond the size at which they are changed and read part by part.
@Suite(.computing) struct LargePartsTests {
  private let realm: Realm
  private let shelf = Shelf()

  init() throws {
    realm = try Realm(
      configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString))
    try realm.write { realm.add(shelf) }
  }

  @Test func aSetAgreesWithSwiftsSet() throws {
    var model: Set<String> = []
    var random = SplitMix64(seed: 5)
    for round in 0..<6 {
      try realm.write {
        for _ in 0..<700 {
          let word = "word \(Int.random(in: 0..<3_000, using: &random))"
          if round == 4 {
            shelf.words.remove(word)
            model.remove(word)
          } else {
            shelf.words.insert(word)
            model.insert(word)
          }
          #expect(shelf.words.contains(word) == model.contains(word))
        }
        #expect(shelf.words.count == model.count)
      }
      #expect(Set(shelf.words) == model)
      #expect((0..<shelf.words.count).map { shelf.words[$0] } == model.sorted())
      let frozen = shelf.words.freeze()
      for number in stride(from: 0, to: 3_000, by: 77) {
        let word = "word \(number)"
        #expect(shelf.words.contains(word) == model.contains(word))
        #expect(frozen.contains(word) == model.contains(word))
      }
    }
    try realm.write { shelf.words.removeAll() }
    #expect(shelf.words.count == 0)
  }

  @Test func aMapAgreesWithADictionary() throws {
    var model: [String: Double] = [:]
    var random = SplitMix64(seed: 5)
    for round in 0..<6 {
      try realm.write {
        for number in 0..<700 {
          let key = "key \(Int.random(in: 0..<3_000, using: &random))"
          if round == 4 {
            shelf.prices[key] = nil
            model[key] = nil
          } else {
            shelf.prices[key] = Double(number)
            model[key] = Double(number)
          }
          #expect(shelf.prices[key] == model[key])
        }
        #expect(shelf.prices.count == model.count)
      }
      #expect(shelf.prices.keys == model.keys.sorted())
      let frozen = shelf.prices.freeze()
      for number in stride(from: 0, to: 3_000, by: 77) {
        #expect(shelf.prices["key \(number)"] == model["key \(number)"])
        #expect(frozen["key \(number)"] == model["key \(number)"])
      }
    }
    try realm.write { shelf.prices["key 1", default: 5] += 1 }
    #expect(shelf.prices["key 1"] == (model["key 1"] ?? 5) + 1)
  }

  @Test func aMapOfAnyValuesKeepsWhatIsInIt() throws {
    try realm.write {
      for number in 0..<1_000 {
        shelf.notes["\(number)"] = number % 2 == 0 ? .int(number) : .string("note \(number)")
      }
      shelf.notes["list"] = AnyRealmValue.fromArray([.int(1)])
    }
    #expect(shelf.notes.count == 1_001)
    #expect(shelf.notes["500"] == .int(500))
    #expect(shelf.notes["501"] == .string("note 501"))
    try realm.write { shelf.notes["list"]?.listValue?.append(.int(2)) }
    #expect(shelf.notes["list"]?.listValue.map(Array.init) == [.int(1), .int(2)])
  }

  @Test func embeddedObjectsAreReplacedAndRemovedByKey() throws {
    try realm.write {
      for number in 0..<800 {
        let place = Place()
        place.name = "\(number)"
        shelf.places["key \(number % 600)"] = .some(place)
      }
      shelf.places.removeObject(for: "key 5")
      shelf.places["key 6"] = .some(nil)
    }
    #expect(shelf.places.count == 599)
    #expect(shelf.places["key 100"]??.name == "700")
    #expect(shelf.places["key 300"]??.name == "300")
    #expect(shelf.places["key 5"] == nil)
    #expect(shelf.places["key 6"] == .some(nil))
  }

  /// A version is held, so that a commit takes new space for all that it writes.
  @Test func oneChangeTakesLittleSpaceInALargeCollection() throws {
    let folder = TemporaryFolder()
    let file = URL(filePath: folder.path(of: "large.realm"))
    let realm = try Realm(configuration: Realm.Configuration(fileURL: file))
    func byteCount() throws -> UInt64 {
      try #require(try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? UInt64)
    }
    var random = SplitMix64(seed: 3)
    let words = (0..<6_000).map { number in
      (0..<5).reduce("\(number)") { word, _ in
        "\(word) \(UInt64.random(in: .min ... .max, using: &random))"
      }
    }
    let shelf = Shelf()
    let before = try byteCount()
    try realm.write {
      realm.add(shelf)
      shelf.words.insert(objectsIn: words)
    }
    let between = try byteCount()
    try realm.write {
      shelf.prices.merge(
        words.enumerated().map { (key: $1, value: Double($0)) }, uniquingKeysWith: { $1 })
    }
    let after = try byteCount()
    // What the collections take, and not what changes in them.
    let limit: UInt64 = 192 << 10
    #expect(between > before + 2 * limit && after > between + 2 * limit)
    let changes: [(String, () -> Void)] = [
      ("a new member", { shelf.words.insert("new") }),
      ("a member removed", { shelf.words.remove(words[7]) }),
      ("a new key", { shelf.prices["new"] = 1 }),
      ("another value", { shelf.prices[words[8]] = -1 }),
      ("a key removed", { shelf.prices.removeObject(for: words[9]) }),
    ]
    for (what, change) in changes {
      let held = realm.freeze()
      let before = try byteCount()
      try realm.write(change)
      #expect(try byteCount() < before + limit, "\(what)")
      withExtendedLifetime(held) {}
    }
    #expect(shelf.words.count == 6_000 && shelf.prices.count == 6_000)
    #expect(shelf.prices[words[8]] == -1 && shelf.prices[words[9]] == nil)
  }
}
