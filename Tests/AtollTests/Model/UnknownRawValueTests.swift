import Atoll
import Foundation
import TestSupport
import TestThreads
import Testing

/// As a newer program has it.
private enum NewKind: String, PersistableEnum {
  case screen, camera, hologram, abacus
}

private enum Kind: String, PersistableEnum {
  case screen, camera
}

private enum NewRank: Int, PersistableEnum {
  case zero, one, two, three
}

private enum Rank: Int, PersistableEnum {
  case one = 1
  case two = 2
}

private class NewDevice: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var kind: NewKind
  @Persisted(indexed: true) var second: NewKind
  @Persisted var rank: NewRank
  @Persisted(indexed: true) var optional: NewRank?
  @Persisted var optionalKind: NewKind?
  @Persisted var kinds: List<NewKind>
  @Persisted var ranks: List<NewRank?>
  @Persisted var kindSet: MutableSet<NewKind>
  @Persisted var kindMap: Map<String, NewKind>
  @Persisted var others: List<NewDevice>
  @Persisted var next: NewDevice?
  override class func _realmObjectName() -> String? { "Device" }
}

private class Device: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var kind: Kind
  @Persisted(indexed: true) var second = Kind.camera
  @Persisted var rank = Rank.two
  @Persisted(indexed: true) var optional: Rank?
  @Persisted var optionalKind: Kind?
  @Persisted var kinds: List<Kind>
  @Persisted var ranks: List<Rank?>
  @Persisted var kindSet: MutableSet<Kind>
  @Persisted var kindMap: Map<String, Kind>
  @Persisted var others: List<Device>
  @Persisted var next: Device?
  override class func _realmObjectName() -> String? { "Device" }
}

private class FirstTool: Object {
  @Persisted(primaryKey: true) var _id: Int
  override class func _realmObjectName() -> String? { "Tool" }
}

private class Tool: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var kind = Kind.camera
  @Persisted(indexed: true) var rank = Rank.two
  @Persisted var plain: Kind
  @Persisted var optional: Kind? = .camera
  @Persisted var open: Kind?
  @Persisted var number = 7
  @Persisted(indexed: .fullText) var text = "two words"
  @Persisted var identity = UUID()
  @Persisted var zero: Int
  override class func _realmObjectName() -> String? { "Tool" }
}

/// A raw value that no case of an enum has: a newer program wrote it.
@Suite(.computing) struct UnknownRawValueTests {
  private let folder = TemporaryFolder()

