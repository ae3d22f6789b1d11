import AtollCapture
import AtollSync
import TestThreads
import Testing

/// A device that does not confirm its answers, for a while or ever.
@Suite(.computing) struct UnconfirmedAnswersTests {
  private let all = ["TRUEPREDICATE"]

  private func world() throws -> (ServerWorld, Device, other: Device) {
    let world = try ServerWorld { $0.unconfirmedByteLimit = 200 }
    let device = try world.device(1, subscribing: all)
    let other = try world.device(2, subscribing: all)
    try device.make(1, team: 0)
    try world.settle()
    return (world, device, other)
  }

  private func increment(_ device: Device, by delta: Int64 = 1) -> Operation {
    device.edit(1, .increment(property: "team", by: delta))
  }

  /// The numbers that have an answer.
  private func answered(_ device: Device, of numbers: [UInt64]) -> Int {
    numbers.count { device.state.verdicts[$0] != nil }
  }

  private func team(_ device: Device) -> UnitValue? {
    device.state.objects[device.task(1)]?[.property("team")]
  }

  /// The server would keep any number of them, and send all in one message.
  @Test func whatIsSentWaitsUntilTheyAreConfirmed() throws {
    let (world, device, other) = try world()
    device.confirmsMore = false
    let numbers = try (0..<60).map { _ in try device.push([increment(device)]) }
    try world.settle(limit: 20)
    let count = answered(device, of: numbers)
    #expect(count > 2 && count < 20)
    // Nobody else waits.
    let foreign = try other.push([increment(other, by: 100)])
    try world.settle(limit: 20)
    #expect(other.state.verdicts[foreign] == [.applied(generation: nil)])
    // The confirmation comes behind what waits.
    device.confirmsMore = true
    try device.sync()
    try world.settle()
    #expect(answered(device, of: numbers) == 60)
    #expect(team(device) == .value(.int(160)))
    #expect(team(other) == team(device))
    #expect(device.connection != nil && device.errors.isEmpty)
  }

  /// Also those are counted that were given on another connection, or by another process.
  @Test(arguments: [false, true])
  func thatIsSoOnTheNextConnection(isServerNew: Bool) throws {
    let (world, device, _) = try world()
    device.confirmsMore = false
    let first = try (0..<60).map { _ in try device.push([increment(device)]) }
    try world.settle(limit: 20)
    let count = answered(device, of: first)
    #expect(count < 20)
    // As if no answer had arrived.
    let known = device.disk.answered
    for _ in 0..<3 {
      device.crash()
      if isServerNew { try world.restart() }
      #expect(device.disk.answered >= known)
      try device.connect(settles: false)
      try world.settle(limit: 20)
    }
    device.confirmsMore = true
    try device.sync()
    try world.settle()
    #expect(team(device) == .value(.int(60)))
    #expect(device.disk.outbox.isEmpty)
  }

  /// It may only announce to confirm them.
  @Test func whoNeverConfirmsIsTurnedAway() throws {
    let world = try ServerWorld {
      $0.unconfirmedByteLimit = 100
      $0.keptAnswerByteLimit = 100
    }
    let device = try world.device(1, subscribing: all)
    try device.make(1, team: 0)
    try world.settle()
    device.confirmsMore = false
    for _ in 0..<20 where device.connection != nil {
      try device.push([increment(device)])
      try world.settle(limit: 20)
    }
    #expect(device.connection == nil && device.errors.map(\.action) == [.retry])
    // The next connection begins with the confirmation.
    device.confirmsMore = true
    try device.connect()
    try world.settle()
    #expect(device.connection != nil && device.disk.outbox.isEmpty)
  }

  /// A confirmation takes nothing back.
  @Test func anAnswerThatWasConfirmedStaysSo() throws {
    let (world, device, _) = try world()
    try device.push([increment(device)])
    try world.settle()
    let token = try #require(device.disk.token)
    try device.say(
      .confirm(
        Confirmation(
          token: token, cursor: device.disk.cursor, answered: device.disk.answered - 1)))
    try world.settle()
    #expect(device.connection == nil)
  }

  /// Numbers are the device's own.
  @Test func theLastNumberMayBeConfirmed() throws {
    let (world, device, other) = try world()
    device.state.nextNumber = .max - 1
    try device.push([increment(device)])
    device.state.outbox.append(
      (
        .max,
        .push(
          PushEntry(
            header: EntryHeader(
              number: .max, digest: 1, firstName: EntryName(client: 1, number: .max)),
            transaction: RecordedTransaction(
              clock: HybridClock(milliseconds: world.now), seen: nil,
              operations: [increment(device)])))
      ))
    try device.sync()
    try world.settle()
    for _ in 0..<2 {
      device.disconnect()
      try device.connect()
    }
    #expect(device.errors.isEmpty && device.connection != nil)
    #expect(team(other) == .value(.int(2)))
  }

  /// A set has an answer too, and so has an entry that comes again.
  @Test func whatIsAnsweredAgainCounts() throws {
    let (world, device, other) = try world()
    device.confirmsMore = false
    let header = device.header()
    try device.push([increment(device)], header: header)
    try world.settle(limit: 20)
    for _ in 0..<60 {
      let again = device.header(name: header.firstName, digest: header.digest)
      try device.push([increment(device)], header: again)
      try device.subscribe(["team == \(again.number)"])
    }
    try world.settle(limit: 20)
    #expect(device.state.verdicts.count < 25)
    device.confirmsMore = true
    try device.sync()
    try world.settle()
    #expect(device.state.verdicts.count > 120)
    #expect(team(other) == .value(.int(1)))
  }
}
