internal import AtollCapture
internal import AtollObjects
internal import AtollSync

/// The elements of all lists of a run, as the apps on all devices know them.
///
/// A ghost is an element that an app inserted. It gets its id when its transaction is committed;
/// nothing else of what the library says of elements counts. With the answers of the server it is
/// known which ghosts must be in a list at the end, and in which order.
final class ListHistory {
  typealias Ghost = Int

  /// A file, until another one takes its place, or it gets another identity.
  struct Line: Hashable {
    var device: Int
    var life: Int
    /// The id under which the file synchronises: with another one it marks other positions.
    var client: UInt64
  }

  /// A list before and after a transaction.
  struct View {
    var line: Line
    var before: [ElementID]
    var after: [ElementID]
  }

  /// What a transaction did to one list.
  struct Deed {
    /// The ghosts by the ids that they have in it.
    var kept: [ElementID: Ghost] = [:]
    var inserted: [ElementID: Ghost] = [:]
    var removed: [ElementID: Ghost] = [:]
  }

  let options: ListOptions
  /// Whether an entry can still come to the server, or has.
  var isExtant: (SyncJournal.PushName) -> Bool = { _ in true }
  private var nextGhost = 0
  /// The ghosts that an id has stood for, with their values: one, if all is well.
  private var carriers: [ElementID: [(ghost: Ghost, value: RecordedValue)]] = [:]
  /// The entry in which an id was first seen.
  private var makers: [ElementID: SyncJournal.PushName] = [:]
  private var lines: [ElementID: Line] = [:]
  private var deeds: [SyncJournal.PushName: [ListName: Deed]] = [:]
  private var views: [ListName: [View]] = [:]
  /// The elements that any transaction moved.
  private var moved: Set<ElementID> = []

  // What the server accepted, in its order.
  private var alive: [ListName: [Ghost: Set<ElementID>]] = [:]
  /// The life of each object, which its last creation began or met.
  private var lives: [ObjectAddress: Cursor] = [:]
  /// The lives that creations began or met.
  private var creations: [SyncJournal.PushID: [UInt32: Cursor]] = [:]

  init(_ options: ListOptions) { self.options = options }

  func verifies(_ oracle: ListOracle) -> Bool { options.oracles.contains(oracle) }

  private func require(
    _ oracle: ListOracle, _ problem: @autoclosure () -> String?
  ) throws(ListProblem) {
    if verifies(oracle), let problem = problem() {
      throw ListProblem(oracle: oracle, text: problem)
    }
  }

  // MARK: Commits

  /// A transaction is in the file.
  ///
  /// `name`: of its entry; nil if it made none. `known`: the ids that the file had before.
  func commit(
    _ name: SyncJournal.PushName?, _ operations: [Operation], _ nets: [ListNet],
    known: Set<ElementID>, _ line: Line
  ) throws {
    for net in nets {
      try require(.net, net.problem.map { "\(net.script.name): \($0); \(told(net, operations))" })
    }
    guard let name else { return }
    try mint(name, operations, known, line)
    for operation in operations {
      if case .moveElement(_, let id, _) = operation.action { moved.insert(id) }
    }
    for net in nets {
      deeds[name, default: [:]][net.script.name] = deed(net)
      views[net.script.name, default: []].append(
        View(line: line, before: net.script.before.map(\.id), after: net.after.map(\.id)))
    }
  }

  private func told(_ net: ListNet, _ operations: [Operation]) -> String {
    func list(_ entries: [ListEntry]) -> String {
      "[\(entries.map { "\(Self.short($0.id)) \($0.value)" }.joined(separator: ", "))]"
    }
    let own = operations.filter {
      $0.object == net.script.name.object && $0.unit.path.property == net.script.name.property
    }
    let slots = net.script.slots.map {
      "\($0.number)\(net.script.moved.contains($0.number) ? "m" : "")"
    }
    return
      "\(list(net.script.before)) -> \(list(net.after)), ghosts \(slots), by \(own.map(\.short)): "
      + net.script.steps.joined(separator: ", ")
  }

  private static func short(_ id: ElementID) -> String {
    "\(id.client % 1000).\(id.number % 1000).\(id.index)"
  }

