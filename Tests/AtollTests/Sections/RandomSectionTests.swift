import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// Observers of sections in random programs: what they are told makes of the old sections the new.
@Suite(.waiting) struct RandomSectionTests {
  @Test(arguments: 0..<150 as Range<UInt64>)
  func oldSectionsWithTheChangeAreTheNewOnes(seed: UInt64) throws {
    try RandomSections(seed: seed).run()
  }
}

private class Card: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var suit: Int
  @Persisted var rank: Int
  @Persisted var tag: String
  @Persisted var next: Card?
}

private class Deck: Atoll.Object {
  @Persisted var cards: List<Card>
}

/// What one observer knows.
private final class Watcher {
  let name: String
  let tagOnly: Bool
  let section: Int?
  /// The elements in their order, each with its key; asks for nothing that belongs to sections.
  let elements: () -> [(key: Int, card: Card)]
  var token: NotificationToken?
  private var known: [(key: Int, ids: [Int])]?
  private var texts: [Int: String] = [:]
  private(set) var problem: String?

  init(
    _ name: String, tagOnly: Bool = false, section: Int? = nil,
    _ elements: @escaping () -> [(key: Int, card: Card)]
  ) {
    self.name = name
    self.tagOnly = tagOnly
    self.section = section
    self.elements = elements
  }

  private func text(_ card: Card) -> String {
    tagOnly ? card.tag : "\(card.suit) \(card.rank) \(card.tag) \(card.next?.id ?? -1)"
  }

  /// The sections by another way.
  private func expected() -> [(key: Int, ids: [Int])] {
    var sections: [(key: Int, ids: [Int])] = []
    for (key, card) in elements() {
      if let index = sections.firstIndex(where: { $0.key == key }) {
        sections[index].ids.append(card.id)
      } else {
        sections.append((key, [card.id]))
      }
    }
    return sections
  }

  private func describe(_ sections: [(key: Int, ids: [Int])]?) -> String { "\(sections ?? [])" }

  /// What is wrong now, if nothing more is to be told.
  func check() -> String? {
    if let problem { return problem }
    var (known, expected) = (known, expected())
    if let section {
      known?.removeAll { $0.key != section }
      expected.removeAll { $0.key != section }
    }
    if describe(known) == describe(expected) { return nil }
    return "\(name) knows \(describe(known)), and there is \(describe(expected))"
  }

  func hear<C: RealmSectionedResult>(
    _ change: SectionedResultsChange<C>, _ shown: [(key: Int, ids: [Int])]
  ) {
    let new = expected()
    var newTexts: [Int: String] = [:]
    for (_, card) in elements() { newTexts[card.id] = text(card) }
    defer { (known, texts) = (new, newTexts) }
    if section == nil, describe(shown) != describe(new) {
      problem = "\(name) is shown \(shown), and there is \(new)"
    }
    guard
      case .update(_, let deletions, let insertions, let modifications, let inserted, let deleted) =
        change
    else { return }
    guard let known else { return problem = "\(name) hears of a change before the beginning" }
    if section != nil { return }
    var told = known.map { (key: $0.key, ids: $0.ids.map { Optional($0) }) }
    var modified: Set<Int> = []
    for path in modifications { modified.insert(known[path[0]].ids[path[1]]) }
    for path in deletions.reversed() { told[path[0]].ids.remove(at: path[1]) }
    for section in deleted.reversed() { told.remove(at: section) }
    let staying = Set(told.flatMap { $0.ids.compactMap { $0 } })
    for section in inserted { told.insert((new[section].key, []), at: section) }
    for path in insertions { told[path[0]].ids.insert(new[path[0]].ids[path[1]], at: path[1]) }
    let result = told.map { (key: $0.key, ids: $0.ids.compactMap { $0 }) }
    if describe(result) != describe(new) {
      problem =
        "\(name) had \(known), is told -\(deletions) +\(insertions) sections -\(Array(deleted)) "
        + "+\(Array(inserted)), and has \(new)"
    }
    for id in staying where texts[id] != newTexts[id] && !modified.contains(id) {
      problem = "\(name) is not told that #\(id) was changed"
    }
    for paths in [deletions, insertions, modifications] where paths != paths.sorted() {
      problem = "\(name) is told of paths that do not ascend"
    }
  }
}

