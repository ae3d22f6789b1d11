import Foundation

/// One row of the table that Atoll and GRDB do in turn, of which the ratio counts.
struct Comparison {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let name: String
  /// The operations of a round.
  let count: Int
  /// How many times as long as Atoll GRDB should take at least.
  let goal: Double

  init(_ name: String, count: Int, goal: Double) {
    self.name = name
    self.count = count
    self.goal = goal
  }

  /// Runs the rounds, first Atoll's and then GRDB's of each, and prints the row.
  ///
  /// A machine that slows down in between slows both.
  ///
  /// - Throws: What a round throws, and `Failure` when the two did not read the same.
  func run(atoll: (_ round: Int) throws -> Int, grdb: (_ round: Int) throws -> Int) throws {
    var times: (atoll: [Double], grdb: [Double]) = ([], [])
    var checksum = 0
    for round in 0..<Measurement.roundCount {
      let ours = try time(&times.atoll) { try atoll(round) }
      let theirs = try time(&times.grdb) { try grdb(round) }
      guard ours == theirs else {
        throw Failure(description: "\(name): Atoll read \(ours), and GRDB \(theirs)")
      }
      checksum &+= ours
    }
    let (ours, theirs) = (median(times.atoll), median(times.grdb))
    let line =
      "{\"row\":\"\(name)\",\"nanoseconds\":\(rounded(ours, 10)),"
      + "\"grdb\":\(rounded(theirs, 10)),\"ratio\":\(rounded(theirs / ours, 100)),"
      + "\"ratioGoal\":\(goal),\"checksum\":\(checksum)}\n"
    try FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
  }

  /// Returns the result of `body`, and adds the nanoseconds of an operation to `times`.
  private func time(_ times: inout [Double], _ body: () throws -> Int) throws -> Int {
    let start = ContinuousClock.now
    let result = try body()
    times.append(start.duration(to: .now).nanoseconds / Double(count))
    return result
  }

  private func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }

  private func rounded(_ value: Double, _ parts: Double) -> Double {
    (value * parts).rounded() / parts
  }
}