  private func deed(_ net: ListNet) -> Deed {
    var deed = Deed()
    let old = Dictionary(
      net.script.before.map { ($0.id, ghost(of: $0)) }, uniquingKeysWith: { a, _ in a })
    var left: Set<ElementID> = []
    for (index, entry) in net.after.enumerated() {
      if index < net.sources.count, let source = net.sources[index], let ghost = old[source] {
        left.insert(source)
        deed.kept[entry.id] = ghost
        if source != entry.id { deed.kept[source] = ghost }
        if source != entry.id { carriers[entry.id, default: []].append((ghost, entry.value)) }
      } else {
        nextGhost += 1
        deed.inserted[entry.id] = nextGhost
        carriers[entry.id, default: []].append((nextGhost, entry.value))
      }
    }
    for (id, ghost) in old where !left.contains(id) { deed.removed[id] = ghost }
    return deed
  }

  /// Whom an id stands for where it has a value: if it stands for two, the value tells.
  private func ghost(of entry: ListEntry) -> Ghost {
    let all = carriers[entry.id] ?? []
    if let ghost = (all.last { $0.value == entry.value } ?? all.first)?.ghost { return ghost }
    nextGhost += 1
    carriers[entry.id] = [(nextGhost, entry.value)]
    return nextGhost
  }

  /// Each id is made once.
  private func mint(
    _ name: SyncJournal.PushName, _ operations: [Operation], _ known: Set<ElementID>, _ line: Line
  ) throws {
    var made: Set<ElementID> = []
    for operation in operations { Self.collect(operation.action, &made) }
    for id in made.subtracting(known) {
      if let other = makers[id], other != name {
        if isExtant(other) {
          try require(
            .ids, "\(Self.short(id)) was made in entry \(other.entry), and in \(name.entry) again")
        } else {
          forget(id)
        }
      }
      makers[id] = name
      lines[id] = line
    }
  }

  /// A transaction that made an id was lost before anything left the device.
  private func forget(_ id: ElementID) {
    carriers[id] = nil
    for (list, all) in views {
      views[list] = all.filter { !$0.after.contains(id) && !$0.before.contains(id) }
    }
  }

  private static func collect(_ action: Operation.Action, _ ids: inout Set<ElementID>) {
    switch action {
    case .insert(_, let id, _, let value):
      ids.insert(id)
      collect(value, &ids)
    case .set(_, let value), .setElement(_, _, let value), .setEntry(_, _, let value),
      .edit(_, _, .set(let value)):
      collect(value, &ids)
    default: break
    }
  }

  private static func collect(_ value: RecordedValue, _ ids: inout Set<ElementID>) {
    guard case .embedded(let object) = value else { return }
    if let incarnation = object.incarnation { ids.insert(incarnation) }
    for field in object.fields { collect(field.value, &ids) }
  }

  /// The ids in a state of a file.
  static func ids(in head: [ObjectAddress: SyncModel.Object]) -> Set<ElementID> {
    var ids: Set<ElementID> = []
    for (path, unit) in head.values.lazy.flatMap(\.units) {
      if case .element(_, let id) = path { ids.insert(id) }
      if let value = unit.content { collect(value, &ids) }
    }
    return ids
  }

  // MARK: The server's order

  /// Takes the answers to an entry in, in the order in which the server judged it.
  func judge(_ push: SyncJournal.Push, _ verdicts: [SyncModel.Verdict]) throws {
    let deeds = deeds[push.name] ?? [:]
    var touched: Set<ListName> = []
    var told: Set<ElementID> = []
    for (index, (operation, verdict)) in zip(push.transaction.operations, verdicts).enumerated() {
      var isApplied = false
      if case .applied(let life) = verdict {
        isApplied = true
        if case .create = operation.action, let life {
          lives[operation.object] = life
          creations[push.id, default: [:]][UInt32(index)] = life
        }
      }
      if case .delete = operation.action, isApplied {
        for list in alive.keys where list.object == operation.object { alive[list] = nil }
      }
      guard case .element(let property, let id) = operation.unit.path else { continue }
      let list = ListName(object: operation.object, property: property)
      let deed = deeds[list] ?? Deed()
      guard isApplied else {
        if verdict == .deletion, isOfThisLife(operation, push.id.client) {
          try verify(operation, id, list, deed)
        }
        continue
      }
      touched.insert(list)
      if let ghost = deed.inserted[id] {
        alive[list, default: [:]][ghost, default: []].insert(id)
      } else if case .insert = operation.action, let ghost = deed.kept[id] {
        if alive[list]?[ghost] != nil { alive[list]?[ghost]?.insert(id) }
      }
      if case .removeElement = operation.action {
        told.insert(id)
        if let ghost = deed.removed[id] { alive[list]?[ghost] = nil }
      }
    }
    for list in touched {
      // Removed by the app, and said otherwise.
      for (id, ghost) in deeds[list]?.removed ?? [:] where !told.contains(id) {
        alive[list]?[ghost] = nil
      }
    }
  }

