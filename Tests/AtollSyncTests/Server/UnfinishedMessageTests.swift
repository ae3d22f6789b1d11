import AtollCapture
import AtollObjects
import TestThreads
import Testing

@testable import AtollSync

/// The bytes that the server holds of incomplete messages.
@Suite(.computing) struct UnfinishedMessageTests {
  private static let kind = SyncMessage.Kind.push.rawValue
  /// A part of a message that others follow.
  private static let part =
    [kind, 1] + [UInt8](repeating: 0, count: MessageFrames.frameByteLimit - 2)

  /// Sends parts until the server has enough, or until they are many.
  ///
  /// - Returns: How many it took, and what it said then.
  private func fill(
    _ id: ConnectionID, of world: ServerWorld, most: Int = 100
  ) throws -> (count: Int, error: ErrorMessage?) {
    for count in 0..<most {
      let outputs = world.server.receive(Self.part, from: id, now: world.now)
      guard !outputs.isEmpty else { continue }
      var error: ErrorMessage?
      var reader = MessageReader()
      for case .send(_, let frame) in outputs {
        if case .error(let message)? = try reader.receive(frame) { error = message }
      }
      return (count, error)
    }
    return (most, nil)
  }

  /// Any user could fill the memory with parts of unexpected messages.
  @Test func beforeHelloLittleIsHeld() throws {
    let world = try ServerWorld()
    let (count, error) = try fill(world.server.connect(user: "ann", now: world.now), of: world)
    #expect(count == 20)
    #expect(error?.code == .tooLarge)
    #expect(error?.action == .stop)
  }

  @Test func theLargestHelloIsTaken() throws {
    let world = try ServerWorld { $0.limits.viewCount = SetLimits.count }
    let device = world.device(1)
    let length = SetLimits.byteCount / SetLimits.count - "Task".utf8.count
    let members = (0..<SetLimits.count).map { number in
      let text = "_id == \(number)"
      let padding = String(repeating: " ", count: length - text.utf8.count)
      return SetMember(className: "Task", query: text + padding)
    }.sorted()
    #expect(SetLimits.allow(members))
    device.state.sets = AnsweredSets(number: 1, version: 1, members: members)
    device.state.answered = 0
    try device.connect(settles: false)
    let blocked = Set([device.connection].compactMap(\.self))
    for output in try world.server.advance(now: world.now, blocked: blocked) {
      if case .send(_, let frame) = output { try device.receive(frame) }
    }
    #expect(device.welcome != nil)
    #expect(device.errors.isEmpty)
  }

