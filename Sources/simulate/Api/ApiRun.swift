internal import Atoll
internal import Dispatch
internal import Foundation
internal import TestSupport

/// One random program of the Swift interface, and the model beside it.
///
/// Each step is a number, from which it draws whatever it chooses; so any of them can be left out,
/// and a program that fails is made shorter. Three places use one file: a thread and two queues.
/// None of them refreshes by itself, so that the model knows what each shows.
final class ApiRun {
  let schema = ApiSchema()
  let places: [ApiPlace]
  /// Names its files in memory.
  let name: String
  let configuration: Realm.Configuration
  /// Whether the file has all classes from the start.
  private let isComplete: Bool
  private let folder: TemporaryFolder?
  /// What was committed last.
  var committed = ApiWorld()
  /// The place whose write is open.
  var writer: ApiPlace?
  var random = SplitMix64(seed: 0)
  /// What the program did, a step in each line.
  private(set) var log: [String] = []
  /// Is told each step when it begins.
  var trace: (String) -> Void = { _ in }
  var frozen: [(realm: Realm, world: ApiWorld)] = []
  var frozenObjects: [ApiFrozenObject] = []
  /// The numbers of embedded objects that are others with new values.
  var renumbered: Set<Int> = []
  private var lastNumber = 0
  private(set) var tally = ApiTally()

  init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    isComplete =
      Int.random(in: 0..<4, using: &random) == 0
      || ProcessInfo.processInfo.environment["API_WARM"] != nil
    places = [
      ApiPlace(index: 0, queue: nil), ApiPlace(index: 1, queue: DispatchQueue(label: "api.1")),
      ApiPlace(index: 2, queue: DispatchQueue(label: "api.2")),
    ]
    name = "api \(seed)"
    places[2].refreshesItself = Bool.random(using: &random)
    if Int.random(in: 0..<4, using: &random) == 0 {
      let folder = TemporaryFolder()
      self.folder = folder
      configuration = Realm.Configuration(fileURL: URL(filePath: folder.path(of: "api.realm")))
    } else {
      folder = nil
      configuration = Realm.Configuration(
        inMemoryIdentifier: "api \(seed) \(random.next())")
    }
  }

  var isFile: Bool { folder != nil }

  /// Runs a program.
  ///
  /// - Throws: `CaseViolation` where the library differs from the model.
  func run(_ steps: [UInt64]) throws {
    // A realm in memory is there as long as one place has it.
    for place in places { try place.run { _ = try place.opened(configuration) } }
    if isComplete {
      try begin(places[0])
      for kind in schema.tables {
        touch(kind, places[0])
        _ = kind.operations?.count(realm(places[0]))
      }
      try end(places[0], isCommitted: true)
    }
    for step in steps {
      try perform(step)
      tally.steps += 1
    }
    if let writer {
      try writer.run { try end(writer, isCommitted: true) }
    }
    for place in places {
      try place.run {
        if place.realm != nil { try refresh(place) }
        try compare(place)
      }
    }
    try compareFrozen()
  }

  /// Ends what the program left open.
  func close() {
    for place in places {
      place.run {
        if let realm = place.realm, realm.isInWriteTransaction { realm.cancelWrite() }
        place.close()
      }
    }
    frozen = []
    frozenObjects = []
  }

  private func perform(_ step: UInt64) throws {
    random = SplitMix64(seed: step)
    let place: ApiPlace
    if let writer, chance(4, of: 5) { place = writer } else { place = pick(places) }
    try place.run {
      if place.realm == nil {
        note(place, "open")
        _ = try place.opened(configuration)
        place.world = committed
        try refresh(place)
      }
      if place.isUnpinned {
        // The first read after `invalidate()` is one of the newest version.
        place.isUnpinned = false
        _ = realm(place).isEmpty
        place.world = committed
      }
      if place.isWriting { try performInWrite(place) } else { try performOutside(place) }
      if chance(1, of: 2) { try compare(place) }
    }
    try refreshOthers()
    try settle()
    try settleTrackers()
    if !frozen.isEmpty || !frozenObjects.isEmpty, chance(1, of: 8) { try compareFrozen() }
  }

  /// Lets the places that refresh by themselves come to the newest version.
  private func refreshOthers() throws {
    for place in places where place.refreshesItself && !place.isWriting {
      guard place.realm != nil, place.world != committed else { continue }
      try place.run { try refresh(place) }
    }
  }

  // MARK: Choices

  func note(_ place: ApiPlace, _ text: String) {
    log.append("\(place.name): \(text)")
    trace("\(place.name): \(text)")
  }

  func chance(_ count: Int, of all: Int) -> Bool { Int.random(in: 0..<all, using: &random) < count }
  func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

  func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &random)]
  }

  func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  func count(_ event: WritableKeyPath<ApiTally, Int>) { tally[keyPath: event] += 1 }

  /// Does one of several things, each as often as its weight says.
  func choose(_ choices: [(weight: Int, act: () throws -> Void)]) throws {
    var rest = number(0..<choices.reduce(0) { $0 + $1.weight })
    for choice in choices {
      if rest < choice.weight { return try choice.act() }
      rest -= choice.weight
    }
  }

  // MARK: Realms

  func realm(_ place: ApiPlace) -> Realm {
    guard let realm = place.realm else { preconditionFailure("place \(place.name) is not open") }
    return realm
  }

  func require<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) throws {
    if found == expected { return }
    throw CaseViolation("\(what) \(found), expected \(expected)")
  }
}

/// How often a program did what.
struct ApiTally {
  var steps = 0
  var writes = 0
  var cancelled = 0
  var firstUses = 0
  var notices = 0
}
