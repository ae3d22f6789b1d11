internal import Atoll
internal import Foundation
internal import TestSupport

/// The kinds that a newer program knows.
private enum NewKind: String, PersistableEnum {
  case a, b, c, d
}

/// The kinds that this program knows.
private enum KnownKind: String, PersistableEnum {
  case b, c
}

private class NewKinds: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted(indexed: true) var kind: NewKind
  @Persisted var plain: NewKind
  @Persisted var optional: NewKind?
  @Persisted var list: List<NewKind>
  @Persisted var next: NewKinds?
  override class func _realmObjectName() -> String? { "Kinds" }
}

private class Kinds: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted(indexed: true) var kind = KnownKind.c
  @Persisted var plain: KnownKind
  @Persisted var optional: KnownKind?
  @Persisted var list: List<KnownKind>
  @Persisted var next: Kinds?
  override class func _realmObjectName() -> String? { "Kinds" }
}

/// Raw values that a newer program wrote: conditions find what is read.
struct KindTrial {
  private var random: RandomGraph
  private let folder = TemporaryFolder()

  init(number: UInt64) { random = RandomGraph(seed: ~number) }

  private func open(_ type: ObjectBase.Type) throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        fileURL: URL(filePath: folder.path(of: "kinds.realm")), objectTypes: [type]))
  }

  mutating func run() throws {
    do {
      let realm = try open(NewKinds.self)
      try realm.write {
        var last: NewKinds?
        for number in 0..<1 + random.pick(8) {
          let all = NewKind.allCases
          let object = realm.create(NewKinds.self, value: ["_id": number])
          object.kind = all[random.pick(4)]
          object.plain = all[random.pick(4)]
          object.optional = random.chance(30) ? nil : all[random.pick(4)]
          for _ in 0..<random.pick(3) { object.list.append(all[random.pick(4)]) }
          if random.chance(50) { object.next = last }
          last = object
        }
      }
    }
    let all = try open(Kinds.self).objects(Kinds.self)
    for kind in KnownKind.allCases {
      try check(all, "kind == \(kind)", { $0.kind == kind }, { $0.kind == kind })
      try check(all, "plain == \(kind)", { $0.plain == kind }, { $0.plain == kind })
      try check(all, "optional == \(kind)", { $0.optional == kind }, { $0.optional == kind })
      try check(all, "optional != \(kind)", { $0.optional != kind }, { $0.optional != kind })
      try check(all, "kind > \(kind)", { $0.kind > kind }, { $0.kind > kind })
      try check(all, "next", { $0.next.kind == kind }, { $0.next?.kind == kind })
      try check(all, "next !=", { $0.next.plain != kind }, { $0.next?.plain != kind })
      try check(all, "in", { $0.kind.in([kind]) }, { [kind].contains($0.kind) })
      try check(all, "list", { $0.list.contains(kind) }, { $0.list.contains(kind) })
      try check(
        all, "list !=", { $0.list != kind }, { $0.list.contains(where: { $0 != kind }) })
    }
    try check(all, "optional == nil", { $0.optional == nil }, { $0.optional == nil })
  }

  private func check(
    _ all: Results<Kinds>, _ what: String, _ query: (Query<Kinds>) -> Query<Bool>,
    _ isRight: (Kinds) -> Bool
  ) throws {
    let found = Set(all.where(query).map { $0._id })
    let right = Set(Array(all).filter(isRight).map { $0._id })
    guard found == right else {
      throw CaseViolation("\(what) finds \(found.sorted()), not \(right.sorted())")
    }
  }
}
