internal import Atoll
internal import Dispatch

/// One place that uses the realm: a thread or a queue, and what the model says that it shows.
final class ApiPlace {
  let index: Int
  /// Nil for the thread of the run.
  let queue: DispatchQueue?
  private(set) var realm: Realm?
  private var isInside = false
  /// Whether its realm follows the commits of others.
  var refreshesItself = false
  var world = ApiWorld()
  var isWriting = false
  /// Whether its realm was invalidated, and shows the newest version at its next use.
  var isUnpinned = false
  /// The classes that this place has used.
  var touched: Set<String> = []
  /// Instances that are kept, by the numbers of their objects.
  var handles: [Int: ObjectBase] = [:]
  /// The numbers of those that were found and not made.
  var found: Set<Int> = []
  /// Instances that must stay invalid.
  var ghosts: [(number: Int, object: ObjectBase)] = []
  /// The numbers of objects that the open write made.
  var born: Set<Int> = []
  /// Objects that no realm manages yet.
  var detached: [Int: ObjectBase] = [:]
  /// What the model has of them.
  var loose: [Int: ApiRow] = [:]
  var heldResults: [ApiHeldResults] = []
  var heldCollections: [ApiHeldCollection] = []
  var observers: [ApiObserver] = []
  var partObservers: [ApiPartObserver] = []
  var viewObservers: [ApiViewObserver] = []
  var trackers: [ApiTracker] = []

  init(index: Int, queue: DispatchQueue?) {
    self.index = index
    self.queue = queue
  }

  var name: String { "ABC".dropFirst(index).first.map(String.init) ?? "?" }

  /// Runs `body` there; also from there.
  func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard let queue, !isInside else { return try body() }
    return try queue.sync {
      isInside = true
      defer { isInside = false }
      return try body()
    }
  }

  func opened(_ configuration: Realm.Configuration) throws -> Realm {
    if let realm { return realm }
    let realm = try Realm(configuration: configuration, queue: queue)
    realm.autorefresh = refreshesItself
    self.realm = realm
    return realm
  }

  /// Gives up what is kept of some objects.
  func forget(_ numbers: Set<Int>) {
    for number in numbers { handles[number] = nil }
    heldCollections.removeAll { numbers.contains($0.number) }
    partObservers.removeAll { numbers.contains($0.number) }
  }

  /// Gives up what is kept of the objects of a class that are gone.
  func forgetAll(of kind: String, except isThere: (Int) -> Bool) {
    func gone(_ number: Int, _ name: String) -> Bool { name == kind && !isThere(number) }
    handles = handles.filter { !gone($0.key, "\(type(of: $0.value))") }
    heldCollections.removeAll { gone($0.number, $0.kind) }
    partObservers.removeAll { gone($0.number, $0.kind) }
  }

  /// Gives up everything that belongs to the realm.
  func close() {
    for observer in observers { observer.token?.invalidate() }
    realm = nil
    isUnpinned = false
    handles = [:]
    ghosts = []
    detached = [:]
    loose = [:]
    heldResults = []
    heldCollections = []
    for observer in partObservers { observer.token?.invalidate() }
    for observer in viewObservers { observer.tokens.forEach { $0.invalidate() } }
    observers = []
    partObservers = []
    viewObservers = []
    trackers = []
  }
}

/// Results that are kept while the realm moves.
struct ApiHeldResults {
  let kind: String
  let condition: String?
  let isIncluded: (ApiRow) -> Bool
  let read: () -> [Int]
}

/// A collection of a property that is kept while the realm moves.
struct ApiHeldCollection {
  let number: Int
  let kind: String
  let field: ApiField
  /// The object's primary key, if it is an integer: what the file knows it by.
  let key: ApiValue?
  let read: () -> ApiValue
}
