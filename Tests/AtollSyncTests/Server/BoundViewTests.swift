import AtollCapture
import AtollObjects
import TestThreads
import Testing

@testable import AtollSync

/// The views of connected devices are read from their texts once, and not with each commit.
@Suite(.computing) struct BoundViewTests {
  private let store: AtollStore
  private let world: ServerWorld

  init() throws {
    store = AtollStore(try Database.inMemory(options: .recording))
    world = try ServerWorld(store: store)
  }

  @Test func aCommitBindsNoViewAgain() throws {
    // More than the cache of all queries holds.
    let queries = (0..<400).map { "team == \($0) AND text != 'nothing'" }
    let ann = try world.device(1, user: "ann", subscribing: queries)
    let bob = try world.device(2, user: "bob", subscribing: ["TRUEPREDICATE"])
    try bob.make(1, team: 1, text: "first")
    try world.settle()
    let count = store.views.bindingCount
    for key in 2...4 as ClosedRange<Int64> {
      try bob.make(key, team: key, text: "later")
      try world.settle()
    }
    #expect(store.views.bindingCount == count)
    #expect(ann.texts.keys.sorted() == [1, 2, 3, 4])
  }

  @Test func viewsAreBoundAgainWhenClassesHaveChanged() throws {
    let ann = try world.device(1, user: "ann", subscribing: ["team == 1"])
    let bob = try world.device(2, user: "bob", subscribing: ["TRUEPREDICATE"])
    try bob.make(1, team: 1)
    try world.settle()
    var changed = ServerWorld.schema[0]
    changed.properties.insert(PropertySchema("added", .int), at: 1)
    try bob.add([changed])
    try world.settle()
    let count = store.views.bindingCount
    try bob.make(2, team: 1)
    try bob.make(3, team: 2)
    try world.settle()
    #expect(store.views.bindingCount == count + 2)
    #expect(ann.texts.keys.sorted() == [1, 2])
  }

  @Test func whatNobodyViewsIsNotKept() throws {
    let ann = try world.device(1, user: "ann", subscribing: ["team == 1", "team == 2"])
    let bob = try world.device(2, user: "bob", subscribing: ["team == 2", "team == 3"])
    #expect(store.views.count == 3)
    try bob.make(1, team: 3)
    try world.settle()
    ann.disconnect()
    // A thousand would take long: it is done in the next ticks.
    try world.settle()
    #expect(store.views.count == 2)
    try bob.subscribe(["team == 3"])
    try world.settle()
    #expect(store.views.count == 1)
    bob.disconnect()
    try world.settle()
    #expect(store.views.count == 0)
  }
}
