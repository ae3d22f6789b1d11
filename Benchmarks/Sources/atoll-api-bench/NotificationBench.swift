import Atoll
import Foundation

/// The rows of observers: the time from the end of a commit to the end of the callbacks.
struct NotificationBench {
  private let queue = DispatchQueue(label: "notifications")
  private let configuration: Realm.Configuration
  private let rowCount: Int

  /// Measures every row with a realm in memory.
  static func run(rowCount: Int) throws {
    let bench = NotificationBench(
      configuration: Realm.Configuration(
        inMemoryIdentifier: "notifications", objectTypes: [Sample.self, Wide.self]),
      rowCount: rowCount)
    try bench.run()
  }

  private func run() throws {
    let keeper = try Realm(configuration: configuration)
    try keeper.write {
      for number in 0..<rowCount { keeper.add(Sample(number: number)) }
    }
    try measure("commit without an observer", goal: nil) { _ in [] }
    try measure("change under a filter, to the callback", goal: 500_000) { realm in
      [observe(realm.objects(Sample.self).where { $0.count < 500 })]
    }
    try measure("change under a sort, to the callback", goal: 500_000) { realm in
      [observe(realm.objects(Sample.self).sorted(byKeyPath: "name"))]
    }
    try measure("change under a sort and a limit of 100", goal: 500_000) { realm in
      [
        observe(
          try realm.objects(Sample.self).query("count >= 0 SORT(count ASC, name ASC) LIMIT(100)"))
      ]
    }
    try measure("change under 1 000 observers of different queries", goal: 5_000_000) { realm in
      (0..<1_000).map { number in observe(part(number, of: realm)) }
    }
    try measure("commit that concerns none of 1 000 observers", goal: 20_000_000, isOther: true) {
      realm in (0..<1_000).map { number in observe(part(number, of: realm)) }
    }
    withExtendedLifetime(keeper) {}
  }

  /// The query of one of many observers, each of other objects.
  private func part(_ number: Int, of realm: Realm) -> Results<Sample> {
    let first = number * (rowCount / 1_000)
    return realm.objects(Sample.self).where {
      $0.count > number % 100 && $0._id >= first && $0._id < first + rowCount / 1_000
    }
  }

  private func observe(_ results: Results<Sample>) -> NotificationToken {
    results.observe { change in
      if case .update(let results, _, _, _) = change { _ = results.count }
    }
  }

  /// Measures commits of one change each, and the delivery of each to its observers.
  private func measure(
    _ name: String, goal: Int?, isOther: Bool = false,
    _ observe: (Realm) throws -> [NotificationToken]
  ) throws {
    let realm = try queue.sync { try Realm(configuration: configuration, queue: queue) }
    let tokens = try queue.sync { try observe(realm) }
    for _ in 0..<3 { queue.sync {} }
    let count = 50
    var number = 0
    try Measurement(name, count: count, goal: goal).run { round in
      var time = Duration.zero
      for _ in 0..<count {
        number = (number &+ 7_919) % rowCount
        try queue.sync {
          try realm.write {
            if isOther {
              realm.add(Wide())
            } else if let object = realm.object(ofType: Sample.self, forPrimaryKey: number) {
              object.count = (object.count &+ 251) % 1_000
              object.name = "name \(number &* 31 &+ round)"
            }
          }
        }
        // The delivery is the next on the queue.
        let start = ContinuousClock.now
        queue.sync {}
        time += start.duration(to: .now)
      }
      return (count, time)
    }
    withExtendedLifetime(tokens) {}
    for token in tokens { token.invalidate() }
  }
}