private final class RandomSections {
  private var random: SplitMix64
  private let queue = DispatchQueue(label: "random sections")
  private let configuration = Realm.Configuration(
    inMemoryIdentifier: UUID().uuidString, objectTypes: [Card.self, Deck.self])
  private let keeper: Realm
  private var watchers: [Watcher] = []
  private var log: [String] = []

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    keeper = try Realm(configuration: configuration)
  }

  private func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

  func run() throws {
    try keeper.write {
      keeper.add(Deck())
      for _ in 0..<number(0..<20) { change(keeper) }
    }
    try onQueue { realm in
      for _ in 0..<number(2..<5) { watch(realm) }
    }
    for _ in 0..<25 {
      try step()
      try onQueue { realm in
        realm.refresh()
        if number(0..<3) == 0 { watch(realm) }
      }
      var problem: String?
      queue.sync {
        for watcher in watchers {
          if problem == nil { problem = watcher.check() }
        }
      }
      if let problem {
        Issue.record("\(problem)\n\(log)")
        break
      }
    }
    queue.sync { watchers = [] }
  }

  private func onQueue(_ body: (Realm) throws -> Void) throws {
    try queue.sync { try body(Realm(configuration: configuration, queue: queue)) }
    for _ in 0..<3 { queue.sync {} }
  }

  private func step() throws {
    let count = number(1..<5)
    switch number(0..<4) {
    case 0: try keeper.write { for _ in 0..<count { change(keeper) } }
    case 1:
      try onQueue { realm in
        realm.beginWrite()
        for _ in 0..<count { change(realm) }
      }
      log.append("cancel")
      try onQueue { realm in realm.cancelWrite() }
    case 2:
      try onQueue { realm in
        try realm.write { for _ in 0..<count { change(realm) } }
        try realm.write { for _ in 0..<count { change(realm) } }
      }
    default: try onQueue { realm in try realm.write { for _ in 0..<count { change(realm) } } }
    }
  }

  private func change(_ realm: Realm) {
    let id = number(0..<20)
    guard let deck = realm.objects(Deck.self).first else { return }
    guard let card = realm.object(ofType: Card.self, forPrimaryKey: id) else {
      let card = Card()
      (card.id, card.suit, card.rank) = (id, number(0..<5), number(0..<8))
      log.append("add \(id) \(card.suit) \(card.rank)")
      realm.add(card)
      if number(0..<2) == 0 { deck.cards.insert(card, at: number(0..<deck.cards.count + 1)) }
      return
    }
    let value = number(0..<8)
    switch number(0..<8) {
    case 0:
      log.append("delete \(id)")
      realm.delete(card)
    case 1, 2:
      log.append("\(id).suit = \(value)")
      card.suit = value
    case 3:
      log.append("\(id).rank = \(value)")
      card.rank = value
    case 4:
      log.append("\(id).tag = \(value)")
      card.tag = "\(value)"
    case 5:
      log.append("\(id).next = \(value)")
      card.next = realm.object(ofType: Card.self, forPrimaryKey: value)
    case 6:
      log.append("list + \(id)")
      deck.cards.insert(card, at: number(0..<deck.cards.count + 1))
    default:
      guard !deck.cards.isEmpty else { return }
      let place = number(0..<deck.cards.count)
      log.append("list - \(place)")
      deck.cards.remove(at: place)
    }
  }

  private func watch(_ realm: Realm) {
    let cards = realm.objects(Card.self)
    let limit = number(3..<8)
    let choice = number(0..<9)
    log.append("watch \(choice)")
    switch choice {
    case 0: watch("by suit", cards.sorted(by: \.suit), cards.sectioned(by: \.suit)) { $0.suit }
    case 1:
      let few = cards.where { $0.rank < limit }
      let order: [Atoll.SortDescriptor] = [
        Atoll.SortDescriptor(keyPath: "suit", ascending: false), "rank",
      ]
      watch(
        "by suit, descending", few.sorted(by: order),
        few.sectioned(by: \.suit, sortDescriptors: order)
      ) { $0.suit }
    case 2:
      watch(
        "foreign order", cards.sorted(by: \.rank),
        cards.sectioned(sortDescriptors: ["rank"]) { $0.suit % 3 }
      ) { $0.suit % 3 }
    case 3:
      watch(
        "through a link", cards.sorted(by: \.id),
        cards.sectioned(sortDescriptors: ["id"]) { $0.next?.suit ?? -1 }
      ) { $0.next?.suit ?? -1 }
    case 4:
      guard let list = realm.objects(Deck.self).first?.cards else { return }
      watch("list", list.sorted(by: \.suit), list.sectioned(by: \.suit)) { $0.suit }
    case 5:
      guard let first = try? cards.query("TRUEPREDICATE SORT(rank ASC) LIMIT(\(limit))") else {
        return
      }
      watch(
        "limit", first.sorted(by: \.id), first.sectioned(sortDescriptors: ["id"]) { $0.suit }
      ) { $0.suit }
    case 6:
      watch(
        "tags only", cards.sorted(by: \.rank),
        cards.sectioned(sortDescriptors: ["rank"]) { $0.suit % 4 }, tagOnly: true
      ) { $0.suit % 4 }
    case 7:
      let unique = cards.distinct(by: ["suit", "rank"])
      watch("distinct", unique.sorted(by: \.suit), unique.sectioned(by: \.suit)) { $0.suit }
    default:
      let sections = cards.sectioned(sortDescriptors: ["rank"]) { $0.suit }
      guard let section = sections.randomElement(using: &random) else { return }
      let sorted = cards.sorted(by: \.rank)
      let watcher = Watcher("section \(section.key)", section: section.key) {
        sorted.map { ($0.suit, $0) }
      }
      watcher.token = section.observe { [weak watcher] change in watcher?.hear(change, []) }
      watchers.append(watcher)
    }
  }

  private func watch(
    _ name: String, _ plain: Results<Card>, _ sections: SectionedResults<Int, Card>,
    tagOnly: Bool = false, _ key: @escaping (Card) -> Int
  ) {
    let watcher = Watcher(name, tagOnly: tagOnly) { plain.map { (key($0), $0) } }
    watcher.token = sections.observe(keyPaths: tagOnly ? ["tag"] : nil) { [weak watcher] change in
      let now = sections.map { (key: $0.key, ids: Array($0.map(\.id))) }
      watcher?.hear(change, now)
    }
    watchers.append(watcher)
  }
}
