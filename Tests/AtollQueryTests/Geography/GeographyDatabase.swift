import AtollObjects
import AtollQuery
import Foundation
import AtollCommand

/// Continents, countries and cities, as the fixtures of expected answers suppose them.
enum GeographyDatabase {
  static let classes = [
    ClassSchema(
      "Continent",
      properties: [
        PropertySchema("code", .string), PropertySchema("name", .string),
        PropertySchema("population", .int), PropertySchema("latitude", .double),
        PropertySchema("longitude", .double),
      ], primaryKey: "code"),
    ClassSchema(
      "Country",
      properties: [
        PropertySchema("iso", .string), PropertySchema("name", .string, isIndexed: true),
        PropertySchema("iso3", .string), PropertySchema("continent", linkTo: "Continent"),
        PropertySchema("capital", .string, isOptional: true), PropertySchema("areaKm2", .double),
        PropertySchema("population", .int),
        PropertySchema("currencyCode", .string, isOptional: true),
        PropertySchema("languages", .string, collection: .list),
        PropertySchema("neighbours", linkTo: "Country", collection: .list),
      ], primaryKey: "iso"),
    ClassSchema(
      "City",
      properties: [
        PropertySchema("id", .int), PropertySchema("name", .string, isIndexed: true),
        PropertySchema("country", linkTo: "Country"),
        PropertySchema("admin1", .string, isOptional: true),
        PropertySchema("population", .int, isIndexed: true), PropertySchema("latitude", .double),
        PropertySchema("longitude", .double), PropertySchema("timezone", .string),
        PropertySchema("alternateNames", .string, collection: .list),
      ], primaryKey: "id"),
  ]

  /// The extract that lies beside the tests.
  static let demo = Result {
    try make(DemoData.continents, DemoData.countries, DemoData.cities)
  }

  /// The whole data, when the environment names its folder.
  static let whole = Result { () -> Database? in
    guard let folder = ProcessInfo.processInfo.environment["ATOLL_GEONAMES"] else { return nil }
    func text(_ name: String) throws -> String {
      try String(contentsOfFile: "\(folder)/\(name).jsonl", encoding: .utf8)
    }
    return try make(text("Continent"), text("Country"), text("City"))
  }

  private static func make(
    _ continents: String, _ countries: String, _ cities: String
  ) throws -> Database {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClasses(classes)
      for (className, text) in [
        ("Continent", continents), ("Country", countries), ("City", cities),
      ] {
        try load(text, className, into: transaction)
      }
    }
    return database
  }

  private static func load(
    _ text: String, _ className: String, into transaction: Transaction
  ) throws {
    guard let schema = classes.first(where: { $0.name == className }) else { return }
    for line in try JSON.lines(text) {
      guard case .object(let members) = line else { continue }
      var values: [String: Value] = [:]
      var links: [(String, [Value])] = []
      for property in schema.properties {
        guard let member = members[property.name] else { continue }
        if property.type == .link {
          switch member {
          case .array(let targets): links.append((property.name, targets.map(\.value)))
          case .null: links.append((property.name, []))
          default: links.append((property.name, [member.value]))
          }
        } else {
          values[property.name] = member.value
        }
      }
      let key = try transaction.create(className, values)
      for (property, targets) in links {
        try transaction.link(className, key, property, toPrimaryKeys: targets)
      }
    }
  }

  /// The primary keys of results as text, in the order of the fixtures.
  static func keys(_ results: QueryResults, isOrdered: Bool) throws -> [String] {
    guard let name = results.table.name == "City" ? "id" : Optional(keyName(results.table.name))
    else { return [] }
    var values: [Value] = []
    try results.forEach { values.append(try $0.value($0.table.column(name))) }
    if !isOrdered { values.sort { Value.sortOrder($0, $1) == .less } }
    return values.map { value in
      switch value {
      case .int(let number): "\(number)"
      case .string(let text): text
      default: "?"
      }
    }
  }

  private static func keyName(_ className: String) -> String {
    className == "Country" ? "iso" : "code"
  }
}
