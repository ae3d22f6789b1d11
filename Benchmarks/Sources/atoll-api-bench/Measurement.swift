import Foundation

/// One row of the table: something that is done several times, of which the median counts.
struct Measurement {
  static let roundCount = 5

  let name: String
  /// The operations of a round.
  let count: Int
  /// Nanoseconds that an operation should take at most.
  let goal: Int?

  init(_ name: String, count: Int, goal: Int?) {
    self.name = name
    self.count = count
    self.goal = goal
  }

  /// Runs the rounds and prints the row; `body` returns a result that proves its work.
  func run(_ body: (Int) throws -> Int) throws {
    try run { round in
      let start = ContinuousClock.now
      let result = try body(round)
      return (result, start.duration(to: .now))
    }
  }

  /// Runs the rounds and prints the row; `body` measures itself what counts of it.
  func run(_ body: (Int) throws -> (result: Int, time: Duration)) throws {
    var nanoseconds: [Double] = []
    var checksum = 0
    for round in 0..<Self.roundCount {
      let (result, duration) = try body(round)
      checksum &+= result
      let time = duration.components
      nanoseconds.append(
        (Double(time.seconds) * 1e9 + Double(time.attoseconds) / 1e9) / Double(count))
    }
    let median = nanoseconds.sorted()[Self.roundCount / 2]
    let goal = goal.map { ",\"goal\":\($0)" } ?? ""
    let line =
      "{\"row\":\"\(name)\",\"nanoseconds\":\((median * 10).rounded() / 10)\(goal),"
      + "\"checksum\":\(checksum)}\n"
    try FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
  }
}
