#if Sync
import Atoll
import AtollServer
import Foundation
import Synchronization

/// The demo's story: a server, and two people who work offline on the same data.
struct SyncTour {
  let folder: URL
  let context: CommandContext

  /// The refusals of the server, as reported to the devices.
  private let refusals = Refusals()

  private final class Refusals: Sendable {
    let texts = Mutex<[String]>([])
  }

  private init(folder: URL, context: CommandContext) {
    self.folder = folder
    self.context = context
  }

  /// Runs the whole story with the server's folder and the devices' files in `folder`.
  ///
  /// Blocks the thread; the devices live on actors of their own.
  static func run(folder: URL, context: CommandContext) throws {
    let server = try DemoServer(folder: folder.appending(path: "server").path)
    let outcome = Mutex<Result<Void, any Error>?>(nil)
    let output = SharedContext(context: context)
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
      let tour = SyncTour(folder: folder, context: output.context)
      do {
        try await tour.run(server: server)
        outcome.withLock { $0 = .success(()) }
      } catch { outcome.withLock { $0 = .failure(error) } }
      await server.stop()
      isDone.signal()
    }
    isDone.wait()
    try outcome.withLock { $0 }?.get()
  }

  // Sendable: the thread that made it waits while the tour's task uses it.
  private struct SharedContext: @unchecked Sendable {
    let context: CommandContext
  }

  private func run(server: DemoServer) async throws {
    try say(
      """
      Atoll keeps a part of a server's data on each device, which works on it without a network.
      Data: GeoNames (geonames.org), CC BY 4.0, a small extract.
      """)
    let app = App(
      id: "demo", configuration: AppConfiguration(baseURL: server.address),
      folder: folder.appending(path: "accounts").path)
    app.syncManager.errorHandler = { [refusals] error, _ in
      refusals.texts.withLock { $0.append(error.localizedDescription) }
    }

    try heading("1. A server, and an office that loads it")
    try say("  atoll serve listens at \(server.address)")
    let office = try await DemoDevice("Office", app: app, folder: folder)
    try await load(office)

    try heading("2. Two devices subscribe to different parts")
    let ana = try await DemoDevice("Ana", app: app, folder: folder)
    let ben = try await DemoDevice("Ben", app: app, folder: folder)
    try await ana.subscribe(to: "japan-and-korea") { $0.countryCode.in(["JP", "KR"]) }
    try await ben.subscribe(to: "giants") { $0.population > 9_000_000 }
    try say("  Ana: QuerySubscription<City> { $0.countryCode.in([\"JP\", \"KR\"]) }")
    try await tell(ana)
    try say("  Ben: QuerySubscription<City> { $0.population > 9_000_000 }")
    try await tell(ben)

    try heading("3. Both go offline and edit the same city")
    try await ana.goOffline()
    try await ben.goOffline()
    try await ana.write { realm in
      let tokyo = Self.tokyo(realm)
      tokyo?.note = "cherry blossoms in April"
      tokyo?.visitors.append("Ana")
    }
    try await ben.write { realm in
      let tokyo = Self.tokyo(realm)
      tokyo?.population += 1
      tokyo?.visitors.append("Ben")
    }
    try await show(ana)
    try await show(ben)

    try heading("4. Both come back, and agree")
    for device in [ana, ben] {
      try await device.goOnline()
      try await device.upload()
    }
    for device in [ana, ben] { try await device.download() }
    try await show(ana)
    try await show(ben)

    try heading("5. A write outside of the subscriptions is refused, undone and reported")
    try await ana.write { realm in
      realm.create(
        City.self, value: ["id": 1, "name": "Atlantis", "countryCode": "XX", "population": 7])
    }
    try say("  Ana creates Atlantis, in the country XX.")
    try await ana.upload()
    try await ana.download()
    let isThere = try await ana.read { $0.object(ofType: City.self, forPrimaryKey: 1) != nil }
    try say("  Ana has Atlantis: \(isThere ? "yes" : "no")")
    try await ana.waitForHandler()
    for text in refusals.texts.withLock({ $0 }) { try say("  Told to Ana's program: \(text)") }

    try heading("6. An unsubscribe takes its objects off the device")
    try await ben.unsubscribe(from: "giants")
    try await tell(ben)

    try heading("7. A query on each device, answered there")
    try await query(ana)
    try await query(office)
  }

  // MARK: Steps

  private func load(_ office: DemoDevice) async throws {
    try await office.subscribeToAll()
    let (continents, countries, cities) = (
      try DemoRow.rows(DemoData.continents), try DemoRow.rows(DemoData.countries),
      try DemoRow.rows(DemoData.cities)
    )
    let start = context.now()
    try await office.write { realm in
      for row in continents { realm.add(row.asContinent) }
      for row in countries { realm.add(row.asCountry) }
      for row in cities { realm.add(row.asCity(in: realm)) }
    }
    try await office.upload()
    let elapsed = Quantity.duration(context.now() - start)
    let count = continents.count + countries.count + cities.count
    try say("  The office uploads \(count) objects in one transaction: \(elapsed)")
  }

  private func tell(_ device: DemoDevice) async throws {
    let counts = try await device.read { realm in
      (realm.objects(City.self).count, realm.objects(City.self).sum(of: \.population))
    }
    try say(
      "    \(device.name)'s file has \(Quantity.count(counts.0, "city", "cities")) "
        + "with \(counts.1) people")
  }

  private func show(_ device: DemoDevice) async throws {
    let text = try await device.read { realm in
      guard let tokyo = Self.tokyo(realm) else { return "no Tokyo" }
      return "Tokyo, \(tokyo.population) people, note: \(tokyo.note ?? "none"), visitors: "
        + (tokyo.visitors.isEmpty ? "none" : tokyo.visitors.joined(separator: ", "))
    }
    try say("  \(device.name): \(text)")
  }

  private func query(_ device: DemoDevice) async throws {
    let text = "population > 3000000 SORT(population DESC) LIMIT(3)"
    let names = try await device.read { realm in
      realm.objects(City.self).filter(text).map { "\($0.name) (\($0.countryCode))" }
        .joined(separator: ", ")
    }
    try say("  \(device.name): \"\(text)\": \(names)")
  }

  private static func tokyo(_ realm: Realm) -> City? {
    realm.objects(City.self).where { $0.name == "Tokyo" }.first
  }

  // MARK: Output

  private func heading(_ text: String) throws { try say("\n" + text + "\n") }

  private func say(_ text: String) throws {
    try context.output.write(text + "\n")
    try context.output.flush()
  }
}
#endif
