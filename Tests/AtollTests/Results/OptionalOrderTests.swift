import Atoll
import TestThreads
import Testing

private final class Readings: Object {
  @Persisted var numbers: List<Int?>
  @Persisted var prices: List<Decimal128?>
  @Persisted var words: MutableSet<String?>
  @Persisted var byName: Map<String, Double?>
}

/// Collections of values that may be null, in order and each once.
@Suite(.waiting) struct OptionalOrderTests {
  private let readings: Readings

  init() throws {
    let realm = try Realm(configuration: .init(inMemoryIdentifier: "optional order"))
    let readings = Readings()
    readings.numbers.append(objectsIn: [2, nil, 1, 2, nil])
    readings.prices.append(objectsIn: ["2.50", nil, "1", "2.5"])
    readings.words.insert(objectsIn: ["b", nil, "a"])
    readings.byName["x"] = 2
    readings.byName["y"] = .some(nil)
    readings.byName["z"] = 2
    try realm.write {
      realm.deleteAll()
      realm.add(readings)
    }
    self.readings = readings
  }

  @Test func nullComesBeforeAllOthers() {
    #expect(Array(readings.numbers.sorted()) == [nil, nil, 1, 2, 2])
    #expect(Array(readings.numbers.sorted(ascending: false)) == [2, 2, 1, nil, nil])
    #expect(Array(readings.prices.sorted()).first == .some(nil))
    #expect(Array(readings.words.sorted()) == [nil, "a", "b"])
    #expect(Array(readings.byName.sorted()) == [nil, 2, 2])
  }

  @Test func nullIsOneValueOfItsOwn() {
    #expect(Set(readings.numbers.distinct()) == [nil, 1, 2])
    #expect(readings.prices.distinct().count == 3)
    #expect(Set(readings.byName.distinct()) == [nil, 2])
    #expect(Array(readings.numbers.sorted().distinct()) == [nil, 1, 2])
  }
}
