internal import Atoll
internal import Foundation
internal import TestSupport

/// What is counted.
enum WhereEvent: String, CaseIterable, Sendable {
  case conditions, nodes, matches
  case nothing = "conditions without a match"
  case everything = "conditions that all match"
}

/// `simulate where` as work that a seed decides: objects, and conditions that are asked of them.
enum WhereWork: SeedWork {
  typealias Event = WhereEvent

  static let commandName = "where"
  static let defaultSeedCount: UInt64 = 2_000
  private static let conditionCount = 24

  static func outcome(of seed: UInt64, isVerbose: Bool) -> SeedOutcome<WhereEvent> {
    var outcome = SeedOutcome<WhereEvent>()
    var random = SplitMix64(seed: seed)
    var step = 0
    var before: WhereCondition?
    do {
      let world = try WhereWorld(&random, name: "where-\(UUID().uuidString)")
      defer { world.end() }
      let reading = WhereReading(nodes: world.nodes)
      var maker = WhereMaker(random: random, objects: world.objects)
      outcome.tally[.nodes] = world.nodes.count
      while step < conditionCount {
        let condition = maker.condition()
        let expected = world.nodes.indices.filter { condition.holds(reading, $0) }
        let answer = try WhereAnswer(
          of: condition, in: world.realm, SplitMix64(seed: maker.random.next()))
        if isVerbose { print("\(answer.text)  \(expected)") }
        outcome.tally[.conditions] += 1
        outcome.tally[.matches] += expected.count
        if expected.isEmpty { outcome.tally[.nothing] += 1 }
        if expected.count == world.nodes.count { outcome.tally[.everything] += 1 }
        for id in expected { outcome.digest = (outcome.digest ^ UInt64(id)) &* 0x100_0000_01B3 }
        outcome.digest = (outcome.digest ^ UInt64(step + 100)) &* 0x100_0000_01B3
        let difference =
          answer.difference(from: expected, of: world.nodes.count)
          ?? WhereCollection.difference(
            condition, before, reading, world, SplitMix64(seed: maker.random.next()))
        if let difference {
          outcome.violation = violation(seed, step, difference, answer, expected, world)
          break
        }
        before = condition
        step += 1
      }
    } catch {
      outcome.violation = SeedViolation(seed: seed, step: step, message: "\(error)", history: [])
    }
    return outcome
  }

  static func headline(_ tally: SeedTally<WhereEvent>) -> String {
    WhereEvent.allCases.map { "\($0.rawValue) \(tally[$0])" }.joined(separator: ", ")
  }

  /// What it takes to understand a difference: the condition, and the objects that it is about.
  private static func violation(
    _ seed: UInt64, _ step: Int, _ difference: String, _ answer: WhereAnswer, _ expected: [Int],
    _ world: WhereWorld
  ) -> SeedViolation {
    var history = ["condition: \(answer.text)", "arguments: \(answer.arguments)"]
    history += ["expected: \(expected)", "where: \(answer.found)", "text: \(answer.ofText)"]
    history += world.nodes.enumerated().map { "\($0.offset): \($0.element)" }
    return SeedViolation(seed: seed, step: step, message: difference, history: history)
  }
}

/// The answers of a realm to one condition, asked in different ways.
struct WhereAnswer {
  let text: String
  let arguments: [Any]
  let found: [Int]
  /// The answer to the condition as text.
  let ofText: [Int]
  /// The text in another spelling, and the answer to that.
  private let otherText: WhereText
  private let ofOtherText: [Int]
  private let count: Int
  private let complement: [Int]

  init(of condition: WhereCondition, in realm: Realm, _ random: SplitMix64) throws {
    let nodes = realm.objects(WhereNode.self)
    var text = ""
    var arguments: [Any] = []
    let results = nodes.where {
      let query = condition.query(.object($0))
      (text, arguments) = query._constructPredicate()
      return query
    }
    found = results.ids
    count = nodes.where { condition.query(.object($0)) }.count
    complement = nodes.where { !condition.query(.object($0)) }.ids
    ofText = try nodes.query(NSPredicate(format: text, argumentArray: arguments)).ids
    otherText = try WhereText(text, arguments, random)
    let format = otherText.text
    do {
      ofOtherText = try nodes.query(
        NSPredicate(format: format, argumentArray: otherText.arguments)
      ).ids
    } catch {
      throw CaseViolation("'\(format)' for '\(text)': \(error)")
    }
    self.text = text
    self.arguments = arguments
  }

  /// What is wrong with the answers; nil for nothing.
  func difference(from expected: [Int], of nodeCount: Int) -> String? {
    if found != expected { return "where { } finds \(found), and \(expected) are right" }
    if count != expected.count { return "count is \(count), and \(expected.count) is right" }
    if ofText != expected { return "the text '\(text)' finds \(ofText), and \(expected) are right" }
    if ofOtherText != expected {
      return "the text '\(otherText.text)' of \(otherText.arguments) finds \(ofOtherText), and "
        + "\(expected) are right"
    }
    let others = (0..<nodeCount).filter { !expected.contains($0) }
    return complement == others ? nil : "the negation finds \(complement), and \(others) are right"
  }
}

extension Results where Element == WhereNode {
  /// The primary keys, from one evaluation.
  fileprivate var ids: [Int] {
    var ids: [Int] = []
    for node in self { ids.append(node.id) }
    return ids
  }
}

/// Conditions that are asked of something else than all objects.
enum WhereCollection {
  /// What is wrong with the answers of a collection; nil for nothing.
  ///
  /// `before`: another condition.
  static func difference(
    _ condition: WhereCondition, _ before: WhereCondition?, _ reading: WhereReading,
    _ world: WhereWorld, _ random: SplitMix64
  ) -> String? {
    var random = random
    let place = Int.random(in: 0..<world.nodes.count, using: &random)
    let (node, object) = (world.nodes[place], world.objects[place])
    func holds(_ id: Int) -> Bool { condition.holds(reading, id) }
    func query(_ node: Query<WhereNode>) -> Query<Bool> { condition.query(.object(node)) }
    let (name, found, right): (String, [Int], [Int])
    switch Int.random(in: 0..<8, using: &random) {
    case 0:
      (name, found, right) = (
        "list", object.list.where(query).ids, node.list.filter(holds)
      )
    case 1:
      (name, found, right) = (
        "set", object.set.where(query).ids.sorted(), node.set.filter(holds).sorted()
      )
    case 2:
      let origins = reading.reach(place, [.linked]).nodes.compactMap { $0 }
      (name, found, right) = (
        "linking objects", object.linked.where(query).ids.sorted(), origins.filter(holds)
      )
    case 3, 4:
      guard let before else { return nil }
      let results = world.realm.objects(WhereNode.self).where { before.query(.object($0)) }
      (name, found, right) = (
        "results", results.where(query).ids,
        world.nodes.indices.filter { before.holds(reading, $0) && holds($0) }
      )
    default: return nil
    }
    return found == right
      ? nil : "where { } of the \(name) of \(place) finds \(found), and \(right) are right"
  }
}
