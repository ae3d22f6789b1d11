import Atoll
import Foundation

/// The rows of a realm without sync: the cost of reading a property, of creating and of visiting an
/// object.
struct LocalBench {
  private let realm: Realm
  private let rowCount: Int

  /// Measures every row with a file in `folder`, which is deleted afterwards.
  static func run(rowCount: Int, folder: URL) throws {
    let configuration = Realm.Configuration(
      fileURL: folder.appending(path: "local.atoll"),
      objectTypes: [Sample.self, Wide.self, Holder.self, Collections.self])
    let bench = LocalBench(realm: try Realm(configuration: configuration), rowCount: rowCount)
    try bench.run()
  }

  private func run() throws {
    try measureAdding()
    try measureCreating()
    try fill()
    try measureReading()
    try measureVisiting()
    try measureSetting()
    try ListBench(realm: realm).run()
    try EntryBench(realm: realm).run()
  }

  // MARK: Rows

  /// Makes and adds objects with nine properties, a thousand in a write.
  private func measureAdding() throws {
    let count = 20_000
    try Measurement("create and add, 9 properties", count: count, goal: 3_000).run { round in
      var sum = 0
      for start in stride(from: 0, to: count, by: 1_000) {
        sum += try realm.addWide(start..<start + 1_000, round: round)
      }
      return sum
    }
  }

  /// The same of dictionaries.
  private func measureCreating() throws {
    let count = 10_000
    try Measurement("create of a dictionary, 9 properties", count: count, goal: nil).run { round in
      try realm.write {
        for number in 0..<count {
          realm.create(
            Wide.self,
            value: [
              "name": "name \(number)", "city": "Oslo", "age": number, "height": 1.5,
              "isMember": true, "born": Date(timeIntervalSince1970: 0), "score": round,
              "note": "note",
            ])
        }
      }
      return count
    }
  }

  private func fill() throws {
    try realm.write {
      for number in 0..<rowCount { realm.add(Sample(number: number)) }
    }
  }

  private func measureReading() throws {
    guard let object = realm.object(ofType: Sample.self, forPrimaryKey: rowCount / 2) else {
      return
    }
    let count = min(10_000_000, 100 * rowCount)
    try Measurement("Int of one object", count: count, goal: 15).run { _ in
      var sum = 0
      for _ in 0..<count { sum &+= object.count }
      return sum
    }
    let objects = (0..<1_000).compactMap {
      realm.object(ofType: Sample.self, forPrimaryKey: $0 &* 7_919 % rowCount)
    }
    try Measurement("Int of 1 000 objects in turn", count: count, goal: 15).run { _ in
      var sum = 0
      for _ in 0..<count / 1_000 { for object in objects { sum &+= object.count } }
      return sum
    }
    try Measurement("String of 20 bytes", count: count, goal: 60).run { _ in
      var sum = 0
      for _ in 0..<count { sum &+= object.name.utf8.count }
      return sum
    }
  }

  private func measureVisiting() throws {
    try Measurement("visit, 3 properties, an object", count: rowCount, goal: 250).run { _ in
      var sum = 0
      for object in realm.objects(Sample.self) {
        sum &+= object.count &+ object.name.utf8.count &+ (object.isOpen ? 1 : 0)
      }
      return sum
    }
  }

  private func measureSetting() throws {
    let count = min(rowCount, 100_000)
    try Measurement("set an Int", count: count, goal: nil).run { round in
      try realm.write {
        for object in realm.objects(Sample.self).prefix(count) { object.count = round }
      }
      return round
    }
  }
}
