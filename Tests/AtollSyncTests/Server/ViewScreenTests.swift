import AtollCapture
import AtollObjects
import TestThreads
import Testing

@testable import AtollSync

/// A change is asked of the views that may hold its objects, and of no others.
@Suite(.computing) struct ViewScreenTests {
  private let store: AtollStore
  private let world: ServerWorld

  init() throws {
    store = AtollStore(try Database.inMemory(options: .recording))
    world = try ServerWorld(store: store)
  }

  private func candidates(_ values: [String: [Value]]) throws -> Set<String> {
    try store.tick { transaction throws(ServerStoreError) in
      let found = try store.views.candidates(of: "Task", in: transaction.schema) { column in
        values[column.name] ?? []
      }
      return Set(found.map(\.text))
    }
  }

  @Test func viewsOfAValueAreFoundByIt() throws {
    let equalities = (0..<50).map { "team == \($0)" }
    let others = [
      "text BEGINSWITH 'a'", "team == 3 OR text == 'x'", "team > 3", "text ==[c] 'x'",
      "tags == 'x'",
    ]
    let ann = try world.device(
      1, subscribing: equalities + ["7 == team AND text == 'x'", "text == 'y'"] + others)
    let always = Set(others)
    #expect(
      try candidates(["team": [.int(3)], "text": [.string("y")]])
        == always.union(["team == 3", "text == 'y'"]))
    #expect(
      try candidates(["team": [.int(7), .int(8)], "text": [.string("z"), .string("x")]])
        == always.union(["team == 7", "team == 8", "7 == team AND text == 'x'"]))
    #expect(try candidates([:]) == always)
    try ann.subscribe(["team == 1"])
    try world.settle()
    #expect(try candidates(["team": [.int(1), .int(3)]]) == ["team == 1"])
    ann.disconnect()
    #expect(try candidates(["team": [.int(1)]]) == [])
  }

  @Test func objectsEnterAndLeaveByTheirValues() throws {
    let ann = try world.device(1, user: "ann", subscribing: ["team == 1", "team == 5"])
    let bob = try world.device(2, user: "bob", subscribing: ["team == 2 AND text != 'hidden'"])
    let eve = try world.device(3, user: "eve", subscribing: ["TRUEPREDICATE"])
    try eve.make(1, team: 1, text: "a")
    try world.settle()
    #expect((ann.texts, bob.texts) == ([1: "a"], [:]))
    try eve.push([eve.set(1, team: 2)])
    try world.settle()
    #expect((ann.texts, bob.texts) == ([:], [1: "a"]))
    try eve.push([eve.set(1, text: "hidden")])
    try world.settle()
    #expect(bob.texts == [:])
    try eve.push([eve.set(1, team: 5), eve.set(1, text: "b")])
    try world.settle()
    #expect((ann.texts, bob.texts) == ([1: "b"], [:]))
    try eve.push([eve.edit(1, .delete)])
    try world.settle()
    #expect(ann.texts == [:])
  }

  @Test func viewsAreFoundWhenClassesHaveChanged() throws {
    let ann = try world.device(1, user: "ann", subscribing: ["team == 1"])
    let eve = try world.device(2, user: "eve", subscribing: ["TRUEPREDICATE"])
    try eve.make(1, team: 1, text: "a")
    try world.settle()
    var changed = ServerWorld.schema[0]
    changed.properties.insert(PropertySchema("added", .int), at: 1)
    try eve.add([changed])
    try world.settle()
    try eve.make(2, team: 1, text: "b")
    try world.settle()
    #expect(ann.texts == [1: "a", 2: "b"])
  }
}
