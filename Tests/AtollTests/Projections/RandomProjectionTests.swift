import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// Observers of projections in random programs: what they are told is what the projections show.
@Suite(.waiting) struct RandomProjectionTests {
  @Test(arguments: 0..<60 as Range<UInt64>)
  func whatIsToldIsWhatIsShown(seed: UInt64) throws {
    try RandomProjections(seed: seed).run()
  }
}

private class Page: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var text: String
  @Persisted var hidden: Int
  @Persisted var next: Page?
  @Persisted var links: List<Page>
}

private class PageView: Projection<Page> {
  @Projected(\Page.text) var words: String
  @Projected(\Page.next?.next?.text) var later: String?
  @Projected(\Page.links.projectTo.text) var links: ProjectedCollection<String>

  /// What it shows, by another way.
  var shown: [String: String] {
    [
      "words": rootObject.text, "later": rootObject.next?.next?.text ?? "nil",
      "links": "\(Array(rootObject.links.map(\.text)))",
    ]
  }

  /// What it shows.
  var projected: [String: String] {
    ["words": words, "later": later ?? "nil", "links": "\(Array(links))"]
  }
}

/// What the observers of one projection know.
private final class Watcher {
  let name: String
  let view: PageView
  private let keyPaths: [String]
  private var known: [String: String]
  private var links: [String] = []
  private var isDeleted = false
  private var tokens: [NotificationToken] = []
  private var problem: String?
  /// What the view showed last to a block of `withObservationTracking`, which waits since then.
  private var seen: [String: String] = [:]
  private var waiting: Tracked

  init(_ view: PageView, _ keyPaths: [String]?) {
    self.view = view
    waiting = Tracked {}
    self.keyPaths = keyPaths ?? ["words", "later", "links"]
    name = "the observer of #\(view.rootObject.id) \(self.keyPaths)"
    known = view.shown
    tokens = [
      view.observe(keyPaths: keyPaths) { [weak self] in self?.hear($0) },
      view.links.observe { [weak self] in self?.hear($0) },
    ]
    look()
  }

  private func look() { waiting = Tracked { seen = view.projected } }

  private func hear(_ change: ObjectChange<PageView>) {
    guard case .change(let view, let properties) = change else { return isDeleted = true }
    for property in properties {
      guard keyPaths.contains(property.name) else {
        return problem = "\(name) is told of \(property.name)"
      }
      if let old = property.oldValue, "\(old)" != known[property.name] {
        problem = "\(name) is told that \(property.name) was \(old): \(known)"
      }
      known[property.name] =
        property.name == "links" ? "\(Array(view.links))" : "\(property.newValue ?? "nil")"
    }
  }

  private func hear(_ change: RealmCollectionChange<ProjectedCollection<String>>) {
    switch change {
    case .initial(let new): links = Array(new)
    case .update(let new, let deletions, let insertions, let modifications):
      var told = links.map { Optional($0) }
      for place in modifications { told[place] = nil }
      for place in deletions.reversed() { told.remove(at: place) }
      for place in insertions { told.insert(new[place], at: place) }
      if told.count != new.count || zip(told, new).contains(where: { $0 != nil && $0 != $1 }) {
        problem = "\(name) had \(links), is told \(change), and has \(Array(new))"
      }
      links = Array(new)
    case .error: break
    }
  }

  /// What is wrong now, if nothing more is to be told.
  func check() -> String? {
    if let problem { return problem }
    if isDeleted != view.isInvalidated { return "\(name) is told of a deletion: \(isDeleted)" }
    if isDeleted { return waiting.isTold ? nil : "\(name) waits for an object that is gone" }
    let shown = view.shown
    for name in keyPaths where known[name] != shown[name] {
      return "\(self.name) knows \(known), and there is \(shown)"
    }
    let views = view.projected
    if views != shown { return "the projection shows \(views), and there is \(shown)" }
    if views != seen, !waiting.isTold {
      return "\(name) waits for a change of \(seen), and there is \(views)"
    }
    if waiting.isTold { look() }
    return "\(links)" == shown["links"] ? nil : "\(name) knows \(links), and there is \(shown)"
  }
}

private final class RandomProjections {
  private var random: SplitMix64
  private let queue = DispatchQueue(label: "random projections")
  private let configuration = Realm.Configuration(
    inMemoryIdentifier: UUID().uuidString, objectTypes: [Page.self])
  private let keeper: Realm
  /// Keeps the open write of the queue's realm.
  private var queueRealm: Realm?
  private var watchers: [Watcher] = []
  private var lastID = 0
  private var log: [String] = []

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    keeper = try Realm(configuration: configuration)
  }

  private func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

  func run() throws {
    try onQueue { queueRealm = $0 }
    for _ in 0..<40 {
      try step()
      try onQueue { realm in
        realm.refresh()
        let view = realm.objects(PageView.self).randomElement(using: &random)
        guard watchers.count < 6, let view else { return }
        watchers.append(Watcher(view, number(0..<3) == 0 ? ["later", "links"] : nil))
      }
      var problem: String?
      queue.sync { problem = watchers.lazy.compactMap { $0.check() }.first }
      if let problem {
        Issue.record("\(problem)\n\(log)")
        break
      }
    }
    queue.sync {
      watchers = []
      queueRealm = nil
    }
  }

  private func onQueue(_ body: (Realm) throws -> Void) throws {
    try queue.sync { try body(Realm(configuration: configuration, queue: queue)) }
    for _ in 0..<3 { queue.sync {} }
  }

  private func step() throws {
    let count = number(1..<5)
    switch number(0..<4) {
    case 0:
      try onQueue { realm in
        realm.beginWrite()
        for _ in 0..<count { change(realm) }
      }
      log.append("cancel")
      try onQueue { realm in realm.cancelWrite() }
    case 1: try onQueue { realm in try realm.write { for _ in 0..<count { change(realm) } } }
    default: try keeper.write { for _ in 0..<count { change(keeper) } }
    }
  }

  private func change(_ realm: Realm) {
    let pages = realm.objects(Page.self)
    guard pages.count > 3, number(0..<10) > 0, let page = pages.randomElement(using: &random) else {
      let page = Page()
      // A page that was deleted and made again with its key would be the same one.
      lastID += 1
      page.id = lastID
      log.append("add \(lastID)")
      return realm.add(page)
    }
    let other = pages[number(0..<pages.count)]
    switch number(0..<12) {
    case 0:
      log.append("delete \(page.id)")
      realm.delete(page)
    case 1, 2, 3:
      page.text = "\(number(0..<100))"
      log.append("\(page.id).text = \(page.text)")
    case 4:
      log.append("\(page.id).hidden")
      page.hidden += 1
    case 5, 6, 7:
      log.append("\(page.id).next = \(other.id)")
      page.next = other
    case 8, 9:
      log.append("\(page.id).links + \(other.id)")
      page.links.append(other)
    case 10:
      log.append("\(page.id).next = nil")
      page.next = nil
    default:
      guard !page.links.isEmpty else { return }
      log.append("\(page.id).links - 0")
      page.links.remove(at: 0)
    }
  }
}
