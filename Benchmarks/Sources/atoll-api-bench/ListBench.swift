import Atoll
import Foundation

/// An object that holds many others.
final class Holder: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var samples: List<Sample>
}

/// The cost of adding and reading an element of a list, by the length of the list.
struct ListBench {
  static let appendCount = 1_000
  static let lengths = [0, 100, 1_000, 10_000, 100_000]

  let realm: Realm

  /// Prints the times of a thousand appends in one write, and how they compare with an empty
  /// list's.
  func run() throws {
    var medians: [Int: Double] = [:]
    for length in Self.lengths {
      var times: [Double] = []
      for round in 0..<Measurement.roundCount {
        let holder = try holder(length * 10 + round, length: length)
        let samples = Array(realm.objects(Sample.self).prefix(Self.appendCount))
        let start = ContinuousClock.now
        try realm.write { for sample in samples { holder.samples.append(sample) } }
        times.append(start.duration(to: .now).nanoseconds)
      }
      let median = times.sorted()[Measurement.roundCount / 2]
      medians[length] = median
      let ratio = median / (medians[0] ?? median)
      try Self.print(
        "append 1 000 links to a list of \(length), one commit",
        median / Double(Self.appendCount), ratio: ratio)
    }
    let holder = try holder(9, length: 100_000)
    try Measurement("append of one link to a list of 100 000, one commit", count: 100, goal: nil)
      .run { round in
        guard let sample = realm.object(ofType: Sample.self, forPrimaryKey: round) else { return 0 }
        for _ in 0..<100 { try realm.write { holder.samples.append(sample) } }
        return holder.samples.count
      }
    try Measurement("link of a list of 100 000 by its index", count: 100_000, goal: nil).run { _ in
      var sum = 0
      for index in 0..<100_000 { sum &+= holder.samples[index]._id }
      return sum
    }
  }

  /// A new object with a list that is `length` long.
  private func holder(_ id: Int, length: Int) throws -> Holder {
    let holder = Holder()
    holder._id = id
    try realm.write {
      realm.add(holder, update: .modified)
      holder.samples.removeAll()
      let samples = realm.objects(Sample.self)
      let count = samples.count
      holder.samples.append(
        objectsIn: (0..<length).lazy.map { samples[$0 % count] })
    }
    return holder
  }

  static func print(_ row: String, _ nanoseconds: Double, ratio: Double) throws {
    let line =
      "{\"row\":\"\(row)\",\"nanoseconds\":\((nanoseconds * 10).rounded() / 10),"
      + "\"ratio\":\((ratio * 100).rounded() / 100)}\n"
    try FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
  }
}

extension Duration {
  var nanoseconds: Double {
    Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
  }
}
