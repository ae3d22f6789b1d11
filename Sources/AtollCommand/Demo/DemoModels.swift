#if Sync
import Atoll
import Foundation

/// A continent of the demo's data.
class Continent: Object {
  @Persisted(primaryKey: true) var code: String
  @Persisted var name: String
  @Persisted var population: Int
}

/// A country of the demo's data.
class Country: Object {
  @Persisted(primaryKey: true) var iso: String
  @Persisted var name: String
  @Persisted var capital: String?
  @Persisted var population: Int
  @Persisted var continentCode: String
  @Persisted(originProperty: "country") var cities: LinkingObjects<City>
}

/// A city of the demo's data, with what the two people of the demo write of it.
class City: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted(indexed: true) var countryCode: String
  @Persisted var population: Int
  @Persisted var country: Country?
  @Persisted var note: String?
  @Persisted var visitors: List<String>
}

/// A row of the demo's data, of any of its three classes.
struct DemoRow: Decodable, Sendable {
  var id: Int?
  var code: String?
  var iso: String?
  var name: String
  var country: String?
  var continent: String?
  var capital: String?
  var population: Int

  static func rows(_ lines: String) throws -> [DemoRow] {
    try lines.split(separator: "\n").map {
      try JSONDecoder().decode(DemoRow.self, from: Data($0.utf8))
    }
  }
}

extension DemoRow {
  /// An object of the class, not yet in a realm.
  var asContinent: Continent {
    let object = Continent()
    object.code = code ?? ""
    object.name = name
    object.population = population
    return object
  }

  /// An object of the class, not yet in a realm.
  var asCountry: Country {
    let object = Country()
    object.iso = iso ?? ""
    object.name = name
    object.capital = capital
    object.population = population
    object.continentCode = continent ?? ""
    return object
  }

  /// An object of the class, not yet in a realm, that links to its country there.
  func asCity(in realm: Realm) -> City {
    let object = City()
    object.id = id ?? 0
    object.name = name
    object.countryCode = country ?? ""
    object.population = population
    object.country = realm.object(ofType: Country.self, forPrimaryKey: object.countryCode)
    return object
  }
}
#endif
