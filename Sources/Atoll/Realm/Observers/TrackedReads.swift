internal import AtollObjects
internal import Observation

/// What was read of a realm in blocks of `withObservationTracking`, which are told when it has
/// changed.
///
/// A note belongs to the object in the file, not to the instance, which may be gone. It stands for a
/// key path, which the module Observation holds while a block waits for a change. When the number of
/// notes has doubled, those that no block waits for are dropped. A note does not keep the realm open.
///
/// Belongs to its realm, and to whatever that is confined to.
final class TrackedReads: RealmObserver {
  let observation = Observation()
  var isOfRealm: Bool { true }

  private let registrar: ObservationRegistrar
  /// What was read of objects, by the id of the class; of a property the id of its column, and nil
  /// of whether there is the object.
  private var objects: [UInt32: [ObjectKey: [Note<UInt32?>]]] = [:]
  /// What was read of classes as a whole, by their ids.
  private var classes: [UInt32: [Note<ClassAspect>]] = [:]
  /// The collections that were asked for their elements, by their numbers.
  private var lists: [Int: Note<any TrackedQuestion>] = [:]
  private var nextNumber = 0
  /// The number of notes, including those that no block waits for.
  private(set) var noteCount = 0
  /// The number of notes above which those that no block waits for are dropped.
  private var limit = TrackedReads.leastLimit
  /// The version that was told last; nil while there are no notes, so that it is not kept.
  private var told: Snapshot?
  /// The number of changes that were told, which is a part of each path.
  ///
  /// A block that reads again while a change is told gets new paths, so it is told once of the change.
  private var generation = 0
  /// What was read while the open write had changed something.
  private var uncommitted: [WaitedPath] = []
  private var isUncommitted = false
  /// The objects, among those that were read, of which the open write was given an instance to delete.
  private var givenUp: [ObjectLink] = []

  private static let leastLimit = 64

  /// What was read, and the path that stands for it while a block waits for a change.
  private struct Note<Subject> {
    let subject: Subject
    weak var path: TrackedPath?
  }

  /// A path, while a block waits for a change.
  private struct WaitedPath {
    weak var path: TrackedPath?
  }

  init(_ registrar: ObservationRegistrar) { self.registrar = registrar }

  // MARK: Reads

  /// Notes that a property of an object was read.
  ///
  /// - Parameters:
  ///   - object: Its address.
  ///   - column: The id of the property's column; nil for whether there is the object.
  ///   - context: The realm.
  func note(_ object: ObjectLink, _ column: UInt32?, in context: _RealmContext) {
    begin(context)
    let key = ObjectKey(rawValue: object.key)
    note(
      column, as: .property(object, column),
      in: &objects[object.table, default: [:]][key, default: []])
  }

  /// Notes that a class was read as a whole.
  ///
  /// - Parameters:
  ///   - aspect: What was read of it.
  ///   - table: Its id; nil for the question which classes there are.
  ///   - context: The realm.
  func note(_ aspect: ClassAspect, ofTable table: UInt32?, in context: _RealmContext) {
    begin(context)
    let table = table ?? Self.allClasses
    note(aspect, as: .table(table, aspect), in: &classes[table, default: []])
  }

  /// The id of no class.
  private static let allClasses = UInt32.max

  /// Notes that a collection was asked for its elements.
  ///
  /// - Complexity: O(n) in the collections that are waited for, when it is asked for the first time.
  func note(_ list: any TrackedList, in context: _RealmContext) {
    begin(context)
    if let path = list.trackedNumber.flatMap({ lists[$0]?.path }) { return access(path) }
    let question = list.trackedQuestion
    if let (number, note) = lists.first(where: {
      $0.value.path != nil && $0.value.subject.isSame(as: question)
    }), let path = note.path {
      list.trackedNumber = number
      return access(path)
    }
    nextNumber += 1
    list.trackedNumber = nextNumber
    let path = TrackedRealm.path(.list(nextNumber), generation)
    lists[nextNumber] = Note(subject: question, path: path)
    noteCount += 1
    access(path)
  }

  private func note<Subject: Equatable>(
    _ subject: Subject, as kind: TrackedRead.Kind, in notes: inout [Note<Subject>]
  ) {
    let place = notes.firstIndex { $0.subject == subject }
    if let place, let path = notes[place].path { return access(path) }
    let path = TrackedRealm.path(kind, generation)
    if let place {
      notes[place].path = path
    } else {
      notes.append(Note(subject: subject, path: path))
      noteCount += 1
    }
    access(path)
  }

  /// Lets the block that is running hold a path.
  private func access(_ path: TrackedPath) {
    if isUncommitted { uncommitted.append(WaitedPath(path: path)) }
    registrar.access(TrackedRealm(), keyPath: path)
  }

  /// Before a note is made.
  private func begin(_ context: _RealmContext) {
    isUncommitted = context.hasUncommittedChanges
    if noteCount > limit {
      drop { $0 == nil }
      limit = max(Self.leastLimit, 2 * noteCount)
    }
    if told == nil { told = context.snapshot }
  }

