import AtollCapture
import AtollObjects
import AtollQuery
import TestSupport
import TestThreads
import Testing

@testable import AtollSync

/// A change finds the views that it may concern by the values of its objects, and no others.
@Suite(.computing) struct InterestTests {
  private let store: AtollStore
  private let world: ServerWorld

  init() throws {
    store = AtollStore(try Database.inMemory(options: .recording))
    world = try ServerWorld(store: store)
  }

  private func insert(_ texts: [String], into index: inout InterestIndex) throws {
    try store.tick { transaction throws(ServerStoreError) in
      for (number, text) in texts.enumerated() {
        index.insert(
          UInt32(number), try transaction.interest(of: ViewQuery(className: "Task", text: text)))
      }
    }
  }

  /// The views that an object with these values may be in, besides those of everything.
  private func found(_ index: InterestIndex, _ values: [String: [Value]]) throws -> [UInt32] {
    var found: Set<UInt32> = []
    try index.visit { column in
      (values[column.name] ?? []).compactMap { Index.bytes(of: $0) }
    } _: {
      found.insert($0)
    }
    return found.sorted()
  }

  @Test func viewsAreFoundByTheirValues() throws {
    let texts = [
      "team == 3", "team IN {3, 5}", "team > 3 AND team < 6", "text BEGINSWITH 'ab'",
      "team == 7 OR text == 'x'", "tags == 't'", "text CONTAINS 'q'", "TRUEPREDICATE",
      "FALSEPREDICATE",
    ]
    var index = InterestIndex(seed: 7)
    try insert(texts, into: &index)
    #expect(index.everywhere == [6: false, 7: true])
    #expect(try found(index, ["team": [.int(3)]]) == [0, 1])
    #expect(try found(index, ["team": [.int(5)], "text": [.string("abc")]]) == [1, 2, 3])
    #expect(try found(index, ["team": [.int(7)], "text": [.string("x")]]) == [4])
    #expect(try found(index, ["tags": [.string("s"), .string("t")]]) == [5])
    #expect(try found(index, ["team": [.int(6)], "text": [.string("b")]]) == [])
    #expect((0...4).allSatisfy { index.isExact($0) })
    #expect(!index.isExact(5))
    for number in 0..<9 as Range<UInt32> { index.remove(number) }
    #expect(index.isEmpty)
    #expect(try found(index, ["team": [.int(3)]]) == [])
  }

  /// Of an AND the term counts that few views share, also within an OR.
  @Test func aTermThatAllShareFindsNobody() throws {
    let texts = (0..<200).map { number in
      number % 2 == 0
        ? "text == 'open' AND team == \(number)"
        : "(team == \(number) OR tags == 'g\(number)') AND text == 'open' AND team > 0"
    }
    var index = InterestIndex(seed: 7)
    try insert(texts, into: &index)
    let all = try found(index, ["text": [.string("open")]])
    #expect(all.count < 3)
    let one = try found(index, ["team": [.int(41)], "text": [.string("open")]])
    #expect(one.contains(41))
    #expect(one.count < 6)
    #expect(!index.isExact(41))
  }

  /// A view that names very many ranges is tested with each change, and not filed.
  @Test func aViewOfTooManyTermsIsNotFiled() throws {
    let text = (0..<600).map { "team > \($0) AND team < \($0 + 9) AND text == 'x'" }
      .joined(separator: " OR ")
    var index = InterestIndex(seed: 7)
    try insert([text], into: &index)
    #expect(index.everywhere == [0: false])
  }

  /// Of a long collection not every element is looked at.
  @Test func viewsOfALongCollectionAreFound() throws {
    let ann = try world.device(1, user: "ann", subscribing: ["tags == 'x399'"])
    let bob = try world.device(2, user: "bob", subscribing: ["TRUEPREDICATE"])
    try bob.make(1, team: 1, text: "t")
    try world.settle()
    let tags = (0..<400).map { number in
      bob.edit(
        1,
        .insert(
          property: "tags", ElementID(client: 2, number: 99, index: UInt32(number)),
          ListPosition.between(nil, nil, count: 400)[number], .string("x\(number)")))
    }
    try bob.push(tags)
    try world.settle()
    #expect(ann.texts == [1: "t"])
  }