  /// Whether an operation is of the object's life, and not of an earlier one, to which the device
  /// gave the element.
  private func isOfThisLife(_ operation: Operation, _ client: UInt64) -> Bool {
    let life: Cursor? =
      switch operation.generation {
      case .confirmed(let cursor): cursor
      case .pending(let number, let index):
        creations[SyncJournal.PushID(client: client, number: number)]?[index]
      case nil: nil
      }
    return life != nil && life == lives[operation.object]
  }

  /// Whether an element is gone, as an answer says.
  private func verify(
    _ operation: Operation, _ id: ElementID, _ list: ListName, _ deed: Deed
  ) throws {
    switch operation.action {
    case .setElement, .moveElement: break
    case .edit(_, let place, _) where place.names.count == 1 && list.property == "steps": break
    default: return
    }
    guard let ghost = deed.kept[id] ?? carriers[id]?.last?.ghost, alive[list]?[ghost] != nil else {
      return
    }
    try require(
      .answers, "\(operation.short) is answered as of a removed element, and it was not removed")
  }

  // MARK: The end

  /// Compares what the server holds with what it must.
  func compare(_ contents: [ObjectAddress: [UnitPath: UnitValue]]) throws {
    var lists = Set(alive.keys).union(views.keys)
    for (address, units) in contents where !SyncSchema.isEvent(address) {
      for path in units.keys {
        guard case .element(let property, _) = path else { continue }
        lists.insert(ListName(object: address, property: property))
      }
    }
    for list in lists.sorted(by: { "\($0)" < "\($1)" }) {
      let units = contents[list.object] ?? [:]
      let entries = SyncModel.Object(
        generation: .pending(number: 0, index: 0), units: units
      ).list(list.property)
      try compare(list, entries.map(\.id))
    }
  }

  private func compare(_ list: ListName, _ ids: [ElementID]) throws {
    var owners: [ElementID: Ghost] = [:]
    for (ghost, own) in (alive[list] ?? [:]).sorted(by: { $0.key < $1.key }) {
      let here = own.filter(ids.contains)
      try require(
        .vanished,
        here.isEmpty
          ? "\(list): an element that no device removed is gone: "
            + "\(own.map(Self.short)), of \(ids.map(Self.short))" : nil)
      for id in here {
        let isShared = owners.updateValue(ghost, forKey: id) != nil
        try require(
          .vanished, isShared ? "\(list): two elements became one, \(Self.short(id))" : nil)
      }
    }
    for id in ids where owners[id] == nil {
      try require(.stayed, "\(list): a removed element is there, \(Self.short(id))")
    }
    try require(.order, disorder(list, ids))
    try require(
      .runs,
      ListRuns(lines: lines, moved: moved).mixed(views[list] ?? [], ids)
        .map { "\(list): \($0)" })
  }

  /// Two elements that stood in another order in a file, and that no device moved.
  private func disorder(_ list: ListName, _ ids: [ElementID]) -> String? {
    let places = Dictionary(ids.enumerated().map { ($1, $0) }, uniquingKeysWith: { a, _ in a })
    for view in views[list] ?? [] {
      let own = view.after.filter { !moved.contains($0) }.compactMap { places[$0] }
      for (a, b) in zip(own, own.dropFirst()) where a > b {
        return "\(list): \(Self.short(ids[a])) stood before \(Self.short(ids[b])) on device "
          + "\(view.line.device)"
      }
    }
    return nil
  }
}
