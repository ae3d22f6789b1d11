internal import Atoll
internal import Foundation

// The classes of `simulate api`. `number` is how the model knows an object; it is never changed.

/// Values of all types.
final class ApiScalars: Object, ApiObject {
  @Persisted var number = 0
  @Persisted var flag = false
  @Persisted(indexed: true) var int = 0
  @Persisted var int8: Int8 = 0
  @Persisted var int16: Int16 = 0
  @Persisted var int32: Int32 = 0
  @Persisted var int64: Int64 = 0
  @Persisted var float: Float = 0
  @Persisted var double = 0.0
  @Persisted(indexed: true) var string = ""
  @Persisted var data = Data()
  @Persisted(indexed: true) var date = Date(timeIntervalSince1970: 0)
  @Persisted var decimal: Decimal128 = 0
  @Persisted var objectId = ObjectId("000000000000000000000000")
  @Persisted(indexed: true) var uuid = ApiScalars.noUUID
  @Persisted var color = ApiColor.red
  @Persisted(indexed: true) var level = ApiLevel.low

  static let noUUID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}

/// The same as optionals.
final class ApiOptionals: Object, ApiObject {
  @Persisted var number = 0
  @Persisted var flag: Bool?
  @Persisted(indexed: true) var int: Int?
  @Persisted var int8: Int8?
  @Persisted var int64: Int64?
  @Persisted var float: Float?
  @Persisted var double: Double?
  @Persisted(indexed: true) var string: String?
  @Persisted var data: Data?
  @Persisted var date: Date?
  @Persisted var decimal: Decimal128?
  @Persisted(indexed: true) var objectId: ObjectId?
  @Persisted var uuid: UUID?
  @Persisted var color: ApiColor?
  @Persisted var level: ApiLevel?
}

final class ApiIntKeyed: Object, ApiObject {
  @Persisted(primaryKey: true) var key = 0
  @Persisted var number = 0
  @Persisted var text = ""
  @Persisted var next: ApiIntKeyed?
  @Persisted var values: List<Int>
}

final class ApiStringKeyed: Object, ApiObject {
  @Persisted(primaryKey: true) var key: String?
  @Persisted var number = 0
  @Persisted(indexed: true) var amount = 0
  @Persisted var part: ApiPart?
  @Persisted var tags: MutableSet<String>
}

final class ApiUUIDKeyed: Object, ApiObject {
  @Persisted(primaryKey: true) var key = ApiScalars.noUUID
  @Persisted var number = 0
  @Persisted var amount: Double?
  @Persisted var friends: List<ApiUUIDKeyed>
}

final class ApiNode: Object, ApiObject {
  @Persisted var number = 0
  @Persisted var text = ""
  @Persisted var next: ApiNode?
  @Persisted var keyed: ApiIntKeyed?
  @Persisted var list: List<ApiNode>
  @Persisted var members: MutableSet<ApiNode>
  @Persisted var named: Map<String, ApiNode?>
  @Persisted(originProperty: "next") var previous: LinkingObjects<ApiNode>
  @Persisted(originProperty: "list") var lists: LinkingObjects<ApiNode>
}

final class ApiBag: Object, ApiObject {
  @Persisted var number = 0
  @Persisted var ints: List<Int>
  @Persisted var strings: List<String?>
  @Persisted var dates: List<Date>
  @Persisted var intSet: MutableSet<Int>
  @Persisted var stringSet: MutableSet<String>
  @Persisted var colors: List<ApiColor>
  @Persisted var counts: Map<String, Int>
  @Persisted var texts: Map<String, String?>
}

final class ApiOwner: Object, ApiObject {
  @Persisted var number = 0
  @Persisted var text = ""
  @Persisted var part: ApiPart?
  @Persisted var parts: List<ApiPart>
  @Persisted var named: Map<String, ApiPart?>
}

final class ApiPart: EmbeddedObject, ApiObject {
  @Persisted var number = 0
  @Persisted var label = ""
  @Persisted var detail: ApiDetail?
  @Persisted var details: List<ApiDetail>
}

final class ApiDetail: EmbeddedObject, ApiObject {
  @Persisted var number = 0
  @Persisted var label: String?
  @Persisted var tags: List<String>
}

final class ApiMixedBox: Object, ApiObject {
  @Persisted var number = 0
  @Persisted var value: AnyRealmValue
  @Persisted var values: List<AnyRealmValue>
  @Persisted var named: Map<String, AnyRealmValue>
}

/// Enums, of which a newer program knows more raw values than this one.
final class ApiPaint: Object, ApiObject {
  @Persisted var number = 0
  @Persisted var color = ApiColor.green
  @Persisted var plain: ApiColor
  @Persisted(indexed: true) var level = ApiLevel.high
  @Persisted var optional: ApiColor?
}

/// The same class as the newer program has it.
final class ApiNewPaint: Object {
  @Persisted var number = 0
  @Persisted var color = ""
  @Persisted var plain = ""
  @Persisted(indexed: true) var level = 0
  @Persisted var optional: String?

  override class func _realmObjectName() -> String? { "ApiPaint" }
}

/// Small classes that nothing links to, first used at some time.
final class ApiSmallA: Object, ApiObject {
  @Persisted var number = 0
  @Persisted var text = ""
}

final class ApiSmallB: Object, ApiObject {
  @Persisted(primaryKey: true) var key = ""
  @Persisted var number = 0
  @Persisted var list: List<Int>
}

final class ApiSmallC: Object, ApiObject {
  @Persisted var number = 0
  @Persisted(indexed: true) var amount = 0
  @Persisted var other: ApiSmallC?
}