  @Test func afterHelloAMessageMayBeAsLargeAsTheOptionsSay() throws {
    let world = try ServerWorld { $0.messageByteLimit = 8 << 20 }
    let device = world.device(1)
    try device.connect()
    let (count, error) = try fill(#require(device.connection), of: world)
    #expect(count == 32)
    #expect(error?.code == .tooLarge)
  }

  /// Each connection had a bound of its own, and a user has many.
  @Test func allConnectionsOfAUserHoldNoMoreThanOneMessageAndALittle() throws {
    let world = try ServerWorld {
      $0.messageByteLimit = 8 << 20
      $0.limits.unfinishedByteCount = 10 << 20
    }
    let devices = (1...4 as ClosedRange<UInt64>).map { world.device($0, user: "ann") }
    for device in devices { try device.connect() }
    #expect(try fill(#require(devices[0].connection), of: world, most: 20).error == nil)
    let (count, error) = try fill(#require(devices[1].connection), of: world, most: 30)
    #expect(count == 20)
    #expect(error?.code == .overLimit)
    #expect(error?.action == .retry)
    #expect(error?.retryAfterMilliseconds == 10_000)
    // The one that ended holds nothing; one that goes makes room, and other users have their own.
    #expect(try fill(#require(devices[2].connection), of: world, most: 20).error == nil)
    devices[0].disconnect()
    #expect(try fill(#require(devices[3].connection), of: world, most: 20).error == nil)
    let bob = world.device(5, user: "bob")
    try bob.connect()
    #expect(try fill(#require(bob.connection), of: world, most: 30).error == nil)
  }

  /// Users cost nothing to make, and hosts little: those of one host have a bound, and all have.
  @Test func allUsersOfAHostAndAllHostsHoldNoMoreThanTheOptionsSay() throws {
    let world = try ServerWorld {
      $0.bounds.heldByteLimitOfHost = 10 << 20
      $0.bounds.heldByteLimit = 14 << 20
    }
    func device(_ id: UInt64, _ host: String) throws -> Device {
      let device = world.device(id, user: "user \(id)")
      device.host = host
      try device.connect()
      return device
    }
    let first = try (1...3 as ClosedRange<UInt64>).map { try device($0, "10.0.0.1") }
    #expect(try fill(#require(first[0].connection), of: world, most: 20).error == nil)
    #expect(try fill(#require(first[1].connection), of: world, most: 30).error?.code == .overLimit)
    #expect(world.server.context.held.total == 20 * (Self.part.count - 2))
    // Of all, the connection that holds most ends; those with little stay.
    let others = try (4...6 as ClosedRange<UInt64>).map { try device($0, "10.0.0.\($0)") }
    #expect(try fill(#require(others[0].connection), of: world, most: 1).error == nil)
    let (count, error) = try fill(#require(others[1].connection), of: world, most: 100)
    #expect(count == 35)
    #expect(error?.code == .overLimit)
    #expect(error?.text.contains("all devices are sending more than 14680064 bytes") == true)
    #expect(try fill(#require(others[0].connection), of: world, most: 1).error == nil)
    #expect(world.server.context.connections[try #require(first[0].connection)] != nil)
    for device in first + others { device.disconnect() }
    #expect(world.server.context.held.total == 0)
  }

  @Test func otherBoundsOfMemoryAreObeyedByTheNextMessage() throws {
    let world = try ServerWorld()
    let ann = world.device(1, user: "ann")
    ann.host = "10.0.0.1"
    try ann.connect()
    let id = try #require(ann.connection)
    #expect(try fill(id, of: world, most: 20).error == nil)
    var bounds = world.server.bounds
    bounds.heldByteLimitOfHost = 10 << 20
    world.server.setBounds(bounds)
    let (count, error) = try fill(id, of: world, most: 100)
    #expect(count < 100)
    #expect(error?.text.contains("the devices of one host are sending more than 10485760") == true)
  }

  /// One that ends its message and is not read yet holds as much.
  @Test func messagesThatWaitToBeJudgedAreHeldToo() throws {
    let world = try ServerWorld { $0.limits.unfinishedByteCount = 4 << 20 }
    let all = ["TRUEPREDICATE"]
    let ann = try world.device(1, user: "ann", subscribing: all)
    let other = world.device(2, user: "ann")
    try other.connect()
    try ann.make(1, team: 1, text: String(repeating: "x", count: 3 << 20))
    let (count, error) = try fill(#require(other.connection), of: world, most: 30)
    #expect(count < 5)
    #expect(error?.code == .overLimit)
    try world.settle()
    #expect(ann.texts.count == 1)
    #expect(world.server.context.held.total == 0)
  }

  @Test func aMessageThatIsCompleteIsHeldNoMore() throws {
    let world = try ServerWorld {
      $0.messageByteLimit = 3 << 20
      $0.limits.unfinishedByteCount = 4 << 20
    }
    let all = ["TRUEPREDICATE"]
    let ann = try world.device(1, user: "ann", subscribing: all)
    let bob = try world.device(2, user: "bob", subscribing: all)
    for key in 1...4 as ClosedRange<Int64> {
      try ann.make(key, team: 1, text: String(repeating: "x", count: 2 << 20))
      try world.settle()
    }
    #expect(ann.errors.isEmpty)
    #expect(bob.texts.count == 4)
  }
}
