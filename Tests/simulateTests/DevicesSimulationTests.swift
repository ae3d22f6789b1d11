import TestSupport
import TestThreads
import Testing

@testable import simulate

/// What `simulate devices` proves with, without processes.
@Suite(.computing) struct DevicesSimulationTests {
  // MARK: The log

  @Test func aLogIsReadAsItWasWritten() throws {
    let (first, second) = (
      WriteName(device: 1, session: 0, number: 0), WriteName(device: 1, session: 1, number: 0)
    )
    let edits: [DeviceEdit] = [
      .create(key: "1.0.0.0"), .delete(key: "x1"), .set(key: "x2", property: "text"),
      .insert(key: "x3"), .replace(key: "x4", old: "0.0.1.0"), .remove(key: "x5", old: "0.0.1.1"),
      .link(key: "x6"), .move(key: "x7", value: "0.0.1.0"),
      .order(key: "x7", values: ["0.0.1.0", "1.0.0.3"]), .order(key: "x7", values: []),
    ]
    let lines = [
      "", DeviceLog.begin(first, 1_000, edits), DeviceLog.done(first, 1_001), "",
      DeviceLog.begin(second, 1_002, []), DeviceLog.told("x1"),
      DeviceLog.trouble("the  file\nis gone"),
    ]
    let log = try DeviceLog(lines.joined(separator: "\n") + "\n")
    #expect(log.writes.map(\.name) == [first, second])
    #expect(log.writes.map(\.begin) == [1_000, 1_002])
    #expect(log.writes.map(\.end) == [1_001, nil])
    #expect(log.writes[0].edits == edits)
    #expect(log.lastDone == first)
    #expect(log.told == ["x1"])
    #expect(log.troubles == ["the file is gone"])
  }

  /// A kill cuts off the last line of a session, and of a number any digits.
  @Test func aLineThatWasCutOffCountsForNothing() throws {
    let begin = "begin 0.0.7 12 delete:x1 ."
    let done = "done 0.0.7 15 ."
    for end in done.indices {
      let log = try DeviceLog("\(begin)\n\(done[..<end])\n\nbegin 0.1.0 20 .\n")
      #expect(log.lastDone == nil, "\(done[..<end])")
      #expect(log.writes.count == 2)
    }
    #expect(try DeviceLog("\(begin)\n\(done)\n\n").lastDone?.number == 7)
    #expect(throws: DeviceLog.Damage.self) { try DeviceLog("done 0.0\n\(begin)\n") }
    #expect(throws: DeviceLog.Damage.self) { try DeviceLog("\(begin)\ndone 0.0.6 1 .\n\(begin)") }
  }

  // MARK: The judgement

  /// Devices' logs, with a commit for each tuple: its device, its time, whether it had returned.
  private static func logs(
    _ commits: [(device: Int, time: UInt64, isDone: Bool, edits: [DeviceEdit])]
  ) throws -> [DeviceLog] {
    try (0..<2).map { device in
      var lines: [String] = []
      for (number, commit) in commits.filter({ $0.device == device }).enumerated() {
        let name = WriteName(device: device, session: 0, number: number)
        lines.append(DeviceLog.begin(name, commit.time, commit.edits))
        if commit.isDone { lines.append(DeviceLog.done(name, commit.time + 1)) }
      }
      return try DeviceLog(lines.joined(separator: "\n"))
    }
  }

  private static func findings(
    _ logs: [DeviceLog], _ end: [String: DeviceView.Sheet] = [:],
    refusals: [[DeviceRefusal]] = [[], []]
  ) -> [DevicesFinding.Kind] {
    var view = DeviceView()
    view.sheets = end
    var judgement = DevicesJudgement(logs: logs, refusals: refusals, end: view)
    return judgement.judge().map(\.kind)
  }

  private static func sheet(
    _ text: String, remark: String? = nil, lines: [String] = []
  ) -> DeviceView.Sheet {
    .init(group: "1/0.0.0.0", text: text, remark: remark, lines: lines)
  }

  @Test func theNewerOfTwoWritesIsTheOneThatMustBeThere() throws {
    let logs = try Self.logs([
      (0, 10, true, [.create(key: "k")]), (0, 20, true, [.set(key: "k", property: "text")]),
      (1, 30, true, [.set(key: "k", property: "text")]),
    ])
    #expect(Self.findings(logs, ["k": Self.sheet("1.0.0.0")]) == [])
    #expect(Self.findings(logs, ["k": Self.sheet("0.0.1.0")]) == [.lost])
    #expect(Self.findings(logs, ["k": Self.sheet("0.0.0.0")]) == [.lost, .lost])
    #expect(Self.findings(logs, ["k": Self.sheet("")]) == [.lost, .lost, .lost])
    #expect(Self.findings(logs).count == 5)
    #expect(Self.findings(logs, ["k": Self.sheet("9.9.9.9")]).contains(.invented))
  }

  @Test func aCommitThatDidNotReturnMayBeThereOrNot() throws {
    let logs = try Self.logs([
      (0, 10, true, [.create(key: "k")]), (1, 30, false, [.set(key: "k", property: "text")]),
    ])
    #expect(Self.findings(logs, ["k": Self.sheet("1.0.0.0")]) == [])
    #expect(Self.findings(logs, ["k": Self.sheet("0.0.0.0")]) == [])
  }

