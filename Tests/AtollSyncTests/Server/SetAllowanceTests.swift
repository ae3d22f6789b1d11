import AtollObjects
import TestThreads
import Testing

@testable import AtollSync

/// Requests for whole sets of subscriptions, which cost the server more than their bytes.
@Suite(.computing) struct SetAllowanceTests {
  private let queries = (1...6).map { "team == \($0)" }
  private let world: ServerWorld
  private let ann: Device

  init() throws {
    world = try ServerWorld { $0.limits.operationsPerMinute = 20 }
    ann = try world.device(1, user: "ann", subscribing: queries)
  }

  /// They cost nothing, and each runs all queries.
  @Test func verificationsAreTakenFromTheAllowance() throws {
    for number in 1...3 as ClosedRange<UInt64> {
      try ann.say(.verify(number))
      try world.settle()
    }
    #expect(world.server.context.heldCount == 0)
    #expect(ann.errors.isEmpty)
    try ann.say(.verify(4))
    try world.settle()
    #expect(world.server.context.heldCount == 1)
    #expect(ann.errors.map(\.code) == [.overLimit])
    #expect(ann.errors.map(\.action) == [.report])
    let bob = try world.device(2, user: "bob", subscribing: queries)
    #expect(bob.state.sets?.members.count == 6)
    world.now += 60_000
    try world.settle()
    #expect(world.server.context.heldCount == 0)
  }

  /// `isNamed`: whether HELLO names the set, or leaves it to the server's record.
  @Test(arguments: [true, false]) func catchUpsAreTakenFromTheAllowance(isNamed: Bool) throws {
    if !isNamed { ann.state.sets = nil }
    for _ in 1...3 {
      ann.disconnect()
      try ann.connect()
      #expect(ann.welcome != nil)
    }
    ann.disconnect()
    try ann.connect()
    #expect(ann.welcome == nil)
    #expect(ann.errors.map(\.code) == [.overLimit])
    world.now += 60_000
    try world.settle()
    #expect(ann.welcome != nil)
  }

  @Test func setsAreTakenFromTheAllowanceByTheirMembers() throws {
    for round in 1...3 {
      let number = try ann.subscribe((1...6).map { "team == \($0 + 10 * round)" })
      try world.settle()
      #expect(ann.state.verdicts[number] != nil)
    }
    let number = try ann.subscribe(queries)
    try world.settle()
    #expect(ann.state.verdicts[number] == nil)
    world.now += 60_000
    try world.settle()
    #expect(ann.state.verdicts[number] != nil)
  }
}
