import Foundation
import TestThreads
import Testing

@testable import Atoll

private class City: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var country: Country?
  @Persisted var size: Int
}

private class Country: Atoll.Object {
  @Persisted var name: String
}

private class CityView: Projection<City> {
  @Projected(\City.name) var title: String
  @Projected(\City.country?.name) var country: String?
}

/// Sections of projections.
@Suite(.waiting) struct ProjectionSectionTests {
  private let realm: Realm

  init() throws {
    realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [City.self, Country.self]))
    try realm.write {
      let norway = realm.create(Country.self, value: ["name": "Norway"])
      for (id, name) in ["Oslo", "Rome", "Bergen"].enumerated() {
        let city = realm.create(City.self, value: ["id": id, "name": name])
        city.country = name == "Rome" ? nil : norway
      }
    }
  }

  private func shown<Key>(_ sections: SectionedResults<Key, CityView>) -> [String] {
    sections.map { "\($0.key): \($0.map(\.title).joined(separator: " "))" }
  }

  @Test func projectionsComeInSectionsByWhatTheyShow() {
    let views = realm.objects(CityView.self)
    #expect(
      shown(views.sectioned(by: \.country)) == ["Optional(\"Norway\"): Oslo Bergen", "nil: Rome"])
    #expect(
      shown(
        views.sectioned(
          by: \.country,
          sortDescriptors: [
            SortDescriptor(keyPath: \CityView.country, ascending: false),
            SortDescriptor(keyPath: \CityView.title),
          ])) == ["nil: Rome", "Optional(\"Norway\"): Bergen Oslo"])
    #expect(
      shown(
        views.sectioned(
          by: { String($0.title.suffix(1)) }, sortDescriptors: [SortDescriptor(keyPath: "name")]))
        == ["n: Bergen", "o: Oslo", "e: Rome"])
    #expect(
      shown(views.sectioned(sortDescriptors: [SortDescriptor(keyPath: "name")]) { $0.title.count })
        == ["6: Bergen", "4: Oslo Rome"])
  }

  @Test func frozenSectionsShowProjections() throws {
    let frozen = realm.objects(CityView.self).sectioned(by: \.country).freeze()
    try realm.write { realm.deleteAll() }
    #expect(shown(frozen) == ["Optional(\"Norway\"): Oslo Bergen", "nil: Rome"])
  }

  /// Only what the key paths lead to counts as a modification.
  @MainActor @Test func sectionsOfProjectionsAreObserved() async throws {
    let configuration = realm.configuration
    let realm = try await Realm(configuration: configuration)
    let sections = realm.objects(CityView.self).sectioned(by: \.country)
    var told: [String] = []
    let token = sections.observe(keyPaths: [\CityView.title]) { change in
      guard case .update(_, let deletions, let insertions, let modifications, _, _) = change else {
        return
      }
      told.append("\(deletions.map(\.item)) \(insertions.map(\.item)) \(modifications.map(\.item))")
    }
    defer { token.invalidate() }
    realm.refresh()
    func write(_ body: (City) -> Void) async throws {
      let city = try #require(realm.object(ofType: City.self, forPrimaryKey: 2))
      try realm.write { body(city) }
      // A turn of the queue that delivers.
      await withCheckedContinuation { continuation in
        DispatchQueue.main.async { continuation.resume() }
      }
      realm.refresh()
    }
    try await write { _ in }
    told = []
    try await write { $0.size = 5 }
    #expect(told == [])
    try await write { $0.name = "Bergen!" }
    #expect(told == ["[] [] [1]"])
    try await write { $0.country = nil }
    #expect(told.count == 2)
    #expect(shown(sections) == ["Optional(\"Norway\"): Oslo", "nil: Rome Bergen!"])
  }
}
