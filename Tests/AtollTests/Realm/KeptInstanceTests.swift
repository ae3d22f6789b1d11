import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// Instances that are read again and again while all that may change what they read happens: they
/// are compared with a plain model after each step.
@Suite(.computing) struct KeptInstanceTests {
  @Test(arguments: 0..<60) func everyReadIsOfTheCurrentVersion(seed: UInt64) throws {
    var program = try Program(SplitMix64(seed: seed))
    for _ in 0..<60 { try program.step() }
  }

  /// What an object of the model holds.
  private struct Held: Equatable {
    var number: Int
    var small: Int8
    var text: String
    var ratio: Double
    var isOn: Bool
    var note: String?
    var tags: [String]

    init(_ number: Int) {
      self.number = number
      small = Int8(truncatingIfNeeded: number)
      text = number % 3 == 0 ? "" : "text \(number) of some length"
      ratio = Double(number) / 4
      isOn = number % 2 == 0
      note = number % 5 == 0 ? nil : "note \(number)"
      tags = (0..<number % 4).map { "tag \($0)" }
    }

    init(_ object: KeptObject) {
      self.init(0)
      number = object.number
      small = object.small
      text = object.text
      ratio = object.ratio
      isOn = object.isOn
      note = object.note
      tags = Array(object.tags)
    }

    func give(to object: KeptObject) {
      object.number = number
      object.small = small
      object.text = text
      object.ratio = ratio
      object.isOn = isOn
      object.note = note
      object.tags.removeAll()
      object.tags.append(objectsIn: tags)
    }
  }

  private struct Kept {
    let id: Int
    let instance: KeptObject
    /// Whether it was read in a version, so that it never changes.
    var frozen: Held?
    /// Whether it is gone for good: it was made in a write that was cancelled, or its realm was
    /// invalidated.
    var isGone = false
  }

  private struct Program {
    private var random: SplitMix64
    private let configuration: Realm.Configuration
    private let realm: Realm
    private let queue = DispatchQueue(label: "kept instances")
    /// What the realm shows, and what the file holds.
    private var shown: [Int: Held] = [:]
    private var stored: [Int: Held] = [:]
    private var kept: [Kept] = []
    private var nextID = 0

    init(_ random: SplitMix64) throws {
      self.random = random
      configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
      realm = try Realm(configuration: configuration)
      // It moves only where the program says so.
      realm.autorefresh = false
    }

    private mutating func number(_ range: Range<Int>) -> Int {
      Int.random(in: range, using: &random)
    }

    mutating func step() throws {
      switch number(0..<10) {
      case 0, 1, 2: try write()
      case 3, 4: try writeElsewhere()
      case 5:
        realm.refresh()
        shown = stored
      case 6: keep()
      case 7: freeze()
      case 8 where number(0..<6) == 0:
        realm.invalidate()
        for index in kept.indices where kept[index].frozen == nil { kept[index].isGone = true }
        shown = stored
        // The first use takes the newest version.
        _ = realm.objects(KeptObject.self).count
      default: break
      }
      check()
    }

    /// A write with reads between its changes, which is committed or cancelled.
    private mutating func write() throws {
      realm.beginWrite()
      shown = stored
      check()
      let (before, first) = (shown, nextID)
      for _ in 0..<number(1..<5) {
        var held = shown
        change(realm, &held)
        shown = held
        if number(0..<2) == 0 { keep() }
        check()
      }
      if number(0..<3) == 0 {
        realm.cancelWrite()
        shown = before
        for index in kept.indices where kept[index].id >= first && kept[index].frozen == nil {
          kept[index].isGone = true
        }
      } else {
        try realm.commitWrite()
        stored = shown
      }
    }

    private mutating func writeElsewhere() throws {
      var (held, copy) = (stored, self)
      try queue.sync {
        let other = try Realm(configuration: configuration, queue: queue)
        try other.write { for _ in 0..<3 { copy.change(other, &held) } }
      }
      (random, nextID, stored) = (copy.random, copy.nextID, held)
    }

    /// One change of an open write, of an object or of one that is new.
    private mutating func change(_ realm: Realm, _ held: inout [Int: Held]) {
      let ids = held.keys.sorted()
      let choice = number(0..<6)
      guard choice > 1, let id = ids.randomElement(using: &random),
        let object = realm.object(ofType: KeptObject.self, forPrimaryKey: id)
      else {
        let (id, value) = (nextID, Held(number(0..<1_000)))
        nextID += 1
        held[id] = value
        let object = KeptObject()
        object.id = id
        value.give(to: object)
        realm.add(object)
        // In the realm of the program the instance that was added is kept, too.
        if realm == self.realm { kept.append(Kept(id: id, instance: object)) }
        return
      }
      if choice == 2 {
        held[id] = nil
        realm.delete(object)
      } else {
        let value = Held(number(0..<1_000))
        held[id] = value
        value.give(to: object)
      }
    }

    private mutating func keep() {
      guard let id = shown.keys.sorted().randomElement(using: &random),
        let object = realm.object(ofType: KeptObject.self, forPrimaryKey: id)
      else { return }
      kept.append(Kept(id: id, instance: object))
    }

    private mutating func freeze() {
      let alive = kept.indices.filter { !kept[$0].isGone && shown[kept[$0].id] != nil }
      guard let index = alive.randomElement(using: &random), kept[index].frozen == nil else {
        return
      }
      kept.append(
        Kept(
          id: kept[index].id, instance: kept[index].instance.freeze(),
          frozen: shown[kept[index].id]))
    }

    private func check() {
      for kept in kept {
        if let frozen = kept.frozen {
          #expect(Held(kept.instance) == frozen)
        } else if kept.isGone || shown[kept.id] == nil {
          #expect(kept.instance.isInvalidated)
        } else {
          #expect(Held(kept.instance) == shown[kept.id])
        }
      }
    }
  }

  @Test func aReadOnAnotherThreadEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      let realm = try Realm(
        configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString))
      let object = KeptObject()
      try realm.write { realm.add(object) }
      // What was found out by these reads is not asked on another thread.
      guard object.number == 0, object.number == 0 else { return }
      let carried = CarriedObject(object: object)
      try onAnotherThread { exit(carried.object.number == 0 ? 0 : 2) }
    }
  }
}

// SAFETY: it is carried to another thread so that the use there ends the process.
private struct CarriedObject: @unchecked Sendable {
  let object: KeptObject
}

final class KeptObject: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var number: Int
  @Persisted var small: Int8
  @Persisted var text: String
  @Persisted var ratio: Double
  @Persisted var isOn: Bool
  @Persisted var note: String?
  @Persisted var tags: List<String>
}
