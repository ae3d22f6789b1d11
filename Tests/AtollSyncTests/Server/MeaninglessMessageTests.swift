import AtollSync
import TestThreads
import Testing

/// Messages that the server skips, which cost a device nothing.
@Suite(.computing) struct MeaninglessMessageTests {
  /// Of an unknown kind, and the answer to a PING that was not sent.
  private static let frames: [[UInt8]] = [[200, 0], [130, 0, 7]]

  private static func receive(
    _ frame: [UInt8], times: Int = 1, from device: Device, of world: ServerWorld,
    seconds: UInt64 = 0
  ) throws -> [SyncServer.Output] {
    let id = try #require(device.connection)
    var outputs: [SyncServer.Output] = []
    for _ in 0..<times {
      outputs += world.server.receive(
        frame, from: id, now: world.now, arrivedAt: seconds * 1_000_000_000)
    }
    return outputs
  }

  /// Devices sent millions of them.
  @Test(arguments: frames) func aFloodEndsTheConnection(frame: [UInt8]) throws {
    let world = try ServerWorld()
    let (device, other) = (world.device(1, user: "ann"), world.device(2, user: "ann"))
    try device.connect()
    try other.connect()
    #expect(try Self.receive(frame, times: 1_000, from: device, of: world).isEmpty)
    let outputs = try Self.receive(frame, from: device, of: world)
    for case .send(_, let frame) in outputs { try device.receive(frame) }
    #expect(device.errors.map(\.code) == [.tooBusy])
    #expect(device.errors.first?.action == .retry)
    #expect(device.errors.first?.retryAfterMilliseconds == 60_000)
    #expect(
      outputs.contains { output in
        if case .close = output { true } else { false }
      })
    // What is under way is of no connection; each has its own.
    #expect(try Self.receive(frame, times: 10, from: device, of: world).isEmpty)
    #expect(try Self.receive(frame, times: 10, from: other, of: world).isEmpty)
  }

  @Test func aFewInEachMinuteAreSkipped() throws {
    let world = try ServerWorld()
    let device = world.device(1)
    try device.connect()
    for minute in 0..<5 as Range<UInt64> {
      for frame in Self.frames {
        let outputs = try Self.receive(
          frame, times: 500, from: device, of: world, seconds: minute * 60)
        #expect(outputs.isEmpty)
      }
    }
    try device.say(.ping(1))
    try world.settle()
    #expect(device.pongs == [1] && device.errors.isEmpty)
  }

  /// Of PINGs, those mean nothing that are not answered as others follow.
  @Test func pingsThatAreAnsweredAreTakenForever() throws {
    let world = try ServerWorld()
    let device = world.device(1)
    try device.connect()
    for number in 1...2_000 as ClosedRange<UInt64> {
      try device.say(.ping(number))
      try world.settle()
    }
    #expect(device.pongs.count == 2_000)
    for number in 0...1_000 as ClosedRange<UInt64> { try device.say(.ping(number)) }
    #expect(device.connection != nil && device.errors.isEmpty)
    try device.say(.ping(0))
    #expect(device.connection == nil)
    #expect(device.errors.map(\.code) == [.tooBusy])
  }
}