  private func open(_ types: [ObjectBase.Type]) throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        fileURL: URL(filePath: folder.path(of: "a.realm")), objectTypes: types))
  }

  /// Objects with every raw value in every place.
  private func fill() throws {
    let realm = try open([NewDevice.self])
    try realm.write {
      var last: NewDevice?
      for number in 0..<60 {
        let kinds = NewKind.allCases
        let ranks = NewRank.allCases
        let device = NewDevice()
        device._id = number
        device.kind = kinds[number % 4]
        device.second = kinds[number / 4 % 4]
        device.rank = ranks[number % 4]
        device.optional = number % 5 == 0 ? nil : ranks[number % 5 - 1]
        device.optionalKind = number % 5 == 0 ? nil : kinds[number % 5 - 1]
        for bit in 0..<4 where number >> bit & 1 == 1 {
          device.kinds.append(kinds[bit])
          device.ranks.append(ranks[bit])
          device.kindSet.insert(kinds[bit])
          device.kindMap["k\(bit)"] = kinds[bit]
        }
        if number % 7 == 0 { device.ranks.append(nil) }
        if let last, number % 3 > 0 { device.next = last }
        if let last, number % 4 > 0 { device.others.append(last) }
        device.others.append(device)
        realm.add(device)
        last = device
      }
    }
  }

  private func check(
    _ devices: Results<Device>, _ what: String, _ query: (Query<Device>) -> Query<Bool>,
    _ isRight: (Device) -> Bool
  ) {
    let found = Set(devices.where(query).map { $0._id })
    let right = Set(Array(devices).filter(isRight).map { $0._id })
    #expect(found == right, "\(what): \(found.count) and \(right.count)")
    // The condition and its opposite share the objects out.
    let not = Set(devices.where { !query($0) }.map { $0._id })
    #expect(not.count == devices.count - right.count && not.isDisjoint(with: right), "not \(what)")
  }

  @Test func readsAsTheDefaultOrAsNil() throws {
    try fill()
    let realm = try open([Device.self])
    let device = try #require(realm.object(ofType: Device.self, forPrimaryKey: 11))
    // 11 is hologram in `kind`, hologram in `second`, two in `rank`.
    #expect(device.kind == .screen && device.second == .camera && device.rank == .two)
    let unknown = try #require(realm.object(ofType: Device.self, forPrimaryKey: 4))
    #expect(unknown.rank == .two && unknown.optional == nil && unknown.optionalKind == nil)
    #expect(unknown.value(forKey: "second") as? String == "camera")
    #expect(unknown.freeze().rank == .two)
    #expect(device.ranks.contains(nil) && device.ranks.first == .some(nil))
  }

  @Test func queryAndReadAgreeOnProperties() throws {
    try fill()
    let devices = try open([Device.self]).objects(Device.self)
    for kind in Kind.allCases {
      check(devices, "kind == \(kind)", { $0.kind == kind }) { $0.kind == kind }
      check(devices, "kind != \(kind)", { $0.kind != kind }) { $0.kind != kind }
      check(devices, "second == \(kind)", { $0.second == kind }) { $0.second == kind }
      check(devices, "second != \(kind)", { $0.second != kind }) { $0.second != kind }
      check(devices, "second in", { $0.second.in([kind]) }) { [kind].contains($0.second) }
      check(devices, "optional kind", { $0.optionalKind == kind }) { $0.optionalKind == kind }
      check(devices, "optional kind", { $0.optionalKind != kind }) { $0.optionalKind != kind }
      check(devices, "next.kind", { $0.next.kind == kind }) { $0.next?.kind == kind }
      check(devices, "next.kind !=", { $0.next.kind != kind }) { $0.next?.kind != kind }
      check(devices, "next.second", { $0.next.second == kind }) { $0.next?.second == kind }
      check(devices, "next.second !=", { $0.next.second != kind }) { $0.next?.second != kind }
      check(devices, "kind <", { $0.kind < kind }) { $0.kind < kind }
      check(devices, "second >=", { $0.second >= kind }) { $0.second >= kind }
      check(devices, "second range", { $0.second.contains(Kind.camera...kind) }) {
        $0.second >= .camera && $0.second <= kind
      }
    }
    for rank in Rank.allCases {
      check(devices, "rank == \(rank)", { $0.rank == rank }) { $0.rank == rank }
      check(devices, "rank != \(rank)", { $0.rank != rank }) { $0.rank != rank }
      check(devices, "optional == \(rank)", { $0.optional == rank }) { $0.optional == rank }
      check(devices, "optional != \(rank)", { $0.optional != rank }) { $0.optional != rank }
      check(devices, "rank > \(rank)", { $0.rank > rank }) { $0.rank > rank }
      check(devices, "rank <= \(rank)", { $0.rank <= rank }) { $0.rank <= rank }
      check(devices, "optional in", { $0.optional.in([rank, nil]) }) {
        [rank, nil].contains($0.optional)
      }
      check(devices, "optional to \(rank)", { $0.optional.contains(Rank.one...rank) }) {
        $0.optional.map { (.one...rank).contains($0) } ?? false
      }
      check(devices, "next to \(rank)", { $0.next.optional.contains(Rank.one..<rank) }) {
        $0.next?.optional.map { (.one..<rank).contains($0) } ?? false
      }
    }
    check(devices, "optional == nil", { $0.optional == nil }) { $0.optional == nil }
    check(devices, "optional != nil", { $0.optional != nil }) { $0.optional != nil }
    check(devices, "in all", { $0.kind.in(Kind.allCases) }) { _ in true }
    check(devices, "in none", { $0.kind.in([]) }) { _ in false }
  }

  @Test func queryAndReadAgreeOnCollections() throws {
    try fill()
    let devices = try open([Device.self]).objects(Device.self)
    for kind in Kind.allCases {
      check(devices, "kinds has \(kind)", { $0.kinds.contains(kind) }) { $0.kinds.contains(kind) }
      check(devices, "kinds == \(kind)", { $0.kinds == kind }) { $0.kinds.contains(kind) }
      check(devices, "kinds != \(kind)", { $0.kinds != kind }) {
        $0.kinds.contains { $0 != kind }
      }
      check(devices, "kinds any of \(kind)", { $0.kinds.containsAny(in: [kind]) }) {
        $0.kinds.contains(kind)
      }
      check(devices, "set has \(kind)", { $0.kindSet.contains(kind) }) {
        $0.kindSet.contains(kind)
      }
      check(devices, "map has \(kind)", { $0.kindMap.contains(kind) }) {
        $0.kindMap.values.contains(kind)
      }
      check(devices, "map values \(kind)", { $0.kindMap.values == kind }) {
        $0.kindMap.values.contains(kind)
      }
      check(devices, "others \(kind)", { $0.others.kind == kind }) {
        $0.others.contains { $0.kind == kind }
      }
      check(devices, "others \(kind)", { $0.others.second == kind }) {
        $0.others.contains { $0.second == kind }
      }
      check(devices, "others != \(kind)", { $0.others.second != kind }) {
        $0.others.contains { $0.second != kind }
      }
    }
    for kind in Kind.allCases {
      check(devices, "others' kinds == \(kind)", { $0.others.kinds == kind }) {
        $0.others.contains { $0.kinds.contains(kind) }
      }
      check(devices, "others' kinds != \(kind)", { $0.others.kinds != kind }) {
        $0.others.contains { $0.kinds.contains { $0 != kind } }
      }
      check(devices, "others in \(kind)", { $0.others.kind.in([kind]) }) {
        $0.others.contains { $0.kind == kind }
      }
      check(devices, "others' range", { $0.others.kind.contains(Kind.camera...kind) }) {
        $0.others.contains { $0.kind >= .camera && $0.kind <= kind }
      }
      let range = kind...Kind.screen
      check(devices, "all kinds from \(kind)", { $0.kinds.contains(range) }) {
        !$0.kinds.isEmpty && $0.kinds.allSatisfy { range.contains($0) }
      }
      check(devices, "all in the map from \(kind)", { $0.kindMap.contains(range) }) {
        $0.kindMap.count > 0 && $0.kindMap.values.allSatisfy { range.contains($0) }
      }
      check(devices, "others with all kinds from \(kind)", { $0.others.kinds.contains(range) }) {
        $0.others.contains { !$0.kinds.isEmpty && $0.kinds.allSatisfy { range.contains($0) } }
      }
      check(devices, "map > \(kind)", { $0.kindMap > kind }) {
        $0.kindMap.values.contains { $0 > kind }
      }
      check(devices, "others counted", { ($0.others.second != kind).count > 1 }) {
        $0.others.count { $0.second != kind } > 1
      }
    }
    check(devices, "a nil rank", { $0.ranks.contains(nil) }) { $0.ranks.contains(nil) }
    check(devices, "rank one", { $0.ranks.contains(.one) }) { $0.ranks.contains(.one) }
    for device in devices {
      #expect(device.kinds.index(of: .screen) == Array(device.kinds).firstIndex(of: .screen))
      #expect(device.kinds.index(of: .camera) == Array(device.kinds).firstIndex(of: .camera))
      #expect(device.ranks.index(of: nil) == Array(device.ranks).firstIndex(of: nil))
      for kind in Kind.allCases {
        #expect(device.kindSet.contains(kind) == Array(device.kindSet).contains(kind))
      }
    }
  }

  @Test func whatIsRemovedFromASetIsNotReadInItAnyMore() throws {
    try fill()
    let realm = try open([Device.self])
    let device = try #require(realm.object(ofType: Device.self, forPrimaryKey: 15))
    #expect(device.kindSet.count == 4)
    try realm.write { device.kindSet.remove(.screen) }
    #expect(Array(device.kindSet) == [.camera])
  }

  @Test func objectsGetTheDefaultOfAnAddedProperty() throws {
    do {
      let realm = try open([FirstTool.self])
      try realm.write {
        for number in 0..<3000 { realm.create(FirstTool.self, value: [number]) }
      }
    }
    let realm = try open([Tool.self])
    let tools = realm.objects(Tool.self)
    #expect(tools.allSatisfy { $0.kind == .camera && $0.rank == .two && $0.plain == .screen })
    #expect(tools.allSatisfy { $0.optional == .camera && $0.open == nil && $0.number == 7 })
    #expect(tools.where { $0.kind == .camera }.count == 3000)
    // What is stored is what is read.
    for text in [
      "kind == 'camera'", "rank == 2", "plain == 'screen'", "optional == 'camera'", "open == nil",
      "number == 7", "text TEXT 'words'", "zero == 0",
    ] { #expect(tools.filter(text).count == 3000, "\(text)") }
    #expect(Set(tools.map { $0.identity }).count == 3000)
    try realm.write { realm.create(Tool.self, value: ["_id": 3001]) }
    #expect(tools.where { $0.rank == .two }.count == 3001)
  }
}
