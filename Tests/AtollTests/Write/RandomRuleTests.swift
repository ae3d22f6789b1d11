import AtollObjects
import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll

private class Box: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var shelf: Int
  @Persisted var label: String?
  @Persisted var next: Box?
  @Persisted var parts: List<Part>
  @Persisted var tags: MutableSet<Part>
  @Persisted var named: Map<String, Part?>
  @Persisted var slot: Slot?
  @Persisted var slots: List<Slot>
  override class func indexes() -> [Atoll.Index] {
    [
      Atoll.Index(\Box.shelf, \Box.label, isUnique: true), Atoll.Index(\Box.name, \Box.shelf),
      Atoll.Index(\Box.label, \Box.name, \Box.id),
    ]
  }
  override class func deleteRules() -> [DeleteRule] {
    [.cascade(\Box.next), .cascade(\Box.parts), .deny(\Box.tags)]
  }
}

private class Slot: Atoll.EmbeddedObject {
  @Persisted var number: Int
  @Persisted var part: Part?
  @Persisted var box: Box?
  @Persisted var owner: Box?
  override class func deleteRules() -> [DeleteRule] {
    [.cascade(\Slot.part), .deny(\Slot.box), .cascade(\Slot.owner)]
  }
}

private class Part: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var code: String
  @Persisted var box: Box?
  override class func indexes() -> [Atoll.Index] { [Atoll.Index(\Part.code, isUnique: true)] }
}

/// Used for the first time in the midst of a write.
private class Stray: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var code: String
  override class func indexes() -> [Atoll.Index] { [Atoll.Index(\Stray.code, isUnique: true)] }
}

/// Random writes in a realm with rules of deletion and indexes of several properties, compared with
/// plain values; a second realm on a queue of its own observes them.
@Suite(.computing) struct RandomRuleTests {
  @Test(arguments: seeds(60)) func aRealmHoldsWhatTheModelHolds(seed: UInt64) throws {
    var program = try RuleProgram(seed: seed)
    for _ in 0..<12 { try program.step() }
    program.end()
  }
}

/// What an observer of boxes has been told, put together.
// Sendable: used on the queue alone.
private final class Follower: @unchecked Sendable {
  var ids: [Int] = []
  var wrong: [String] = []
  var results: Results<Box>?
  var token: NotificationToken?

  func note(_ change: RealmCollectionChange<Results<Box>>) {
    switch change {
    case .initial(let boxes): ids = boxes.map(\.id)
    case .update(let boxes, let deletions, let insertions, _):
      for index in deletions.reversed() { ids.remove(at: index) }
      for index in insertions { ids.insert(boxes[index].id, at: index) }
      if ids != boxes.map(\.id) { wrong.append("\(ids) is not \(boxes.map(\.id))") }
    case .error(let error): wrong.append("\(error)")
    }
  }
}

private struct RuleProgram {
  private let seed: UInt64
  private var random: SplitMix64
  private let realm: Realm
  private let configuration: Realm.Configuration
  private let queue = DispatchQueue(label: "rules")
  private let follower = Follower()
  private var model = RuleModel()
  private var slotCount = 0
  private var log: [String] = []

  init(seed: UInt64) throws {
    self.seed = seed
    random = SplitMix64(seed: seed)
    // Without a list of classes: they come with their first use.
    configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
    realm = try Realm(configuration: configuration)
  }

  private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  private var about: Comment { "seed \(seed)\n\(log.joined(separator: "\n"))" }

  func end() { queue.sync { [follower] in (follower.token, follower.results) = (nil, nil) } }

  mutating func step() throws {
    let before = model
    model.denying = []
    log.append("write")
    if below(3) == 0 {
      // In the realm of another thread.
      let (configuration, queue) = (configuration, queue)
      try queue.sync { try write(Realm(configuration: configuration, queue: queue), before) }
      realm.refresh()
    } else {
      try write(realm, before)
    }
    try compare()
    try follow()
    try compareQueries(realm)
  }

  private mutating func write(_ writer: Realm, _ before: RuleModel) throws {
    writer.beginWrite()
    for _ in 0..<below(7) + 1 {
      change(writer)
      if below(3) == 0 { try compareQueries(writer) }
    }
    if below(6) == 0 {
      log.append("cancel")
      writer.cancelWrite()
      model = before
    } else {
      let expected: Realm.Error.Code? =
        model.isAmbiguous ? .notUnique : model.denying.isEmpty ? nil : .deletionDenied
      var code: Realm.Error.Code?
      do { try writer.commitWrite() } catch let error as Realm.Error { code = error.code }
      #expect(code == expected, about)
      if code != nil { model = before }
    }
  }