  /// Drops the notes whose paths are meant.
  private func drop(_ isMeant: (TrackedPath?) -> Bool) {
    func kept<Subject>(_ notes: [Note<Subject>]) -> [Note<Subject>]? {
      let kept = notes.filter { !isMeant($0.path) }
      return kept.isEmpty ? nil : kept
    }
    objects = objects.compactMapValues { notes in
      let kept = notes.compactMapValues { kept($0) }
      return kept.isEmpty ? nil : kept
    }
    classes = classes.compactMapValues { kept($0) }
    lists = lists.filter { !isMeant($0.value.path) }
    noteCount =
      objects.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } }
      + classes.values.reduce(0) { $0 + $1.count } + lists.count
    if noteCount == 0 { told = nil }
  }

  // MARK: Changes

  func deliver(_ round: DeliveryRound) {}

  func rebase(_ context: _RealmContext) {}

  func note(_ notification: Realm.Notification, _ context: _RealmContext) {
    guard notification == .didChange, let old = told, !context.isUnsettled else { return }
    uncommitted = []
    givenUp = []
    let new = context.snapshot
    guard new.version != old.version else { return }
    told = new
    let difference = context.file.database.difference(from: old, to: new)
    // Where the file fails anything may have changed.
    guard
      let changed = context.reading("changes cannot be read", or: nil, { try changed(difference) })
    else { return tellAll() }
    tell(changed)
  }

  /// An instance of an object was given to `delete` in the open write: it stays invalid, also when
  /// the write is undone.
  func noteGivenUp(_ object: ObjectLink) {
    if notes(of: object) != nil { givenUp.append(object) }
  }

  private func notes(of object: ObjectLink) -> [Note<UInt32?>]? {
    objects[object.table]?[ObjectKey(rawValue: object.key)]
  }

  /// The open write was undone: what was read of it is not so.
  func noteUndoneWrite() {
    var paths = uncommitted.compactMap(\.path)
    for object in givenUp { paths += notes(of: object)?.compactMap(\.path) ?? [] }
    (uncommitted, givenUp) = ([], [])
    tell(paths)
  }

  /// Tells of everything: the realm has given up what it showed.
  func tellAll() {
    tell(
      objects.values.flatMap { $0.values.joined().compactMap(\.path) }
        + classes.values.joined().compactMap(\.path) + lists.values.compactMap(\.path))
  }

  /// Tells the blocks that wait for these paths; what they read next gets new notes.
  private func tell(_ paths: [TrackedPath]) {
    if paths.isEmpty { return }
    // First: a block that is told may read again at once.
    let meant = Set(paths.map { ObjectIdentifier($0) })
    drop { $0.map { meant.contains(ObjectIdentifier($0)) } ?? true }
    generation += 1
    for path in paths {
      registrar.willSet(TrackedRealm(), keyPath: path)
      registrar.didSet(TrackedRealm(), keyPath: path)
    }
  }

  /// The paths of what has changed.
  ///
  /// - Complexity: That of finding the changes, and O(n) in the collections that are waited for.
  private func changed(_ difference: VersionDifference) throws -> [TrackedPath] {
    var paths: [TrackedPath] = []
    for (table, notes) in objects {
      let changes = try difference.table(table)
      for keys in [changes.inserted, changes.deleted] {
        for key in keys { paths += notes[key]?.compactMap(\.path) ?? [] }
      }
      for (key, columns) in changes.modified {
        paths +=
          notes[key]?.compactMap { note in
            note.subject.map { columns.contains($0) } ?? false ? note.path : nil
          } ?? []
      }
    }
    for (table, notes) in classes {
      for note in notes {
        if let path = note.path, try isChanged(note.subject, table, difference) {
          paths.append(path)
        }
      }
    }
    for note in lists.values {
      if let path = note.path, try note.subject.mayHaveOtherElements(difference) {
        paths.append(path)
      }
    }
    return paths
  }

  private func isChanged(
    _ aspect: ClassAspect, _ table: UInt32, _ difference: VersionDifference
  ) throws -> Bool {
    if table == Self.allClasses { return !difference.isOfOneSchema }
    let changes = try difference.table(table)
    if !changes.inserted.isEmpty || !changes.deleted.isEmpty { return true }
    return try aspect == .contents && !difference.reached(table).isEmpty
  }
}

/// What can be read of a class as a whole.
enum ClassAspect: Hashable {
  /// Which objects there are.
  case members
  /// What they hold, and what they lead to.
  case contents
}

/// A collection that can be asked for its elements in a block of `withObservationTracking`.
protocol TrackedList: AnyObject {
  /// The number that it was noted under; a collection that asks the same may have the same.
  var trackedNumber: Int? { get set }
  /// What decides about its elements.
  var trackedQuestion: any TrackedQuestion { get }
}

/// What decides about the elements of a collection; it holds nothing of the realm.
protocol TrackedQuestion {
  func isSame(as other: any TrackedQuestion) -> Bool
  /// Whether there may be other elements than in an older version, or others in their places.
  func mayHaveOtherElements(_ difference: VersionDifference) throws -> Bool
}

typealias TrackedPath = KeyPath<TrackedRealm, Int>

/// Stands for a realm in key paths.
struct TrackedRealm: Observable {
  subscript(_ read: TrackedRead) -> Int { 0 }

  /// A new key path that stands for what was read.
  static func path(_ kind: TrackedRead.Kind, _ generation: Int) -> TrackedPath {
    let read = TrackedRead(kind: kind, generation: generation)
    return \TrackedRealm.[read]
  }
}

/// What was read of a realm, and the number of changes that had been told then.
struct TrackedRead: Hashable {
  enum Kind: Hashable {
    case property(ObjectLink, UInt32?)
    case table(UInt32, ClassAspect)
    case list(Int)
  }

  let kind: Kind
  let generation: Int
}