  @Test func aDeletionTakesEverythingAlong() throws {
    var logs = try Self.logs([
      (0, 10, true, [.create(key: "k")]), (0, 20, true, [.set(key: "k", property: "remark")]),
      (1, 15, false, [.delete(key: "k")]),
    ])
    #expect(Self.findings(logs) == [])
    #expect(Self.findings(logs, ["k": Self.sheet("0.0.0.0", remark: "0.0.1.0")]) == [])
    logs = try Self.logs([(0, 10, true, [.create(key: "k")]), (1, 15, true, [.delete(key: "k")])])
    #expect(Self.findings(logs) == [])
    #expect(Self.findings(logs, ["k": Self.sheet("0.0.0.0")]) == [.lost])
  }

  /// A device that was offline deletes what others have made since, and makes it again.
  @Test func anObjectThatWasMadeAgainMayBeOlder() throws {
    var commits: [(device: Int, time: UInt64, isDone: Bool, edits: [DeviceEdit])] = [
      (1, 5, true, [.create(key: "x")]), (1, 6, true, [.delete(key: "x")]),
      (1, 7, true, [.create(key: "x")]), (0, 10, true, [.create(key: "x")]),
      (0, 20, true, [.set(key: "x", property: "text")]),
    ]
    let end = ["x": DeviceView.Sheet(group: "1/1.0.2.0", text: "1.0.2.0")]
    #expect(Self.findings(try Self.logs(commits), end) == [])
    commits.remove(at: 1)
    #expect(
      Self.findings(
        try Self.logs(commits), ["x": .init(group: "1/1.0.1.0", text: "1.0.1.0")])
        == [.lost, .lost, .lost])
  }

  @Test func anElementIsThereOnceWithItsNewestValue() throws {
    let logs = try Self.logs([
      (0, 10, true, [.create(key: "k")]), (0, 20, true, [.insert(key: "k")]),
      (1, 30, true, [.replace(key: "k", old: "0.0.1.0")]),
    ])
    func found(_ lines: [String]) -> [DevicesFinding.Kind] {
      Self.findings(logs, ["k": Self.sheet("0.0.0.0", lines: lines)])
    }
    #expect(found(["1.0.0.0"]) == [])
    #expect(found(["0.0.1.0"]) == [.lost])
    #expect(found([]) == [.lost, .lost])
    #expect(found(["1.0.0.0", "0.0.1.0"]) == [.doubled])
    #expect(found(["1.0.0.0", "5.0.0.0"]) == [.invented])
    let removed = try Self.logs([
      (0, 10, true, [.create(key: "k")]), (0, 20, true, [.insert(key: "k")]),
      (1, 30, true, [.remove(key: "k", old: "0.0.1.0")]),
    ])
    #expect(Self.findings(removed, ["k": Self.sheet("0.0.0.0")]) == [])
    #expect(
      Self.findings(removed, ["k": Self.sheet("0.0.0.0", lines: ["0.0.1.0"])]) == [.lost])
  }

  /// Elements keep their order, unless a device moves one, be it in a commit that was killed.
  @Test func anElementMayNotChangeItsPlace() throws {
    let first: [DeviceEdit] = [
      .insert(key: "k"), .insert(key: "k"), .replace(key: "k", old: "0.0.1.1"),
      .order(key: "k", values: ["0.0.1.0", "0.0.1.2"]),
    ]
    let logs = try Self.logs([(0, 10, true, [.create(key: "k")]), (0, 20, true, first)])
    func found(_ logs: [DeviceLog], _ lines: [String]) -> [DevicesFinding.Kind] {
      Self.findings(logs, ["k": Self.sheet("0.0.0.0", lines: lines)])
    }
    #expect(found(logs, ["0.0.1.0", "0.0.1.2"]) == [])
    #expect(found(logs, ["0.0.1.2", "0.0.1.0"]) == [.disordered])
    let moved = try Self.logs([
      (0, 10, true, [.create(key: "k")]), (0, 20, true, first),
      (1, 30, false, [.move(key: "k", value: "0.0.1.2")]),
    ])
    #expect(found(moved, ["0.0.1.2", "0.0.1.0"]) == [])
  }

  /// A commit may insert an element, set it and remove it again.
  @Test func aCommitMayChangeAListOften() throws {
    let logs = try Self.logs([
      (0, 10, true, [.create(key: "k")]),
      (
        0, 20, true,
        [
          .insert(key: "k"), .replace(key: "k", old: "0.0.1.0"), .insert(key: "k"),
          .remove(key: "k", old: "0.0.1.2"),
        ]
      ),
    ])
    func found(_ lines: [String]) -> [DevicesFinding.Kind] {
      Self.findings(logs, ["k": Self.sheet("0.0.0.0", lines: lines)])
    }
    #expect(found(["0.0.1.1"]) == [])
    #expect(found([]) == [.lost, .lost])
    #expect(found(["0.0.1.0"]) == [.lost])
    #expect(found(["0.0.1.1", "0.0.1.2"]) == [.lost])
  }

  @Test func whatWasRefusedIsFoundAndMustBeTold() throws {
    let logs = try Self.logs([(0, 10, true, [.create(key: "k")])])
    let refusals = [DeviceRefusal.Kind.create, .set].map {
      DeviceRefusal(key: "k", kind: $0, value: nil, milliseconds: 10)
    }
    #expect(Self.findings(logs, refusals: [refusals, []]) == [.unreported, .unreported])
    let told = try DeviceLog("begin 0.0.0 10 create:k .\ndone 0.0.0 11 .\ntold k .\n")
    #expect(Self.findings([told, DeviceLog()], refusals: [refusals, []]) == [])
    // A refusal of another commit excuses nothing.
    let earlier = refusals.map { DeviceRefusal(key: "k", kind: $0.kind, milliseconds: 9) }
    #expect(Self.findings([told, DeviceLog()], refusals: [earlier, []]).contains(.lost))
  }

  @Test func aRefusalExcusesWhatItTellsOf() throws {
    let edits: [DeviceEdit] = [
      .insert(key: "k"), .replace(key: "k", old: "0.0.1.0"), .insert(key: "k"),
      .move(key: "k", value: "0.0.1.2"),
    ]
    let logs = try Self.logs([(0, 10, true, [.create(key: "k")]), (0, 20, true, edits)])
    func found(_ kind: DeviceRefusal.Kind, _ value: String?, _ lines: [String])
      -> [DevicesFinding.Kind]
    {
      let refusal = DeviceRefusal(key: "k", kind: kind, value: value, milliseconds: 20)
      return Self.findings(
        logs, ["k": Self.sheet("0.0.0.0", lines: lines)], refusals: [[refusal], []]
      ).filter { $0 != .unreported }
    }
    // An element is inserted with the last value that its commit gave it.
    #expect(found(.insert, "0.0.1.1", ["0.0.1.2"]) == [])
    // A move that was not taken excuses no value.
    #expect(found(.move, nil, ["0.0.1.2"]) == [.lost, .lost])
  }

  /// What a commit wrote into an element before it took it out is in no change of its own.
  @Test func aRefusedRemovalExcusesWhatTheCommitWroteThere() throws {
    let edits: [DeviceEdit] = [
      .replace(key: "k", old: "0.0.0.1"), .remove(key: "k", old: "0.0.1.0"),
    ]
    func found(_ kind: DeviceRefusal.Kind, _ milliseconds: UInt64) throws
      -> [DevicesFinding.Kind]
    {
      let made: [DeviceEdit] = [.create(key: "k"), .insert(key: "k")]
      let logs = try Self.logs([(0, 10, true, made), (0, 20, true, edits)])
      let refusal = DeviceRefusal(
        key: "k", kind: kind, value: nil, milliseconds: milliseconds)
      return Self.findings(
        logs, ["k": Self.sheet("0.0.0.0", lines: ["0.0.0.1"])], refusals: [[refusal], []]
      ).filter { $0 != .unreported }
    }
    #expect(try found(.remove, 20) == [])
    #expect(try found(.move, 20) == [.lost, .lost])
    #expect(try found(.remove, 10) == [.lost, .lost])
  }

  // MARK: What a device sees

  @Test func aDeviceSeesWhatItsSubscriptionsAskFor() {
    var all = DeviceView()
    all.sheets["a"] = .init(group: "1/0.0.0.0", text: "1.0.0.0", next: "b", parts: ["b", "c"])
    all.sheets["b"] = .init(group: "2/0.0.0.1", text: "0.0.0.1")
    all.sheets["c"] = .init(group: "3/0.0.0.2", text: "0.0.0.2", next: "a")
    var part = all.part(of: 0, subscriptions: ["journal", "group1"])
    #expect(part.sheets == ["a": .init(group: "1/0.0.0.0", text: "1.0.0.0")])
    #expect(part.difference(from: part) == nil)
    part = all.part(of: 0, subscriptions: ["group1", "mine"])
    #expect(Set(part.sheets.keys) == ["a", "b", "c"])
    #expect(part.difference(from: all.part(of: 0, subscriptions: ["all"])) != nil)
    #expect(
      all.part(of: 0, subscriptions: ["mine"]).difference(
        from: all.part(of: 1, subscriptions: ["mine"])) != nil)
  }

  // MARK: The report

  @Test func aViolationIsAFailure() {
    var report = DevicesReport(
      DevicesRunOptions(seed: 7, killCount: 60, deviceCount: 3, transactionCount: 20_400))
    #expect(report.isSound)
    report.violation = DevicesViolation(
      kind: .unequal, message: "one is missing", history: ["a kill"])
    #expect(!report.isSound)
    #expect(report.details.first == "violation: unequal: one is missing")
    #expect(report.details.last?.contains("--kills 60 --seed 7 --devices 3") == true)
    #expect(report.json.contains("\"unequal\":1"))
    #expect(
      report.summary.contains(
        "lost 0, invented 0, doubled 0, disordered 0, unreported 0, unequal 1"))
  }
}
