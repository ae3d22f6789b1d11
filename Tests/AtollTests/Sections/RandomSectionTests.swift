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
  /// Another number after each change of the card.
  @Persisted var stamp: Int
}

private class Deck: Atoll.Object {
  @Persisted var cards: List<Card>
}

private typealias Sections = [(key: Int, ids: [Int])]

/// What sections became, as an observer is told.
private struct Told {
  var deletions: [IndexPath] = []
  var insertions: [IndexPath] = []
  var modifications: [IndexPath] = []
  var inserted = IndexSet()
  var deleted = IndexSet()

  /// Nil for the initial state.
  init?<C: RealmSectionedResult>(_ change: SectionedResultsChange<C>) {
    guard
      case .update(_, let deletions, let insertions, let modifications, let inserted, let deleted) =
        change
    else { return nil }
    (self.deletions, self.insertions, self.modifications) = (deletions, insertions, modifications)
    (self.inserted, self.deleted) = (inserted, deleted)
  }

  var text: String {
    "-\(deletions) +\(insertions) ~\(modifications) sections -\(Array(deleted)) +\(Array(inserted))"
  }

  /// What of it concerns one section; nil for nothing.
  func share(old: Int?, new: Int?) -> Told? {
    var share = self
    share.deletions.removeAll { $0.section != old }
    share.modifications.removeAll { $0.section != old }
    share.insertions.removeAll { $0.section != new }
    share.deleted = deleted.filteredIndexSet { $0 == old }
    share.inserted = inserted.filteredIndexSet { $0 == new }
    let isNothing =
      share.deletions.isEmpty && share.insertions.isEmpty && share.modifications.isEmpty
      && share.deleted.isEmpty && share.inserted.isEmpty
    return isNothing ? nil : share
  }
}

/// What the observers of sections, and of one of them, know.
private final class Watcher {
  let name: String
  let tagOnly: Bool
  /// The elements in their order, each with its key; asks for nothing that belongs to sections.
  let elements: () -> [(key: Int, card: Card)]
  var tokens: [NotificationToken] = []
  /// The key of the one section that is observed.
  var section: Int?
  private var known: Sections?
  private var texts: [Int: String] = [:]
  /// What the observer of one section is to be told, and what it was told.
  private var (shares, toldShares): ([String], [String]) = ([], [])
  private(set) var problem: String?

  init(_ name: String, tagOnly: Bool, _ elements: @escaping () -> [(key: Int, card: Card)]) {
    self.name = name
    self.tagOnly = tagOnly
    self.elements = elements
  }

  /// A text that is another one when the card has changed, or one that it leads to.
  private func text(_ card: Card) -> String {
    if tagOnly { return card.tag }
    var text = ""
    var end: Card? = card
    for _ in 0..<5 {
      text += " \(end?.id ?? -1) \(end?.stamp ?? -1)"
      end = end?.next
    }
    return text + " \(end?.id ?? -1)"
  }

  /// The sections by another way.
  private func expected() -> Sections {
    var sections: Sections = []
    for (key, card) in elements() {
      if let index = sections.firstIndex(where: { $0.key == key }) {
        sections[index].ids.append(card.id)
      } else {
        sections.append((key, [card.id]))
      }
    }
    return sections
  }

  private func describe(_ sections: Sections?) -> String { "\(sections ?? [])" }

  /// What is wrong now, if nothing more is to be told.
  func check() -> String? {
    if let problem { return problem }
    let expected = expected()
    if describe(known) != describe(expected) {
      return "\(name) knows \(describe(known)), and there is \(describe(expected))"
    }
    if shares == toldShares { return nil }
    return "\(name): section \(section ?? -1) is told \(toldShares), and its share is \(shares)"
  }

  /// Takes what there is for known.
  func take() {
    if known == nil { return }
    known = expected()
    texts = currentTexts()
  }

  private func currentTexts() -> [Int: String] {
    Dictionary(elements().map { ($0.card.id, text($0.card)) }) { $1 }
  }

