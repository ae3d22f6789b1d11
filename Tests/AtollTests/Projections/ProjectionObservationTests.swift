import Foundation
import TestThreads
import Testing

@testable import Atoll

/// What observers of projections are told.
@Suite(.waiting) struct ProjectionObservationTests {
  private let queue = DispatchQueue(label: "projections")
  private let configuration: Realm.Configuration
  private let realm: Realm

  init() throws {
    let tenants = try TenantRealm()
    (configuration, realm) = (tenants.configuration, tenants.realm)
  }

  private func tenant(_ id: Int, _ realm: Realm? = nil) throws -> Tenant {
    try #require((realm ?? self.realm).object(ofType: Tenant.self, forPrimaryKey: id))
  }

  // Sendable: used on the queue alone.
  private final class Log: @unchecked Sendable {
    var lines: [String] = []
    var tokens: [NotificationToken] = []

    func note<P>(_ change: ObjectChange<P>) {
      func text(_ value: Any?) -> String {
        value.map { ($0 as? Tenant)?.name ?? "\($0)" } ?? "nil"
      }
      switch change {
      case .change(_, let properties):
        lines.append(
          properties.map { (property: ProjectedPropertyChange) in
            "\(property.name) \(text(property.oldValue)) \(text(property.newValue))"
          }.joined(separator: ", "))
      case .deleted: lines.append("deleted")
      case .error: lines.append("error")
      }
    }

    func note<C: Collection>(_ change: RealmCollectionChange<C>, _ text: (C) -> [String]) {
      switch change {
      case .initial(let all): lines.append("initial \(text(all))")
      case .update(let all, let deletions, let insertions, let modifications):
        lines.append("\(text(all)): -\(deletions) +\(insertions) ~\(modifications)")
      case .error: lines.append("error")
      }
    }

    func take() -> [String] {
      defer { lines = [] }
      return lines
    }
  }

  private func onQueue(_ body: (Realm) throws -> Void) throws {
    try queue.sync {
      let realm = try Realm(configuration: configuration, queue: queue)
      realm.refresh()
      try body(realm)
    }
    for _ in 0..<3 { queue.sync {} }
  }

  /// Writes in another realm than that of the queue, and gives what observers on the queue are told.
  private func told(_ log: Log, _ change: () throws -> Void) throws -> [String] {
    try realm.write { try change() }
    try onQueue { _ in }
    return queue.sync { log.take() }
  }

