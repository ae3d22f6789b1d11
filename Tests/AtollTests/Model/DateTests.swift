import struct AtollObjects.Timestamp
import struct AtollObjects.ValueMap
import Foundation
import TestThreads
import Testing

@testable import Atoll

private class Chore: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var due: Date
  @Persisted var mixed: AnyRealmValue
  @Persisted var dates: List<Date?>
  @Persisted var days: MutableSet<Date>
  @Persisted var steps: Map<String, Date>
  @Persisted var values: List<AnyRealmValue>
  @Persisted var next: Chore?
  @Persisted var others: List<Chore>
}

/// Dates of Swift, which are doubles, against the moments of a file.
@Suite(.computing) struct DateTests {
  /// The most digits after the seconds that a date tells in each time.
  private static let times: [(text: String, unit: Int64)] = [
    ("2024-03-01T12:30:01Z", 1_000), ("2001-01-01T00:00:00Z", 1_000),
    ("1999-12-31T23:59:59Z", 1_000), ("1970-01-01T00:00:00Z", 1_000),
    ("1969-12-31T23:59:59Z", 1_000), ("1883-11-18T12:00:00Z", 1_000),
    ("-0044-03-15T00:00:00Z", 1_000_000), ("9999-12-31T23:59:59Z", 1_000_000),
  ]

  @Test(arguments: times)
  func aMomentInMillisecondsOrMicrosecondsComesBackFromItsDate(text: String, unit: Int64) throws {
    let second = try #require(Timestamp(text)).seconds
    let count = 1_000_000_000 / unit
    for step in (0..<count).filter({ $0 % max(1, count / 1_000) < 2 || $0 > count - 10 }) {
      let moment = try #require(Timestamp(normalizing: second, nanoseconds: step * unit))
      #expect(Timestamp(Date(moment)) == moment)
    }
  }

  @Test func aDateComesBackFromItsMomentAndALaterOneIsNoEarlierMoment() throws {
    var random = SystemRandomNumberGenerator()
    let sizes: [Double] = [1, 1e3, 1e6, 4e8, 1e9, 4e9, 1e12, 1e15, 9e18]
    for size in sizes {
      for _ in 0..<500 {
        let interval = Double.random(in: -size...size, using: &random)
        let date = Date(timeIntervalSinceReferenceDate: interval)
        let moment = try #require(Timestamp(date))
        // Nearer to 2001 a double tells parts of a nanosecond.
        if interval.magnitude > 16_777_216 { #expect(Date(moment) == date) }
        #expect(abs(Date(moment).timeIntervalSince(date)) <= 0.000_000_001)
        let next = try #require(Timestamp(Date(timeIntervalSinceReferenceDate: interval.nextUp)))
        #expect(moment <= next)
      }
    }
    for seconds in [-9.2e18, -0x1p61, 0x1p61, 9.2e18] {
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      #expect(Timestamp(date).map { Date($0) } == date)
    }
    let start = try #require(Timestamp("2001-01-01T00:00:00Z"))
    #expect(Timestamp(Date(timeIntervalSinceReferenceDate: -1e-20)) == start)
  }

  @Test func aCopyOfAManagedObjectKeepsNanoseconds() throws {
    let (source, target) = (try makeRealm([Chore.self]), try makeRealm([Chore.self]))
    let exact = "due == 2024-03-01@12:30:01:123456789"
    let chore = try source.write { source.create(Chore.self, value: ["id": 1]) }
    let row = try #require(chore._row)
    let due = try #require(row.access.descriptor.properties.first { $0.name == "due" })
    let moment = try #require(Timestamp("2024-03-01T12:30:01.123456789Z"))
    try source.write { row.set(due.position, .date(moment)) }
    #expect(source.objects(Chore.self).filter(exact).count == 1)
    for update in [Realm.UpdatePolicy.error, .modified, .all] {
      try target.write { target.create(Chore.self, value: chore, update: update) }
      #expect(target.objects(Chore.self).filter(exact).count == 1)
    }
  }

  /// Sets properties to what only the file can hold.
  private func set(_ values: [String: _StoredValue], of chore: Chore, in realm: Realm) throws {
    let row = try #require(chore._row)
    try realm.write {
      for property in row.access.descriptor.properties {
        if let value = values[property.name] { row.set(property.position, value) }
      }
    }
  }

  @Test func aCopyOfAManagedObjectKeepsNanosecondsInCollectionsAndMixedValues() throws {
    let (source, target) = (try makeRealm([Chore.self]), try makeRealm([Chore.self]))
    let first = try #require(Timestamp("2024-03-01T12:30:01.123456789Z"))
    // Reads as the same date.
    let second = try #require(Timestamp("2024-03-01T12:30:01.123456790Z"))
    let moments: [_StoredValue] = [.date(first), .date(second)]
    let map = ValueMap([(key: "a", value: moments[1]), (key: "b", value: moments[0])])
    let values: [String: _StoredValue] = [
      "dates": .list(moments + [.null]), "days": .set(moments), "steps": .map(map),
      "mixed": .list([.int(1), moments[1], .map(map)]), "values": .list([.null] + moments),
    ]
    let chore = try source.write { source.create(Chore.self, value: ["id": 1]) }
    try set(values, of: chore, in: source)
    for update in [Realm.UpdatePolicy.error, .modified, .all] {
      let copy = try target.write { target.create(Chore.self, value: chore, update: update) }
      let row = try #require(copy._row)
      for property in row.access.descriptor.properties {
        guard let value = values[property.name] else { continue }
        #expect(row.value(property.position) == value, "\(property.name)")
      }
    }
  }

  @Test func aStoredMomentIsFoundByItsDateAndStaysWhenItIsSetOrCopied() throws {
    let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString))
    let due = Date(try #require(Timestamp("2024-03-01T12:30:01.001Z")))
    let exact = "due == 2024-03-01@12:30:01:1000000"
    let inMixed = "mixed == 2024-03-01@12:30:01:1000000"
    try realm.write {
      let chore = realm.create(
        Chore.self, value: ["id": 1, "due": due, "mixed": due] as [String: Any])
      realm.create(
        Chore.self, value: ["id": 2, "due": chore.due, "mixed": chore.mixed] as [String: Any])
    }
    try realm.write { for chore in realm.objects(Chore.self) { chore.due = chore.due } }
    let chores = realm.objects(Chore.self)
    #expect(chores.filter(exact).count == 2 && chores.filter(inMixed).count == 2)
    let own = try #require(chores.first).due
    #expect(
      chores.where { $0.due == own }.count == 2
        && chores.where { $0.mixed == .date(own) }.count == 2)
    #expect(chores.where { $0.due <= own }.count == 2 && chores.where { $0.due >= own }.count == 2)
    #expect(chores.where { $0.due < own }.isEmpty && chores.filter("due > %@", own).isEmpty)
    #expect(chores.filter("due IN %@", [own]).count == 2)
    #expect(chores.filter(NSPredicate(format: "due == %@", argumentArray: [own])).count == 2)
  }
}
