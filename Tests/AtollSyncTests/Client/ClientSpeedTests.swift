import AtollCapture
import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollSync

/// How long the client takes: printed with `ATOLL_TEST_SCALE=100` in a release build, checked with
/// few objects.
@Suite(.computing) struct ClientSpeedTests {
  /// What a batch costs follows the batch, not the outbox.
  @Test func anOutboxOfTenThousandIsAnsweredAtOnce() throws {
    let count = 100 * Int(seeds(1).upperBound)
    let device = try TestDevice()
    try device.connect()
    for id in 0..<count { try device.createTask(Int64(id), "task \(id)") }
    let answers = (1...count).map {
      Answer(
        number: UInt64($0),
        verdicts: [.applied(generation: Cursor(UInt64($0))), .applied(generation: nil)])
    }
    let clock = ContinuousClock()
    let start = clock.now
    let change = ObjectChange(
      device.task(1_000_000),
      .full(generation: Cursor(5), [UnitChange(.property("minutes"), .value(.int(1)))]))
    try device.receive(.live(nil, 20_000, [change]))
    let one = clock.now
    try device.receive(.live(20_000, 20_001, [], answers))
    let end = clock.now
    if count > 100 {
      print("\(count) pending: a batch of one \(one - start), all answered \(end - one)")
    }
    #expect(try device.outbox == [])
    #expect(try device.database.snapshot().table("Task").count == count + 1)
  }

  @Test func aBootstrapTakesTimeByItsObjects() throws {
    let count = 1_000 * Int(seeds(1).upperBound)
    let device = try TestDevice()
    try device.connect()
    let clock = ContinuousClock()
    var made: Duration = .zero
    let start = clock.now
    var next = 0
    while next < count {
      let makeStart = clock.now
      let end = min(next + 1_000, count)
      let objects = (next..<end).map { id in
        ObjectChange(
          device.task(Int64(id)),
          .full(
            generation: Cursor(UInt64(id + 1)),
            [
              UnitChange(.property("taskName"), .value(.string("task number \(id)"))),
              UnitChange(.property("minutes"), .value(.int(Int64(id)))),
              UnitChange(.property("assignee"), .value(.string("somebody"))),
            ]))
      }
      let frames = MessageFrames.encode(
        .part(nil, end == count ? UInt64(count) : nil, readAt: UInt64(count), objects))
      made += clock.now - makeStart
      for frame in frames { _ = try device.client.receive(frame, now: 0) }
      next = end
    }
    let end = clock.now
    if count > 1_000 { print("bootstrap of \(count): \(end - start - made)") }
    #expect(try device.database.snapshot().table("Task").count == count)
  }
}