  func hear(_ change: SectionedResultsChange<SectionedResults<Int, Card>>, _ shown: Sections) {
    let new = expected()
    let newTexts = currentTexts()
    defer { (known, texts) = (new, newTexts) }
    if describe(shown) != describe(new) {
      problem = "\(name) is shown \(shown), and there is \(new)"
    }
    guard let told = Told(change) else { return }
    guard let known else { return problem = "\(name) hears of a change before the beginning" }
    if let section {
      let share = told.share(
        old: known.firstIndex { $0.key == section }, new: new.firstIndex { $0.key == section })
      if let share { shares.append(share.text) }
    }
    var after = known
    for path in told.deletions.reversed() { after[path[0]].ids.remove(at: path[1]) }
    for section in told.deleted.reversed() { after.remove(at: section) }
    let staying = Set(after.flatMap(\.ids))
    for section in told.inserted { after.insert((new[section].key, []), at: section) }
    for path in told.insertions {
      after[path[0]].ids.insert(new[path[0]].ids[path[1]], at: path[1])
    }
    if describe(after) != describe(new) {
      problem = "\(name) had \(known), is told \(told.text), and has \(new)"
    }
    let modified = Set(told.modifications.map { known[$0[0]].ids[$0[1]] })
    for id in staying where (texts[id] != newTexts[id]) != modified.contains(id) {
      problem = "\(name) is told \(told.text) of #\(id): \(texts[id] ?? ""), \(newTexts[id] ?? "")"
    }
    if !modified.isSubset(of: staying) {
      problem = "\(name) is told \(told.text): what is modified does not stay"
    }
    for paths in [told.deletions, told.insertions, told.modifications] where paths != paths.sorted()
    {
      problem = "\(name) is told of paths that do not ascend"
    }
  }

  func hear(_ change: SectionedResultsChange<ResultsSection<Int, Card>>, _ shown: [Int]) {
    if let told = Told(change) { toldShares.append(told.text) }
    let expected = expected().first { $0.key == section }?.ids ?? []
    if shown != expected { problem = "\(name): a section is shown \(shown), expected \(expected)" }
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
  private var lastStamp = 0

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
    switch number(0..<5) {
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
    case 3:
      try onQueue { realm in
        let untold = watchers.filter { _ in number(0..<2) == 0 }
        log.append("without notifying \(untold.map(\.name))")
        try realm.write(withoutNotifying: untold.flatMap(\.tokens)) {
          for _ in 0..<count { change(realm) }
        }
        for watcher in untold { watcher.take() }
      }
    default: try onQueue { realm in try realm.write { for _ in 0..<count { change(realm) } } }
    }
  }

  private func nextStamp() -> Int {
    lastStamp += 1
    return lastStamp
  }

  private func change(_ realm: Realm) {
    let id = number(0..<20)
    guard let deck = realm.objects(Deck.self).first else { return }
    guard let card = realm.object(ofType: Card.self, forPrimaryKey: id) else {
      let card = Card()
      (card.id, card.suit, card.rank) = (id, number(0..<5), number(0..<8))
      card.stamp = nextStamp()
      card.tag = "\(card.stamp)"
      log.append("add \(id) \(card.suit) \(card.rank)")
      realm.add(card)
      if number(0..<2) == 0 { deck.cards.insert(card, at: number(0..<deck.cards.count + 1)) }
      return
    }
    let value = number(0..<8)
    let choice = number(0..<8)
    if (1...5).contains(choice) { card.stamp = nextStamp() }
    switch choice {
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
      log.append("\(id).tag = \(card.stamp)")
      card.tag = "\(card.stamp)"
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
    let choice = number(0..<8)
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
    default:
      let unique = cards.distinct(by: ["suit", "rank"])
      watch("distinct", unique.sorted(by: \.suit), unique.sectioned(by: \.suit)) { $0.suit }
    }
  }

  private func watch(
    _ name: String, _ plain: Results<Card>, _ sections: SectionedResults<Int, Card>,
    tagOnly: Bool = false, _ key: @escaping (Card) -> Int
  ) {
    let watcher = Watcher(name, tagOnly: tagOnly) { plain.map { (key($0), $0) } }
    let keyPaths = tagOnly ? ["tag"] : nil
    watcher.tokens = [
      sections.observe(keyPaths: keyPaths) { [weak watcher] change in
        watcher?.hear(change, sections.map { (key: $0.key, ids: $0.map(\.id)) })
      }
    ]
    if let section = sections.randomElement(using: &random) {
      watcher.section = section.key
      watcher.tokens.append(
        section.observe(keyPaths: keyPaths) { [weak watcher] change in
          var ids: [Int] = []
          for card in section { ids.append(card.id) }
          watcher?.hear(change, ids)
        })
    }
    watchers.append(watcher)
  }
}
