import Atoll
import Foundation

enum Size: String, PersistableEnum {
  case small, medium, large
}

enum Level: Int, PersistableEnum {
  case low = 1
  case high = 9
}

/// A type of the application, kept as a string.
struct Code: CustomPersistable, Hashable {
  let text: String

  init(persistedValue: String) { text = persistedValue }
  var persistableValue: String { text }
}

class Keeper: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var name: String
  @Persisted var age = 18
  @Persisted var dogs: List<Hound>
  @Persisted var address: Address?
  @Persisted var friend: Keeper?
}

class Hound: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted(indexed: true) var weight: Int
  @Persisted(originProperty: "dogs") var owners: LinkingObjects<Keeper>
  var nickname = "none"
}

class Address: EmbeddedObject {
  @Persisted var street: String
  @Persisted var city: String?
  @Persisted var rooms: List<Room>
}

class Room: EmbeddedObject {
  @Persisted var name: String
}

/// Without primary key.
class Note: Object {
  @Persisted var text: String
  @Persisted var next: Note?
}

class Everything: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var bool: Bool
  @Persisted var int: Int
  @Persisted var int8: Int8
  @Persisted var int16: Int16
  @Persisted var int32: Int32
  @Persisted var int64: Int64
  @Persisted var float: Float
  @Persisted var double: Double
  @Persisted var string: String
  @Persisted var data: Data
  @Persisted var date: Date
  @Persisted var decimal: Decimal128
  @Persisted var uuid: UUID
  @Persisted var size: Size
  @Persisted var level: Level
  @Persisted var code: Code
  @Persisted var optBool: Bool?
  @Persisted var optInt: Int?
  @Persisted var optInt8: Int8?
  @Persisted var optFloat: Float?
  @Persisted var optDouble: Double?
  @Persisted var optString: String?
  @Persisted var optData: Data?
  @Persisted var optDate: Date?
  @Persisted var optDecimal: Decimal128?
  @Persisted var optUuid: UUID?
  @Persisted var optObjectId: ObjectId?
  @Persisted var optSize: Size?
  @Persisted var optCode: Code?
  @Persisted var ints: List<Int>
  @Persisted var strings: List<String?>
  @Persisted var sizes: List<Size>
}

class Animal: Object {
  @Persisted var legs: Int
}

class Bird: Animal {
  @Persisted var wings: Int
  override class func propertiesMapping() -> [String: String] { ["wings": "wing_count"] }
  override class func _realmObjectName() -> String? { "bird" }
}

/// Opens a realm in memory that no other test sees.
func makeRealm(_ types: [ObjectBase.Type]? = nil, _ name: String = UUID().uuidString) throws
  -> Realm
{
  try Realm(configuration: Realm.Configuration(inMemoryIdentifier: name, objectTypes: types))
}