  /// Random views, objects and changes, against the query itself.
  @Test(arguments: 0..<6 as Range<UInt64>)
  func whatIsToldIsWhatTheQueriesSay(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func term() -> String {
      let number = Int.random(in: 0..<6, using: &random)
      let letter = ["a", "b", "ab", "ba"].randomElement(using: &random) ?? ""
      return switch Int.random(in: 0..<11, using: &random) {
      case 0: "team == \(number)"
      case 1: "team IN {\(number), \(number + 2)}"
      case 2: "team >= \(number)"
      case 3: "team < \(number)"
      case 4: "text BEGINSWITH '\(letter)'"
      case 5: "text == '\(letter)'"
      case 6: "text CONTAINS '\(letter)'"
      case 7: "'\(letter)' IN tags"
      case 8: "NOT team == \(number)"
      case 9: "text == NULL"
      default: "tags.@count > \(number / 2)"
      }
    }
    func text() -> String {
      switch Int.random(in: 0..<6, using: &random) {
      case 0...1: term()
      case 2...3: "\(term()) AND \(term())"
      case 4: "\(term()) OR \(term())"
      default: "(\(term()) OR \(term())) AND (\(term()) OR \(term()))"
      }
    }
    var subscriptions = (0..<8).map { _ in
      Array(Set((0..<Int.random(in: 1...4, using: &random)).map { _ in text() }))
    }
    let devices = try subscriptions.enumerated().map { number, texts in
      try world.device(UInt64(number + 1), user: "user\(number % 3)", subscribing: texts)
    }
    let writer = try world.device(99, user: "writer", subscribing: ["TRUEPREDICATE"])
    for step in 0..<40 {
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let key = Int64.random(in: 0..<12, using: &random)
        let team = Int64.random(in: 0..<7, using: &random)
        let value = ["a", "b", "ab", "abc", "c", ""].randomElement(using: &random) ?? ""
        if writer.texts[key] == nil {
          try writer.make(key, team: team, text: value)
        } else if Int.random(in: 0..<4, using: &random) == 0 {
          try writer.push([writer.edit(key, .delete)])
        } else if Bool.random(using: &random) {
          try writer.push([writer.set(key, team: team)])
        } else {
          try writer.push([writer.set(key, text: value)])
        }
        if Bool.random(using: &random) { try world.settle() }
      }
      if step % 7 == 3, let number = devices.indices.randomElement(using: &random) {
        subscriptions[number] = Array(Set([text(), text()]))
        try devices[number].subscribe(subscriptions[number])
      }
      try world.settle()
      for (device, texts) in zip(devices, subscriptions) {
        #expect(try device.state.objects == world.view(texts), "\(texts)")
      }
    }
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

  /// What one connection is told of does not visit the others.
  @Test func aChangeVisitsNobodyWhomItDoesNotConcern() throws {
    let ann = try world.device(1, user: "ann", subscribing: ["team == 1"])
    let bob = try world.device(2, user: "bob", subscribing: ["team == 2"])
    try world.settle()
    let cursor = bob.state.cursor
    try ann.make(1, team: 1, text: "a")
    try world.settle()
    #expect(world.server.context.busy.isEmpty)
    #expect(bob.state.cursor == cursor)
    #expect(ann.texts == [1: "a"])
  }

  /// A cursor that stays far behind is moved by a batch without contents.
  @Test func aQuietDeviceKeepsUp() throws {
    let ann = try world.device(1, user: "ann", subscribing: ["team == 1"])
    let bob = try world.device(2, user: "bob", subscribing: ["team == 2"])
    try ann.make(1, team: 1, text: "a")
    try world.settle()
    let start = bob.state.cursor
    for number in 0..<1_100 {
      try ann.push([ann.set(1, text: "\(number)")])
      if number % 50 == 0 { try world.settle() }
    }
    try world.settle()
    let (before, after) = (start?.version ?? 0, bob.state.cursor?.version ?? 0)
    #expect(after >= before + 1_000)
  }
}
