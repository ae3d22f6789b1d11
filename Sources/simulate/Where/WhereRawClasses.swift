internal import Atoll
internal import Foundation

// The same classes in a newer program, whose enums have more cases: with their raw values.

class WhereRawNode: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var bool: Bool
  @Persisted var int: Int
  @Persisted var double: Double
  @Persisted var string: String
  @Persisted(indexed: true) var date: Date
  @Persisted(indexed: true) var kind: String
  @Persisted var level: Int
  @Persisted(indexed: true) var code: String
  @Persisted(indexed: true) var indexed: Int
  @Persisted(indexed: true) var optBool: Bool?
  @Persisted var optInt: Int?
  @Persisted var optFloat: Float?
  @Persisted(indexed: true) var optString: String?
  @Persisted var optDate: Date?
  @Persisted var optDecimal: Decimal128?
  @Persisted var optData: Data?
  @Persisted(indexed: true) var optUUID: UUID?
  @Persisted var optKind: String?
  @Persisted(indexed: true) var optLevel: Int?
  @Persisted var optCode: String?
  @Persisted var any: AnyRealmValue

  @Persisted var ints: List<Int>
  @Persisted var optInts: List<Int?>
  @Persisted var strings: List<String>
  @Persisted var dates: List<Date>
  @Persisted var kinds: List<String>
  @Persisted var levels: List<Int?>
  @Persisted var anys: List<AnyRealmValue>
  @Persisted var intSet: MutableSet<Int>
  @Persisted var stringSet: MutableSet<String>
  @Persisted var kindSet: MutableSet<String>
  @Persisted var intMap: Map<String, Int>
  @Persisted var stringMap: Map<String, String?>
  @Persisted var kindMap: Map<String, String>
  @Persisted var anyMap: Map<String, AnyRealmValue>

  @Persisted var link: WhereRawNode?
  @Persisted var list: List<WhereRawNode>
  @Persisted var set: MutableSet<WhereRawNode>
  @Persisted var map: Map<String, WhereRawNode?>
  @Persisted var spot: WhereRawSpot?
  @Persisted var spots: List<WhereRawSpot>
  @Persisted(originProperty: "list") var listed: LinkingObjects<WhereRawNode>
  @Persisted(originProperty: "link") var linked: LinkingObjects<WhereRawNode>

  override class func _realmObjectName() -> String? { "WhereNode" }
}

class WhereRawSpot: EmbeddedObject {
  @Persisted var type: String
  @Persisted var coordinates: List<Double>
  @Persisted var int: Int
  @Persisted var optString: String?
  @Persisted var ints: List<Int>
  @Persisted var node: WhereRawNode?

  override class func _realmObjectName() -> String? { "WhereSpot" }
}
