import AtollObjects
import AtollQuery
import Foundation
import TestSupport
import TestThreads
import Testing

/// Searches of the names of countries and cities, and what a look at the data says.
@Suite(.computing) struct TextGeographyTests {
  static let database = Result {
    let source = try GeographyDatabase.demo.get()
    let snapshot = try source.snapshot()
    let database = try Database.inMemory()
    try database.write { transaction in
      let country = PropertySchema("country", linkTo: "Country")
      try transaction.addClasses([
        ClassSchema(
          "Country",
          properties: [
            PropertySchema("iso", .string),
            PropertySchema("name", .string, isFullTextIndexed: true),
          ], primaryKey: "iso"),
        ClassSchema(
          "City",
          properties: [
            PropertySchema("id", .int), PropertySchema("names", .string, isFullTextIndexed: true),
            country,
          ], primaryKey: "id"),
      ])
      try snapshot.table("Country").forEach { object in
        try transaction.create("Country", ["iso": object["iso"], "name": object["name"]])
      }
      let cities = try snapshot.table("City")
      let link = try cities.column("country")
      try cities.forEach { object in
        var names = "\(Self.text(try object["name"]))"
        if case .list(let more) = try object["alternateNames"] {
          for name in more { names += "; " + Self.text(name) }
        }
        let key = try transaction.create(
          "City", ["id": object["id"], "names": .string(names)])
        if let target = try object.linked(link) {
          try transaction.link("City", key, "country", toPrimaryKeys: [target["iso"]])
        }
      }
    }
    return database
  }

  private static func text(_ value: Value) -> String {
    if case .string(let text) = value { text } else { "" }
  }

  @Test(arguments: [
    "san", "san*", "new*", "de", "-san", "munchen", "münchen", "são paulo", "sao paulo -santos",
    "st", "a*", "la*", "-a -de -la", "tokyo", "東京", "東京 -都", "москва", "МОСКВ*",
    "αθηνα", "القاهرة", "york new", "göteborg", "goteborg", "köln",
  ])
  func cityNamesGiveWhatAPassOverTheDataGives(pattern: String) throws {
    let snapshot = try Self.database.get().snapshot()
    let table = try snapshot.table("City")
    var expected: [ObjectKey] = []
    var expectedByCountry: [ObjectKey] = []
    let country = try table.column("country")
    try table.forEach { city in
      if NaiveWords.matches(Self.text(try city["names"]), pattern) { expected.append(city.key) }
      if let name = try city.linked(country).map({ Self.text(try $0["name"]) }),
        NaiveWords.matches(name, pattern)
      {
        expectedByCountry.append(city.key)
      }
    }
    let query = try Query("names TEXT '\(pattern)'", on: "City", in: snapshot.schema)
    #expect(try query.results(in: snapshot).keys == expected)
    let linked = try Query("country.name TEXT '\(pattern)'", on: "City", in: snapshot.schema)
    #expect(try linked.results(in: snapshot).keys == expectedByCountry)
  }

  @Test func knownCitiesAreFound() throws {
    let snapshot = try Self.database.get().snapshot()
    func cities(_ text: String) throws -> [String] {
      var names: [String] = []
      let query = try Query(text, on: "City", in: snapshot.schema)
      try query.results(in: snapshot).forEach { city in
        names.append(String(Self.text(try city["names"]).prefix { $0 != ";" }))
      }
      return names
    }
    #expect(try cities("names TEXT 'munchen'") == ["Munich"])
    #expect(try cities("names TEXT 'york -city'").isEmpty)
    #expect(try cities("names TEXT 'lon*' AND country.name TEXT 'united kingdom'") == ["London"])
    #expect(try Self.database.get().check().findings == [])
  }
}
