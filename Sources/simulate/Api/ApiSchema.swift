internal import Atoll

/// The classes of `simulate api`.
struct ApiSchema {
  let kinds: [ApiKind]
  private let byName: [String: ApiKind]

  init() {
    kinds = Self.scalars + Self.keyed + Self.collections + Self.small
    byName = Dictionary(uniqueKeysWithValues: kinds.map { ($0.name, $0) })
  }

  subscript(name: String) -> ApiKind {
    guard let kind = byName[name] else { preconditionFailure("there is no class \(name)") }
    return kind
  }

  var tables: [ApiKind] { kinds.filter { !$0.isEmbedded } }

  /// The classes that a file has as soon as one of them is used: with those that links lead to.
  func closure(of name: String) -> Set<String> {
    var closure: Set<String> = []
    var rest = [name]
    while let next = rest.popLast() {
      guard closure.insert(next).inserted else { continue }
      rest += self[next].fields.compactMap(\.target)
    }
    return closure
  }

  private static var scalars: [ApiKind] {
    [
      ApiKind(
        ApiScalars.self,
        [
          .one("flag", \ApiScalars.flag), .one("int", \ApiScalars.int, .int(0)),
          .one("int8", \ApiScalars.int8), .one("int16", \ApiScalars.int16),
          .one("int32", \ApiScalars.int32), .one("int64", \ApiScalars.int64),
          .one("float", \ApiScalars.float), .one("double", \ApiScalars.double),
          .one("string", \ApiScalars.string), .one("data", \ApiScalars.data),
          .one("date", \ApiScalars.date), .one("decimal", \ApiScalars.decimal),
          .one("objectId", \ApiScalars.objectId), .one("uuid", \ApiScalars.uuid),
          .one("color", \ApiScalars.color), .one("level", \ApiScalars.level),
        ]),
      ApiKind(
        ApiOptionals.self,
        [
          .one("flag", \ApiOptionals.flag), .one("int", \ApiOptionals.int),
          .one("int8", \ApiOptionals.int8), .one("int64", \ApiOptionals.int64),
          .one("float", \ApiOptionals.float), .one("double", \ApiOptionals.double),
          .one("string", \ApiOptionals.string), .one("data", \ApiOptionals.data),
          .one("date", \ApiOptionals.date), .one("decimal", \ApiOptionals.decimal),
          .one("objectId", \ApiOptionals.objectId), .one("uuid", \ApiOptionals.uuid),
          .one("color", \ApiOptionals.color), .one("level", \ApiOptionals.level),
        ]),
    ]
  }

  private static var keyed: [ApiKind] {
    [
      ApiKind(
        ApiIntKeyed.self,
        [
          .one("key", \ApiIntKeyed.key, isKey: true), .one("text", \ApiIntKeyed.text),
          .one("next", \ApiIntKeyed.next), .list("values", \ApiIntKeyed.values),
        ]),
      ApiKind(
        ApiStringKeyed.self,
        [
          .one("key", \ApiStringKeyed.key, isKey: true), .one("amount", \ApiStringKeyed.amount),
          .one("part", \ApiStringKeyed.part), .set("tags", \ApiStringKeyed.tags),
        ]),
      ApiKind(
        ApiUUIDKeyed.self,
        [
          .one("key", \ApiUUIDKeyed.key, isKey: true), .one("amount", \ApiUUIDKeyed.amount),
          .list("friends", \ApiUUIDKeyed.friends),
        ]),
    ]
  }

  private static var collections: [ApiKind] {
    [
      ApiKind(
        ApiNode.self,
        [
          .one("text", \ApiNode.text), .one("next", \ApiNode.next),
          .one("keyed", \ApiNode.keyed), .list("list", \ApiNode.list),
          .set("members", \ApiNode.members), .map("named", \ApiNode.named),
        ]),
      ApiKind(
        ApiBag.self,
        [
          .list("ints", \ApiBag.ints), .list("strings", \ApiBag.strings),
          .list("dates", \ApiBag.dates), .set("intSet", \ApiBag.intSet),
          .set("stringSet", \ApiBag.stringSet), .list("colors", \ApiBag.colors),
          .map("counts", \ApiBag.counts), .map("texts", \ApiBag.texts),
        ]),
      ApiKind(
        ApiOwner.self,
        [
          .one("text", \ApiOwner.text), .one("part", \ApiOwner.part),
          .list("parts", \ApiOwner.parts), .map("named", \ApiOwner.named),
        ]),
      ApiKind(
        embedded: ApiPart.self,
        [
          .one("label", \ApiPart.label), .one("detail", \ApiPart.detail),
          .list("details", \ApiPart.details),
        ]),
      ApiKind(
        embedded: ApiDetail.self,
        [.one("label", \ApiDetail.label), .list("tags", \ApiDetail.tags)]),
      ApiKind(
        ApiMixedBox.self,
        [
          .one("value", \ApiMixedBox.value), .list("values", \ApiMixedBox.values),
          .map("named", \ApiMixedBox.named),
        ]),
    ]
  }

  private static var small: [ApiKind] {
    [
      ApiKind(
        ApiPaint.self,
        [
          .kind("color", \ApiPaint.color, .string("green")) { $0.color == $1 },
          .kind("plain", \ApiPaint.plain, .string("red")) { $0.plain == $1 },
          .kind("level", \ApiPaint.level, .int(20)) { $0.level == $1 },
          .kind("optional", \ApiPaint.optional, .null) { $0.optional == $1 },
        ]),
      ApiKind(ApiSmallA.self, [.one("text", \ApiSmallA.text)]),
      ApiKind(
        ApiSmallB.self,
        [.one("key", \ApiSmallB.key, isKey: true), .list("list", \ApiSmallB.list)]),
      ApiKind(
        ApiSmallC.self,
        [.one("amount", \ApiSmallC.amount), .one("other", \ApiSmallC.other)]),
    ]
  }
}
