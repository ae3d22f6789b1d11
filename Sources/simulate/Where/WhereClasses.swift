internal import Atoll
internal import Foundation

// The classes of `simulate where`: a property of each kind.

/// An enum of strings.
enum WhereKind: String, PersistableEnum {
  case alpha, beta, Alpha
}

/// An enum of integers.
enum WhereLevel: Int, PersistableEnum {
  case low = -1
  case middle = 2
  case high = 7
}

/// A type of the application, kept as a string.
struct WhereCode: CustomPersistable, Hashable {
  let text: String

  init(persistedValue: String) { text = persistedValue }
  init(_ text: String) { self.text = text }
  var persistableValue: String { text }
}

/// An object with links to its like.
class WhereNode: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var bool: Bool
  @Persisted var int: Int
  @Persisted var double: Double
  @Persisted var string: String
  @Persisted(indexed: true) var date: Date
  @Persisted(indexed: true) var kind: WhereKind
  @Persisted var level: WhereLevel
  @Persisted(indexed: true) var code: WhereCode
  @Persisted(indexed: true) var indexed: Int
  @Persisted(indexed: true) var optBool: Bool?
  @Persisted var optInt: Int?
  @Persisted var optFloat: Float?
  @Persisted(indexed: true) var optString: String?
  @Persisted var optDate: Date?
  @Persisted var optDecimal: Decimal128?
  @Persisted var optData: Data?
  @Persisted(indexed: true) var optUUID: UUID?
  @Persisted var optKind: WhereKind?
  @Persisted(indexed: true) var optLevel: WhereLevel?
  @Persisted var optCode: WhereCode?
  @Persisted var any: AnyRealmValue

  @Persisted var ints: List<Int>
  @Persisted var optInts: List<Int?>
  @Persisted var strings: List<String>
  @Persisted var dates: List<Date>
  @Persisted var kinds: List<WhereKind>
  @Persisted var levels: List<WhereLevel?>
  @Persisted var anys: List<AnyRealmValue>
  @Persisted var intSet: MutableSet<Int>
  @Persisted var stringSet: MutableSet<String>
  @Persisted var kindSet: MutableSet<WhereKind>
  @Persisted var intMap: Map<String, Int>
  @Persisted var stringMap: Map<String, String?>
  @Persisted var kindMap: Map<String, WhereKind>
  @Persisted var anyMap: Map<String, AnyRealmValue>

  @Persisted var link: WhereNode?
  @Persisted var list: List<WhereNode>
  @Persisted var set: MutableSet<WhereNode>
  @Persisted var map: Map<String, WhereNode?>
  @Persisted var spot: WhereSpot?
  @Persisted var spots: List<WhereSpot>
  @Persisted(originProperty: "list") var listed: LinkingObjects<WhereNode>
  @Persisted(originProperty: "link") var linked: LinkingObjects<WhereNode>
}

/// An embedded object, also a point.
class WhereSpot: EmbeddedObject {
  @Persisted var type: String
  @Persisted var coordinates: List<Double>
  @Persisted var int: Int
  @Persisted var optString: String?
  @Persisted var ints: List<Int>
  @Persisted var node: WhereNode?
}
