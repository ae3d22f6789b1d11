import AtollObjects
import TestThreads
import Testing

@testable import AtollSync

/// How many different queries a user may have, as each is asked with each change of its class.
@Suite(.computing) struct ViewLimitTests {
  private func world(
    _ store: any ServerStore = MemoryStore(), views: Int
  ) throws -> ServerWorld {
    try ServerWorld(store: store) { $0.limits.viewCount = views }
  }

  private static func teams(_ numbers: ClosedRange<Int>) -> [String] {
    numbers.map { "team == \($0)" }
  }

  private func refusal(_ device: Device, _ number: UInt64) throws -> Refusal? {
    guard case .refused(let refusal) = try #require(device.state.verdicts[number]?.first) else {
      return nil
    }
    return refusal
  }

  private let text =
    "the connected devices of a user may have at most 3 different queries together"

  /// With the limit of subscriptions alone, one user could have ten thousand on each of a hundred
  /// connections.
  @Test func aSetWithAViewTooManyIsRefusedWithTheLimit() throws {
    let world = try world(views: 3)
    let ann = try world.device(1, user: "ann", subscribing: Self.teams(1...3))
    let set = try ann.subscribe(Self.teams(1...4))
    try world.settle()
    #expect(try refusal(ann, set)?.reason == .tooLarge)
    #expect(try refusal(ann, set)?.text == text)
    // The views of the set before are no longer needed.
    let next = try ann.subscribe(Self.teams(11...13))
    try world.settle()
    #expect(try refusal(ann, next) == nil)
  }

  @Test func viewsOfAllConnectedDevicesAreCountedEachOnce() throws {
    let world = try world(views: 3)
    let first = try world.device(1, user: "ann", subscribing: Self.teams(1...2))
    let second = try world.device(2, user: "ann", subscribing: Self.teams(1...3))
    try first.subscribe(Self.teams(1...2) + ["team == 4"])
    try world.settle()
    // The set fits after the other device disconnects: then the device connects again.
    #expect(first.connection == nil)
    #expect(first.errors.map(\.action) == [.report, .retry])
    #expect(first.errors.last?.text == text)
    // Another user has separate views.
    let bob = try world.device(3, user: "bob", subscribing: Self.teams(4...6))
    #expect(bob.state.sets?.members.count == 3)
    second.disconnect()
    try first.connect()
    #expect(first.state.sets?.members.count == 3)
    let next = try first.subscribe(Self.teams(2...4))
    try world.settle()
    #expect(try refusal(first, next) == nil)
  }

  /// One after the other, each device may have a full set.
  @Test func aDeviceThatComesWithTooManyIsSentAwayForAWhile() throws {
    let world = try world(views: 3)
    let first = try world.device(1, user: "ann", subscribing: Self.teams(1...3))
    first.disconnect()
    let second = try world.device(2, user: "ann", subscribing: Self.teams(4...6))
    try first.connect()
    #expect(first.connection == nil)
    #expect(first.errors.map(\.code) == [.overLimit, .overLimit])
    #expect(first.errors.map(\.action) == [.report, .retry])
    #expect(first.errors.last?.text == text)
    #expect(first.errors.last?.retryAfterMilliseconds == 60_000)
    second.disconnect()
    try first.connect()
    #expect(first.connection != nil)
    let bob = try world.device(3, user: "bob", subscribing: ["TRUEPREDICATE"])
    try bob.make(1, team: 2)
    try world.settle()
    #expect(first.texts.count == 1)
  }

  /// A limit that is put down does not shut devices out whose sets were accepted.
  @Test func aSetThatIsInForceGoesOnAlone() throws {
    let world = try world(views: 10)
    let first = try world.device(1, user: "ann", subscribing: Self.teams(1...5))
    let second = try world.device(2, user: "ann", subscribing: Self.teams(1...2))
    var limits = UserLimits()
    limits.viewCount = 3
    world.server.setLimits(limits)
    first.disconnect()
    second.disconnect()
    try first.connect()
    #expect(first.connection != nil)
    #expect(first.errors.isEmpty)
    try second.connect()
    #expect(second.connection == nil)
  }

  @Test func aSetMayBecomeSmallerStepByStep() throws {
    let world = try world(views: 10)
    let ann = try world.device(1, user: "ann", subscribing: Self.teams(1...6))
    var limits = UserLimits()
    limits.viewCount = 3
    world.server.setLimits(limits)
    let smaller = try ann.subscribe(Self.teams(1...5))
    let larger = try ann.subscribe(Self.teams(1...6))
    try world.settle()
    #expect(try refusal(ann, smaller) == nil)
    #expect(try refusal(ann, larger)?.text == text)
  }

  /// An unknown file may name any set as the one in force.
  @Test func theSetOfANewFileIsJudgedToo() throws {
    let world = try world(views: 3)
    let ann = world.device(1, user: "ann")
    let members = Self.teams(1...4).map { SetMember(className: "Task", query: $0) }
    ann.state.sets = AnsweredSets(number: 1, version: 1, members: members)
    try ann.connect()
    #expect(ann.errors.map(\.code) == [.setRefused])
    #expect(ann.errors.first?.text == text)
    #expect(world.server.context.connections.values.map(\.views) == [[]])
  }
}