  @Test func anObserverIsToldOfWhatIsProjectedByItsNameThere() throws {
    let log = Log()
    try onQueue { realm in
      let view = TenantProjection(projecting: try tenant(0, realm))
      log.tokens = [view.observe { log.note($0) }]
    }
    let ada = try tenant(0)
    #expect(try told(log) { ada.name = "Eve" } == ["title Ada Eve"])
    #expect(try told(log) { ada.age = 30 } == ["years 20 30"])
    #expect(try told(log) { ada.home?.street = "x" } == [])
    #expect(try told(log) { ada.home?.city = "Rome" } == ["city C0 Rome"])
    #expect(
      try told(log) { ada.friend?.name = "Rob" } == ["friendName Bob Rob, friends nil nil"])
    #expect(try told(log) { ada.friend = nil } == ["friendName Rob nil"])
    #expect(try told(log) { ada.friends.remove(at: 0) } == ["friends nil nil"])
    #expect(try told(log) { ada.friends[1].age = 9 } == [])
    #expect(try told(log) { realm.delete(try tenant(1)) } == ["friends nil nil, rivalAges nil nil"])
    #expect(try told(log) { realm.delete(ada) } == ["deleted"])
    #expect(try told(log) { realm.deleteAll() } == [])
  }

  /// As an observer of an object, it has no old values of what its own realm has written.
  @Test func whatItsOwnRealmWritesComesWithoutOldValues() throws {
    let log = Log()
    try onQueue { realm in
      let view = TenantProjection(projecting: try tenant(0, realm))
      log.tokens = [view.observe { log.note($0) }]
      try realm.write { view.title = "Eve" }
      try realm.write(withoutNotifying: log.tokens) { view.title = "Fay" }
    }
    #expect(queue.sync { log.take() } == ["title nil Eve"])
    #expect(try told(log) { try tenant(0).name = "Gil" } == ["title Fay Gil"])
  }

  @Test func anObserverOfSomePropertiesIsToldOfThemOnly() throws {
    let log = Log()
    try onQueue { realm in
      let view = TenantProjection(projecting: try tenant(0, realm))
      log.tokens = [
        view.observe(keyPaths: ["years"]) { log.note($0) },
        view.observe(keyPaths: [\TenantProjection.city]) { log.note($0) },
        view.observe(keyPaths: [\TenantProjection.friends]) { log.note($0) },
      ]
    }
    let all = try told(log) {
      let ada = try tenant(0)
      ada.name = "Eve"
      ada.age = 50
      ada.home?.city = "Rome"
    }
    #expect(all == ["years 20 50", "city C0 Rome"])
    #expect(try told(log) { try tenant(2).name = "Dan" } == ["friends nil nil"])
  }

  @Test func keyPathsGoOnBehindAProperty() throws {
    let log = Log()
    try onQueue { realm in
      let view = LinkProjection(projecting: try tenant(0, realm))
      log.tokens = [
        view.observe(keyPaths: ["friend"]) { log.note($0) },
        view.observe(keyPaths: [\.friend?.age]) { log.note($0) },
        view.observe(keyPaths: ["friend.home.city"]) { log.note($0) },
        view.observe(keyPaths: [\.street]) { _ in log.lines.append("street") },
      ]
    }
    #expect(try told(log) { try tenant(0).home?.street = "x" } == ["street"])
    #expect(try told(log) { try tenant(1).name = "Rob" } == [])
    #expect(try told(log) { try tenant(1).age = 70 } == ["friend Rob Rob"])
    #expect(try told(log) { try tenant(1).home?.city = "Rome" } == ["friend Rob Rob"])
    #expect(
      try told(log) { try tenant(0).friend = try tenant(2) }
        == Array(repeating: "friend Rob Cem", count: 3))
  }

  @Test func aProjectedCollectionIsObserved() throws {
    let log = Log()
    try onQueue { realm in
      let view = TenantProjection(projecting: try tenant(0, realm))
      log.tokens = [view.friends.observe { log.note($0) { Array($0) } }]
    }
    #expect(queue.sync { log.take() } == ["initial [\"Cem\", \"Bob\", \"Cem\"]"])
    #expect(
      try told(log) { try tenant(2).name = "Dan" }
        == ["[\"Dan\", \"Bob\", \"Dan\"]: -[] +[] ~[0, 2]"])
    #expect(try told(log) { try tenant(1).age = 3 } == [])
    #expect(
      try told(log) { try tenant(0).friends.remove(at: 1) } == ["[\"Dan\", \"Dan\"]: -[1] +[] ~[]"])
  }

  @Test func resultsOfProjectionsAreObserved() throws {
    let log = Log()
    try onQueue { realm in
      let views = realm.objects(TenantProjection.self).where { $0.years < 40 }
      log.tokens = [
        views.observe { log.note($0) { $0.map(\.title) } },
        views.observe(keyPaths: [\.city]) { log.note($0) { $0.map(\.title) } },
      ]
    }
    _ = queue.sync { log.take() }
    #expect(
      try told(log) { try tenant(1).name = "Rob" }
        == ["[\"Ada\", \"Rob\", \"Cem\"]: -[] +[] ~[0, 1]"])
    let all = "[\"Ada\", \"Rob\", \"Cem\"]"
    #expect(
      try told(log) { try tenant(2).home?.city = "Rome" }
        == ["\(all): -[] +[] ~[0, 2]", "\(all): -[] +[] ~[2]"])
    let rest = "[\"Ada\", \"Cem\"]"
    #expect(
      try told(log) { try tenant(1).age = 50 }
        == ["\(rest): -[1] +[] ~[0]", "\(rest): -[1] +[] ~[]"])
  }

  @Test func aProjectionIsObservedOnAQueue() throws {
    let log = Log()
    let view = TenantProjection(projecting: try tenant(0))
    log.tokens = [
      view.observe(on: queue) { log.note($0) },
      view.observe(keyPaths: [\.years], on: queue) { log.note($0) },
      view.friends.observe(on: queue) { log.note($0) { Array($0) } },
      realm.objects(NameProjection.self).observe(keyPaths: [\.title], on: queue) {
        log.note($0) { $0.map(\.title) }
      },
    ]
    try onQueue { _ in }
    #expect(
      queue.sync { log.take() } == [
        "initial [\"Cem\", \"Bob\", \"Cem\"]", "initial [\"Ada\", \"Bob\", \"Cem\"]",
      ])
    #expect(
      try told(log) { view.title = "Eve" }
        == ["title Ada Eve", "[\"Eve\", \"Bob\", \"Cem\"]: -[] +[] ~[0]"])
    #expect(try told(log) { try tenant(2).age = 5 } == [])
    let late = Log()
    queue.suspend()
    late.tokens = [view.observe(on: queue) { late.note($0) }]
    try realm.write { realm.delete(view.rootObject) }
    queue.resume()
    try onQueue { _ in }
    #expect(queue.sync { late.take() } == ["deleted"])
  }

  actor Listener {
    var lines: [String] = []
  }

  @MainActor
  private func mainRealm() throws -> Realm { try Realm(configuration: configuration) }

  @MainActor
  @Test func projectionsAreObservedOnActors() async throws {
    let listener = Listener()
    let realm = try mainRealm()
    let view = TenantProjection(projecting: try tenant(0, realm))
    let tokens = [
      await view.observe(on: listener) { listener, change in
        if case .change(let view, _) = change { listener.lines.append("view \(view.title)") }
      },
      await view.observe(keyPaths: [\.title], on: listener) { listener, change in
        if case .change(_, let changes) = change { listener.lines.append(changes[0].name) }
      },
      await view.friends.observe(on: listener) { listener, change in
        if case .initial(let names) = change { listener.lines.append("\(names.count) friends") }
      },
      await realm.objects(NameProjection.self).observe(keyPaths: [\.title], on: listener) {
        listener, change in
        if case .update(_, _, _, let places) = change { listener.lines.append("\(places)") }
      },
    ]
    while await listener.lines.isEmpty { await _Concurrency.Task.yield() }
    try realm.write { view.title = "Eve" }
    while await listener.lines.count < 4 { await _Concurrency.Task.yield() }
    #expect(await listener.lines.sorted() == ["3 friends", "[0]", "title", "view Eve"])
    for token in tokens { token.invalidate() }
  }

  @Test func misuseEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      _ = TenantProjection(projecting: Tenant()).observe { _ in }
    }
    await #expect(processExitsWith: .failure) {
      _ = TenantProjection(projecting: Tenant()).friends.observe(on: .main) { _ in }
    }
    await #expect(processExitsWith: .failure) {
      let tenant = try TenantRealm().realm.objects(Tenant.self)[0]
      _ = TenantProjection(projecting: tenant).freeze().observe(on: .main) { _ in }
    }
    // At once, and not on the queue.
    await #expect(processExitsWith: .failure) {
      let tenant = try TenantRealm().realm.objects(Tenant.self)[0]
      _ = TenantProjection(projecting: tenant).observe(keyPaths: ["name"], on: .main) { _ in }
    }
    await #expect(processExitsWith: .failure) {
      let tenant = try TenantRealm().realm.objects(Tenant.self)[0]
      _ = LinkProjection(projecting: tenant).observe(
        keyPaths: [\.rootObject.age], on: .main
      ) { _ in }
    }
    // It projects `friend`.
    await #expect(processExitsWith: .failure) {
      let tenant = try TenantRealm().realm.objects(Tenant.self)[0]
      _ = LinkProjection(projecting: tenant).observe(
        keyPaths: [\.rootObject.friends], on: .main
      ) { _ in }
    }
  }
}