  /// Lets the other realm see the newest version, and compares what its observer was told.
  private mutating func follow() throws {
    let (configuration, queue, follower) = (configuration, queue, follower)
    try queue.sync {
      let realm = try Realm(configuration: configuration, queue: queue)
      realm.refresh()
      if follower.token == nil {
        let results = realm.objects(Box.self).where { $0.shelf < 2 }.sorted(by: \.id)
        follower.results = results
        follower.token = results.observe { follower.note($0) }
      }
    }
    for _ in 0..<3 { queue.sync {} }
    let wanted = model.boxes.filter { $0.value.shelf < 2 }.keys.sorted()
    let (ids, wrong) = queue.sync { (follower.ids, follower.wrong) }
    #expect(wrong == [], about)
    #expect(ids == wanted, about)
  }

  private mutating func compare() throws {
    #expect(try realm.context.file.database.check().findings == [], about)
    var found = RuleModel()
    found.denying = model.denying
    for box in realm.objects(Box.self) { found.boxes[box.id] = Self.plain(box) }
    for part in realm.objects(Part.self) {
      found.parts[part.id] = RuleModel.Part(code: part.code, box: part.box?.id)
    }
    for stray in realm.objects(Stray.self) { found.strays[stray.id] = stray.code }
    #expect(found.boxes == model.boxes, about)
    #expect(found.parts == model.parts, about)
    #expect(found.strays == model.strays, about)
  }

  private static func plain(_ box: Box) -> RuleModel.Box {
    RuleModel.Box(
      name: box.name, shelf: box.shelf, label: box.label, next: box.next?.id,
      parts: box.parts.map(\.id), tags: Set(box.tags.map(\.id)),
      named: Dictionary(uniqueKeysWithValues: box.named.map { ($0.key, $0.value?.id) }),
      slot: box.slot.map(plain), slots: box.slots.map(plain))
  }

  private static func plain(_ slot: Slot) -> RuleModel.Slot {
    RuleModel.Slot(
      number: slot.number, part: slot.part?.id, box: slot.box?.id, owner: slot.owner?.id)
  }

