internal import Atoll
internal import Foundation

/// What an append costs to a synced list, by the length of the list.
extension SyncBench {
  /// What 600 appends, one in a transaction, took, in milliseconds.
  private struct Costs {
    /// To commit them, offline.
    var commit: [Double] = []
    /// To send them, until the server has answered all.
    var upload: [Double] = []
    /// To bring them to another device that was offline.
    var arrival: [Double] = []

    var medians: [(name: String, milliseconds: Double)] {
      [("commit", commit), ("upload", upload), ("arrival", arrival)].map { name, times in
        (name, times.sorted()[times.count / 2])
      }
    }
  }

  private static let roundCount = 5

  /// Appends in turn to a list that begins empty and to a long one, so that both are measured in
  /// the same minutes.
  func measureLists() async throws {
    let appendCount = min(600, rowCount)
    let length = min(100_000, 10 * rowCount)
    let (one, two) = (try await device("writer"), try await device("reader"))
    for realm in [one, two] {
      let subscriptions = realm.subscriptions
      try await subscriptions.update {
        subscriptions.append(QuerySubscription<Notebook>(name: "notebooks"))
      }
    }
    var costs = [0: Costs(), length: Costs()]
    for round in 0..<Self.roundCount {
      for start in [0, length] {
        let number = round * 2 + (start == 0 ? 0 : 1)
        try one.write {
          let notebook = one.create(Notebook.self, value: ["_id": number])
          notebook.lines.append(objectsIn: (0..<start).lazy.map { "line \($0)" })
        }
        try await one.syncSession?.wait(for: .upload)
        try await two.syncSession?.wait(for: .download)
        try await measure(number, start, appendCount, one, two, &costs[start, default: Costs()])
      }
    }
    let medians = [0, length].map { costs[$0, default: Costs()].medians }
    for (short, long) in zip(medians[0], medians[1]) {
      let row = "\(short.name) of \(appendCount) appends"
      try report("\(row) to an empty list", short.milliseconds, "ms", goal: nil)
      try report("\(row) to a list of \(length)", long.milliseconds, "ms", goal: nil)
      try report(
        "\(row), the long list to the empty one", long.milliseconds / short.milliseconds, "ratio",
        goal: nil)
    }
  }

  private func measure(
    _ number: Int, _ length: Int, _ count: Int, _ one: Realm, _ two: Realm, _ costs: inout Costs
  ) async throws {
    guard let written = one.object(ofType: Notebook.self, forPrimaryKey: number),
      let seen = two.object(ofType: Notebook.self, forPrimaryKey: number)
    else { throw ServerProcess.Failure(description: "the notebook has not arrived") }
    for realm in [one, two] { realm.syncSession?.suspend() }
    let commit = ContinuousClock.now
    for index in 0..<count { try one.write { written.lines.append("new line \(index)") } }
    costs.commit.append(commit.duration(to: .now).milliseconds)
    let upload = ContinuousClock.now
    one.syncSession?.resume()
    try await one.syncSession?.wait(for: .upload)
    costs.upload.append(upload.duration(to: .now).milliseconds)
    let arrival = ContinuousClock.now
    two.syncSession?.resume()
    try await wait(two) { seen.lines.count == length + count }
    costs.arrival.append(arrival.duration(to: .now).milliseconds)
  }
}
