import Atoll
import Foundation
import Workloads

/// The rows that Atoll and the records of GRDB do with the same data.
///
/// Both sync each commit to the disk before a write ends.
struct GRDBBench {
  private let realm: Realm
  private let store: GRDBStore
  private let rowCount: Int

  /// Measures every row with files in `folder`, which is deleted afterwards.
  static func run(rowCount: Int, folder: URL) throws {
    let configuration = Realm.Configuration(
      fileURL: folder.appending(path: "grdb.atoll"), objectTypes: [Sample.self, Wide.self])
    let bench = GRDBBench(
      realm: try Realm(configuration: configuration),
      store: try GRDBStore(path: folder.appending(path: "grdb.sqlite").path),
      rowCount: rowCount)
    try bench.run()
  }

  private func run() throws {
    try measureAdding()
    try fill()
    try measureVisiting()
    try measureGetting()
    try measureObserving()
  }

  private func fill() throws {
    try realm.write {
      for number in 0..<rowCount { realm.add(Sample(number: number)) }
    }
    try store.fill(rowCount) { number in
      let sample = Sample(number: number)
      return SampleRecord(
        id: sample._id, name: sample.name, count: sample.count, ratio: sample.ratio,
        isOpen: sample.isOpen)
    }
  }

  // MARK: Rows

  private func measureAdding() throws {
    let count = min(rowCount / 1_000, 20) * 1_000
    try Comparison(
      "create and add, 9 properties, 1 000 in a synced commit, beside GRDB", count: count, goal: 3
    ).run { round in
      var sum = 0
      for start in stride(from: 0, to: count, by: 1_000) {
        sum += try realm.addWide(start..<start + 1_000, round: round)
      }
      return sum
    } grdb: { round in
      var sum = 0
      for start in stride(from: 0, to: count, by: 1_000) {
        sum += try store.addWide(start..<start + 1_000, round: round)
      }
      return sum
    }
  }

  private func measureVisiting() throws {
    try Comparison("visit, 3 properties of each object, beside GRDB", count: rowCount, goal: 5)
      .run { _ in
        var sum = 0
        for object in realm.objects(Sample.self) {
          sum &+= object.count &+ object.name.utf8.count &+ (object.isOpen ? 1 : 0)
        }
        return sum
      } grdb: { _ in
        try store.visit()
      }
  }

  private func measureGetting() throws {
    var random = SplitMix64(state: 1)
    let count = min(rowCount, 100_000)
    let keys = (0..<count).map { _ in Int(random.next() % UInt64(rowCount)) }
    try Comparison("get by key at random, 1 property, beside GRDB", count: count, goal: 15)
      .run { _ in
        var sum = 0
        for key in keys {
          sum &+= realm.object(ofType: Sample.self, forPrimaryKey: key)?.count ?? 0
        }
        return sum
      } grdb: { _ in
        try store.get(keys)
      }
  }

  /// Gives a row of a filtered and sorted list a name that makes it the first, and waits until the
  /// observer of the list has read what a screen shows.
  private func measureObserving() throws {
    let queue = DispatchQueue(label: "list")
    let (atollScreen, grdbScreen) = (Screen(), Screen())
    let (listed, token) = try queue.sync {
      let realm = try Realm(configuration: realm.configuration, queue: queue)
      return (realm, Self.observe(realm, atollScreen))
    }
    let cancellable = store.observe(on: queue) { grdbScreen.show($0) }
    let count = 4
    let keys = try store.keysOfList((Measurement.roundCount + 1) * count)
    // Digits come before the letters of the other names.
    let names = keys.indices.map { String(999_999 - $0) }
    let atoll = { (change: Int) in
      try queue.sync {
        try listed.write {
          listed.object(ofType: Sample.self, forPrimaryKey: keys[change])?.name = names[change]
        }
      }
      return try atollScreen.wait(for: names[change])
    }
    let grdb = { (change: Int) in
      try store.rename(keys[change], to: names[change])
      return try grdbScreen.wait(for: names[change])
    }
    // The first lists that both deliver belong to no round.
    for change in 0..<count { _ = (try atoll(change), try grdb(change)) }
    try Comparison(
      "a synced change to the callback of a filtered, sorted list, beside GRDB", count: count,
      goal: 30
    ).run { round in
      try (0..<count).reduce(0) { try $0 &+ atoll((round + 1) * count + $1) }
    } grdb: { round in
      try (0..<count).reduce(0) { try $0 &+ grdb((round + 1) * count + $1) }
    }
    withExtendedLifetime((token, cancellable)) {}
  }

  private static func observe(_ realm: Realm, _ screen: Screen) -> NotificationToken {
    realm.objects(Sample.self).where { $0.count < GRDBStore.listLimit }.sorted(byKeyPath: "name")
      .observe { change in
        switch change {
        case .initial(let results), .update(let results, _, _, _):
          var shown = ShownList(count: results.count)
          for sample in results.prefix(ShownList.visibleCount) {
            shown.append(name: sample.name, count: sample.count)
          }
          screen.show(shown)
        case .error: break
        }
      }
  }
}