  private mutating func compareQueries(_ realm: Realm) throws {
    let (name, shelf) = (name(), below(4))
    let label = label()
    #expect(
      realm.objects(Box.self).where { $0.name == name && $0.shelf >= shelf }.map(\.id).sorted()
        == model.boxes.filter { $0.value.name == name && $0.value.shelf >= shelf }.keys.sorted(),
      about)
    #expect(
      realm.objects(Box.self).where { $0.label == label && $0.shelf.in([0, shelf]) }
        .map(\.id).sorted()
        == model.boxes.filter { $0.value.label == label && [0, shelf].contains($0.value.shelf) }
        .keys.sorted(), about)
    #expect(
      realm.objects(Box.self).where { $0.label == label && $0.name == name }
        .sorted(by: \.id, ascending: false).map(\.id)
        == model.boxes.filter { $0.value.label == label && $0.value.name == name }
        .keys.sorted(by: >), about)
  }

  // MARK: Changes

  private mutating func name() -> String { ["a", "A", "b", ""][below(4)] }
  private mutating func label() -> String? { [nil, nil, nil, "x", "y", "z", "X", "é"][below(8)] }
  private mutating func boxID() -> Int { below(6) }
  private mutating func partID() -> Int { below(6) }

  private mutating func change(_ realm: Realm) {
    let (id, other, partID) = (boxID(), boxID(), partID())
    let box = realm.object(ofType: Box.self, forPrimaryKey: id)
    let target = realm.object(ofType: Box.self, forPrimaryKey: other)
    let part = realm.object(ofType: Part.self, forPrimaryKey: partID)
    let kind = below(20)
    log.append("  \(kind): box \(id), other \(other), part \(partID)")
    switch kind {
    case 0...2: upsert(realm, id, partID)
    case 3:
      let label = label()
      box?.label = label
      model.boxes[id]?.label = label
    case 4:
      let (name, shelf) = (name(), below(4))
      box?.name = name
      model.boxes[id]?.name = name
      box?.shelf = shelf
      model.boxes[id]?.shelf = shelf
    case 5, 6:
      guard let box else { return }
      box.next = target
      model.boxes[id]?.next = target.map { _ in other }
    case 7:
      let code = "c\(below(30))"
      realm.create(Part.self, value: ["id": partID, "code": code], update: .all)
      model.parts[partID, default: .init()].code = code
    case 8:
      guard let box, let part else { return }
      box.parts.append(part)
      model.boxes[id]?.parts.append(partID)
    case 9:
      guard let box, !box.parts.isEmpty else { return }
      box.parts.remove(at: 0)
      model.boxes[id]?.parts.remove(at: 0)
    case 10:
      guard let box, let part else { return }
      if below(3) > 0 {
        box.tags.insert(part)
        model.boxes[id]?.tags.insert(partID)
      } else {
        box.tags.removeAll()
        model.boxes[id]?.tags = []
      }
    case 11:
      guard let box else { return }
      let key = name()
      box.named[key] = .some(part)
      model.boxes[id]?.named[key] = .some(part.map { _ in partID })
    case 12, 13: setSlot(box, id, target, part)
    case 14:
      guard let box, !box.slots.isEmpty else { return }
      box.slots.remove(at: 0)
      model.setSlots(of: id) { $0.slots.remove(at: 0) }
    default: delete(realm, kind, id, partID, box, part)
    }
  }

  private mutating func upsert(_ realm: Realm, _ id: Int, _ partID: Int) {
    var (new, given) = (model.boxes[id] ?? RuleModel.Box(), ["id": id] as [String: Any])
    if below(2) == 0 {
      new.name = name()
      given["name"] = new.name
    }
    if below(2) == 0 {
      new.shelf = below(4)
      given["shelf"] = new.shelf
    }
    if below(2) == 0 {
      new.label = label()
      given["label"] = new.label.map { $0 as Any } ?? NSNull()
    }
    if below(3) == 0 {
      new.parts = [partID, partID]
      let part = ["id": partID, "code": "p\(partID)"] as [String: Any]
      given["parts"] = [part, part]
      model.parts[partID, default: .init()].code = "p\(partID)"
    }
    realm.create(Box.self, value: given, update: below(2) == 0 ? .modified : .all)
    model.boxes[id] = new
  }

  private mutating func setSlot(_ box: Box?, _ id: Int, _ target: Box?, _ part: Part?) {
    guard let box else { return }
    slotCount += 1
    let new = Slot()
    new.number = slotCount
    var plain = RuleModel.Slot(number: slotCount)
    (new.part, plain.part) = (part, part?.id)
    if below(2) == 0 {
      (new.box, plain.box) = (target, target?.id)
    } else if below(3) == 0 {
      // The owner goes with what it owns.
      (new.owner, plain.owner) = (target, target?.id)
    }
    let place = below(3)
    log.append("    \(plain) to \(["slots", "slot", "nothing"][place])")
    switch place {
    case 0:
      box.slots.append(new)
      model.setSlots(of: id) { $0.slots.append(plain) }
    case 1:
      box.slot = new
      // What the old one takes along goes before the new one has its links.
      let bare = RuleModel.Slot(number: plain.number)
      model.setSlots(of: id) { $0.slot = bare }
      model.setLinks(ofSlotOf: id, plain)
    default:
      box.slot = nil
      model.setSlots(of: id) { $0.slot = nil }
    }
  }

  private mutating func delete(
    _ realm: Realm, _ kind: Int, _ id: Int, _ partID: Int, _ box: Box?, _ part: Part?
  ) {
    switch kind {
    case 15:
      guard let box else { return }
      realm.delete(box)
      model.delete([.box(id)])
    case 16:
      guard let part else { return }
      realm.delete(part)
      model.delete([.part(partID)])
    case 17:
      guard let box else { return }
      let ids = model.boxes[id]?.parts ?? []
      realm.delete(box.parts)
      model.delete(ids.map { .part($0) })
    case 18:
      let shelf = below(4)
      realm.delete(realm.objects(Box.self).where { $0.shelf == shelf })
      model.delete(model.boxes.filter { $0.value.shelf == shelf }.keys.map { .box($0) })
    default:
      guard below(3) == 0 else {
        let code = "s\(below(4))"
        realm.create(Stray.self, value: ["id": id, "code": code], update: .modified)
        model.strays[id] = code
        return
      }
      realm.deleteAll()
      (model.boxes, model.parts, model.strays) = ([:], [:], [:])
      model.denying = []
    }
  }
}
