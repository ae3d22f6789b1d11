import Foundation

@testable import Atoll

class HomeAddress: EmbeddedObject {
  @Persisted var city: String
  @Persisted var street: String
}

class Tenant: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var age: Int
  @Persisted var home: HomeAddress?
  @Persisted var friend: Tenant?
  @Persisted var friends: List<Tenant>
  @Persisted var rivals: MutableSet<Tenant>
  @Persisted(originProperty: "friend") var admirers: LinkingObjects<Tenant>

  var initials: String { String(name.prefix(1)) }
  var shape: String { "round" }

  override class func propertiesMapping() -> [String: String] { ["age": "age_years"] }
}

class NameProjection: Projection<Tenant>, ObjectKeyIdentifiable {
  @Projected(\Tenant.name) var title
}

class TenantProjection: NameProjection {
  @Projected(\Tenant.age) var years: Int
  @Projected(\Tenant.home?.city) var city
  @Projected(\Tenant.friend?.name) var friendName
  @Projected(\Tenant.friends.projectTo.name) var friends: ProjectedCollection<String>
  @Projected(\Tenant.rivals.projectTo.age) var rivalAges: ProjectedCollection<Int>

  /// No property of the projection.
  var note = "x"
}

class LinkProjection: Projection<Tenant> {
  @Projected(\Tenant.friend) var friend
  @Projected(\Tenant.home) var home
  @Projected(\Tenant.admirers) var admirers
  @Projected(\Tenant.initials) var initials

  var street: String? { rootObject.home?.street }
}

class ShapeProjection: Projection<Tenant> {
  @Projected(\Tenant.shape) var shape
}

class CityProjection: Projection<HomeAddress> {
  @Projected(\HomeAddress.city) var city
}

/// Tenants in a realm in memory: Ada with the friends Cem, Bob and Cem, and the rival Bob.
struct TenantRealm {
  let configuration = Realm.Configuration(
    inMemoryIdentifier: UUID().uuidString, objectTypes: [Tenant.self, HomeAddress.self])
  /// Keeps the realm in memory alive.
  let realm: Realm

  init() throws {
    realm = try Realm(configuration: configuration)
    try realm.write {
      for (id, name) in ["Ada", "Bob", "Cem"].enumerated() {
        realm.create(
          Tenant.self,
          value: [
            "id": id, "name": name, "age": 20 + id, "home": ["city": "C\(id)", "street": "s"],
          ])
      }
      let tenants = Array(realm.objects(Tenant.self))
      tenants[0].friend = tenants[1]
      tenants[0].friends.append(objectsIn: [tenants[2], tenants[1], tenants[2]])
      tenants[0].rivals.insert(tenants[1])
    }
  }
}
